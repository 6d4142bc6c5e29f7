import type { Kind, PluginId } from '../../../core/contracts/manifest.ts';
import type { BrokenPlugin, PluginOrigin } from '../../../core/hosting/broken.ts';
import type { ImportFailure } from '../../../core/hosting/capability.ts';
import type { PluginEntry, Registry } from '../../../core/hosting/registry.ts';

/** A plugin as callers see it. */
export interface ListedPlugin {
  /** Null for a broken one whose manifest cannot be read. */
  readonly kind: Kind | null;
  readonly name: string;
  readonly summary: string;
  readonly version?: string | undefined;
  /** The versions of the plugin contract that it is written for. */
  readonly engine?: string | undefined;
  readonly origin: PluginOrigin;
  readonly state: (typeof PLUGIN_STATES)[number];
  /** Why it is not ready, with the remedy if it is unavailable. */
  readonly reason?: string | undefined;
  /** Why it may fail here although it is ready. */
  readonly warning?: string | undefined;
  readonly available: boolean;
  readonly missing: readonly string[];
}

/** `unavailable`: it lacks something on this machine; `broken`: it is faulty itself. */
export const PLUGIN_STATES = ['ready', 'unavailable', 'broken'] as const;

/** All plugins, broken ones last. @param failures what is known about those that cannot be imported */
export function listPlugins(
  { all, broken }: Registry,
  failures: ReadonlyMap<PluginId, ImportFailure>,
): readonly ListedPlugin[] {
  return [...all.map((entry) => describe(entry, failures.get(entry.id))), ...broken.map(describeBroken)];
}

/** A plugin and what it lacks; why it cannot be imported is only for the operator, because it may contain paths. */
function describe(
  { manifest, origin, warning, missing }: PluginEntry,
  failure: ImportFailure | undefined,
): ListedPlugin {
  const { kind, name, summary, version, engine } = manifest;
  const lacks = failure === undefined ? [...missing] : [...missing, unimportable(failure)];
  const about = { kind, name, summary, version, engine, origin, warning };
  if (lacks.length === 0) return { ...about, state: 'ready', available: true, missing: lacks };
  const state = failure === undefined ? 'unavailable' : 'broken';
  return { ...about, state, reason: lacks.join('; '), available: false, missing: lacks };
}

function describeBroken({ kind, name, origin, reason }: BrokenPlugin): ListedPlugin {
  const missing = [`it is broken: ${reason}; see the server's log or --check`];
  const about = { kind: kind ?? null, name, summary: '', origin };
  return { ...about, state: 'broken', reason, available: false, missing };
}

function unimportable({ reason, message, place }: ImportFailure): string {
  const where = place === undefined ? '' : ` (${place})`;
  const more = message === undefined ? '' : "; see the server's log or --check";
  return `it cannot be imported: ${reason}${where}${more}`;
}
