import type { Kind } from '../contracts/manifest.ts';
import type { PluginEntry, Registry } from './registry.ts';

/**
 * The plugins of a kind that answer to a model's name: the one that lists the name itself, else the one
 * with the longest `prefix*` that fits, else all that take any name.
 */
export function ownersOf(registry: Registry, kind: Kind, model: string): PluginEntry[] {
  let owners: PluginEntry[] = [];
  let longest = -1;
  for (const entry of registry.ofKind(kind)) {
    const fit = Math.max(-1, ...(entry.manifest.models ?? []).map((pattern) => matchLength(pattern, model)));
    if (fit > longest) owners = [];
    if (fit >= longest && fit >= 0) owners.push(entry);
    longest = Math.max(fit, longest);
  }
  return owners;
}

/** Whether a plugin claims a model by its name or the beginning of it, and not only with `*`. */
export function isNamed({ manifest }: PluginEntry, model: string): boolean {
  return (manifest.models ?? []).some((pattern) => matchLength(pattern, model) > 0);
}

function matchLength(pattern: string, model: string): number {
  if (!pattern.endsWith('*')) return pattern === model ? Number.POSITIVE_INFINITY : -1;
  const prefix = pattern.slice(0, -1);
  return model.startsWith(prefix) ? prefix.length : -1;
}
