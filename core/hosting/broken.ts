import type { Kind, Manifest, PluginId } from '../contracts/manifest.ts';
import { usedPlugins } from './uses.ts';

/** Where a plugin comes from: with the server, from a folder of `--plugins-dir`, or from a package of `--plugins-from`. */
export const PLUGIN_ORIGINS = ['builtin', 'folder', 'package'] as const;
export type PluginOrigin = (typeof PLUGIN_ORIGINS)[number];

/** A plugin that cannot be used as it is, but does not stop the start. */
export interface BrokenPlugin {
  /** `undefined` if neither its manifest nor its folder tells. */
  readonly kind: Kind | undefined;
  /** The name of its folder. */
  readonly name: string;
  readonly origin: PluginOrigin;
  /** Its manifest, or its folder. */
  readonly file: string;
  /** One clause that anyone may read. */
  readonly reason: string;
  /** Everything known, for the operator only: it may contain paths and whatever a plugin writes into its errors. */
  readonly message?: string | undefined;
}

interface Found {
  readonly id: PluginId;
  readonly manifest: Manifest;
  readonly origin: PluginOrigin;
  readonly file: string;
}

/** Separates the plugins that use a broken one, transitively: they are broken too. */
export function withBrokenUsers<Entry extends Found>(
  entries: readonly Entry[],
  unreadable: readonly BrokenPlugin[],
): { readonly sound: readonly Entry[]; readonly broken: readonly BrokenPlugin[] } {
  const broken = [...unreadable];
  let sound = entries;
  for (let known = -1; known !== broken.length; ) {
    known = broken.length;
    const reasons = new Map(sound.map((entry) => [entry, brokenUse(entry, sound, broken)]));
    sound = sound.filter((entry) => reasons.get(entry) === undefined);
    for (const [{ manifest, origin, file }, reason] of reasons) {
      const { kind, name } = manifest;
      if (reason !== undefined) broken.push({ kind, name, origin, file, reason });
    }
  }
  return { sound, broken };
}

/**
 * Why a plugin is broken because of what it uses; a broken plugin does no harm if a sound one has its kind and name.
 */
function brokenUse(
  { manifest }: Found,
  sound: readonly Found[],
  broken: readonly BrokenPlugin[],
): string | undefined {
  for (const use of usedPlugins(manifest)) {
    if (sound.some(({ id }) => id === use)) continue;
    const used = broken.find(({ kind, name }) => `${kind}/${name}` === use);
    if (used !== undefined) return `it uses ${use}, which is broken: ${used.reason}`;
  }
  return undefined;
}
