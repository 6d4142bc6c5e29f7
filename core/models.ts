import type { Kind } from './contracts.ts';
import type { PluginEntry, Registry } from './registry.ts';

/**
 * The one plugin of a kind that answers to a model's name: the one that lists the name itself, else the
 * one with the longest `prefix*` that fits.
 */
export function ownerOf(registry: Registry, kind: Kind, model: string): PluginEntry | undefined {
  let owner: PluginEntry | undefined;
  let longest = -1;
  for (const entry of registry.ofKind(kind)) {
    for (const pattern of entry.manifest.models ?? []) {
      const fit = matchLength(pattern, model);
      if (fit > longest) {
        longest = fit;
        owner = entry;
      }
    }
  }
  return owner;
}

function matchLength(pattern: string, model: string): number {
  if (!pattern.endsWith('*')) return pattern === model ? Number.POSITIVE_INFINITY : -1;
  const prefix = pattern.slice(0, -1);
  return model.startsWith(prefix) ? prefix.length : -1;
}
