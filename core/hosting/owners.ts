import type { Kind } from '../contracts/manifest.ts';
import type { PluginEntry, Registry } from './registry.ts';

/** Which model names the plugins of a kind claim. */
interface Claims {
  readonly names: ReadonlyMap<string, PluginEntry>;
  /** Prefixes of names, the longest first, with their plugins; an empty one matches any name. */
  readonly prefixes: readonly (readonly [prefix: string, owners: readonly PluginEntry[]])[];
}

/** Cached by the plugins of a kind: every request asks. */
const known = new WeakMap<readonly PluginEntry[], Claims>();

/**
 * The plugins of a kind that answer to a model's name: the one that lists the exact name, else the one with the
 * longest matching `prefix*`, else all that accept any name.
 */
export function ownersOf(registry: Registry, kind: Kind, model: string): readonly PluginEntry[] {
  const { names, prefixes } = claimsOf(registry.ofKind(kind));
  const named = names.get(model);
  if (named !== undefined) return [named];
  return prefixes.find(([prefix]) => model.startsWith(prefix))?.[1] ?? [];
}

function claimsOf(entries: readonly PluginEntry[]): Claims {
  const claims = known.get(entries) ?? readClaims(entries);
  known.set(entries, claims);
  return claims;
}

function readClaims(entries: readonly PluginEntry[]): Claims {
  const names = new Map<string, PluginEntry>();
  const owners = new Map<string, PluginEntry[]>();
  for (const entry of entries) {
    for (const pattern of entry.manifest.models ?? []) {
      const prefix = pattern.slice(0, -1);
      if (!pattern.endsWith('*')) names.set(pattern, entry);
      else owners.set(prefix, [...(owners.get(prefix) ?? []), entry]);
    }
  }
  return { names, prefixes: [...owners].sort(([one], [other]) => other.length - one.length) };
}

/** Whether a plugin claims a model by its name or a prefix of it, and not only with `*`. */
export function isNamed({ manifest }: PluginEntry, model: string): boolean {
  return (manifest.models ?? []).some((pattern) =>
    pattern.endsWith('*') ? pattern.length > 1 && model.startsWith(pattern.slice(0, -1)) : pattern === model,
  );
}
