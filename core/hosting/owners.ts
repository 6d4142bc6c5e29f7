import type { Kind } from '../contracts/manifest.ts';
import type { PluginEntry, Registry } from './registry.ts';

/** Which model names the plugins of a kind claim. */
interface Claims {
  readonly names: ReadonlyMap<string, PluginEntry>;
  /** Prefixes of names, the longest first; empty matches any name. */
  readonly prefixes: readonly Prefix[];
}

interface Prefix {
  readonly prefix: string;
  readonly owners: readonly PluginEntry[];
}

/** Cached: every request asks, and a registry does not change. */
const known = new WeakMap<Registry, Map<Kind, Claims>>();

/**
 * The plugins of a kind that answer to a model's name: the one that lists the exact name, else the one with the
 * longest matching `prefix*`, else all that accept any name.
 */
export function ownersOf(registry: Registry, kind: Kind, model: string): readonly PluginEntry[] {
  const { names, prefixes } = claimsOf(registry, kind);
  const named = names.get(model);
  if (named !== undefined) return [named];
  return prefixes.find(({ prefix }) => model.startsWith(prefix))?.owners ?? [];
}

function claimsOf(registry: Registry, kind: Kind): Claims {
  const kinds = known.get(registry) ?? new Map<Kind, Claims>();
  known.set(registry, kinds);
  const claims = kinds.get(kind) ?? readClaims(registry.ofKind(kind));
  kinds.set(kind, claims);
  return claims;
}

function readClaims(entries: readonly PluginEntry[]): Claims {
  const claims = entries.flatMap((entry) =>
    (entry.manifest.models ?? []).map((pattern) => ({ pattern, entry })),
  );
  const isPrefix = ({ pattern }: { readonly pattern: string }) => pattern.endsWith('*');
  const names = claims.filter((claim) => !isPrefix(claim));
  const byPrefix = Map.groupBy(claims.filter(isPrefix), ({ pattern }) => pattern.slice(0, -1));
  return {
    names: new Map(names.map(({ pattern, entry }) => [pattern, entry])),
    prefixes: [...byPrefix]
      .map(([prefix, owned]) => ({ prefix, owners: owned.map(({ entry }) => entry) }))
      .sort((a, b) => b.prefix.length - a.prefix.length),
  };
}

/** Whether a plugin claims a model by its name or a prefix of it, and not only with `*`. */
export function isNamed({ manifest }: PluginEntry, model: string): boolean {
  return (manifest.models ?? []).some((pattern) =>
    pattern.endsWith('*') ? pattern.length > 1 && model.startsWith(pattern.slice(0, -1)) : pattern === model,
  );
}
