import type { Kind, PluginId } from '../../../core/contracts/manifest.ts';
import type { ImportFailure } from '../../../core/hosting/capability.ts';
import type { PluginHost } from '../../../core/hosting/container.ts';
import type { BrokenPlugin, PluginEntry, PluginOrigin, Registry } from '../../../core/hosting/registry.ts';

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

/** A tokenizer that requests may name. */
export interface ListedTokenizer {
  readonly name: string;
  /** Aliases that requests may use for it. */
  readonly aliases: readonly string[];
  /** The plugin that opens it. */
  readonly provider: string;
  /** Whether it can be opened now. */
  readonly available: boolean;
  /** What is missing, with the remedy; empty if it is available. */
  readonly missing: readonly string[];
}

/**
 * All tokenizers that can be opened by name, and those that a plugin would have if it lacked nothing.
 *
 * @throws ServiceError errors of `PluginHost`
 */
export async function listTokenizers(registry: Registry, host: PluginHost): Promise<ListedTokenizer[]> {
  const lists = await Promise.all(registry.ofKind('tokenizer').map((entry) => listOf(entry, host)));
  return lists.flat();
}

async function listOf({ manifest, missing }: PluginEntry, host: PluginHost): Promise<ListedTokenizer[]> {
  const { name: provider, models = [] } = manifest;
  const list = (names: readonly string[], aliases: Readonly<Record<string, string>> = {}) =>
    names.map((name) => ({
      name,
      aliases: Object.keys(aliases).filter((alias) => aliases[alias] === name),
      provider,
      available: missing.length === 0,
      missing,
    }));
  if (missing.length > 0) return list(models.filter((model) => !model.endsWith('*')));
  const plugin = await host.get('tokenizer', provider);
  return list(await plugin.names(), plugin.aliases?.());
}
