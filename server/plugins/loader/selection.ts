import { ServiceError } from '../../../core/errors.ts';
import type { PluginEntry } from '../../../core/hosting/registry.ts';
import { usedPlugins } from '../../../core/hosting/uses.ts';

/**
 * The plugins that `--plugins` asks for, by names such as `token` or `chunker/token`: the named plugins and,
 * step by step, what they use. A plugin that uses a whole kind gets the named plugins of that kind, or all of
 * them if none is named, and one that chooses between plugins likewise. A chunker whose tokens nothing else counts uses the default tokenizer.
 *
 * @param broken names that there are besides, of plugins that cannot be loaded
 * @throws ServiceError `unknown_plugin`
 */
export function selectPlugins(
  entries: readonly PluginEntry[],
  names: readonly string[],
  broken: readonly string[] = [],
): PluginEntry[] {
  if (names.length === 0) return [...entries];
  const selected = new Set<PluginEntry>();
  for (const name of names) {
    const named = entries.filter((entry) => entry.id === name || entry.manifest.name === name);
    if (named.length === 0 && !broken.includes(name)) throw unknown(name, entries);
    for (const entry of named) selected.add(entry);
  }
  const named = new Set(selected);
  // A loop over a set also visits what is added on the way.
  for (const entry of selected) {
    for (const used of entries.filter((other) => isUsed(entry, other, named))) selected.add(used);
  }
  return entries.filter((entry) => selected.has(entry));
}

function isUsed(entry: PluginEntry, other: PluginEntry, named: ReadonlySet<PluginEntry>): boolean {
  if (usedPlugins(entry.manifest).includes(other.id)) return true;
  const { kind } = other.manifest;
  const { uses = [], chooses = [] } = entry.manifest;
  const isNamed = (isWanted: (entry: PluginEntry) => boolean) => [...named].some(isWanted);
  if (uses.includes(kind) && !isNamed(({ manifest }) => manifest.kind === kind)) return true;
  if (chooses.includes(other.id) && !isNamed(({ id }) => chooses.includes(id))) return true;
  const isCounted = uses.includes('tokenizer') || uses.includes('embedding');
  const isDefaultTokenizer = kind === 'tokenizer' && other.manifest.default !== undefined;
  return entry.manifest.kind === 'chunker' && !isCounted && isDefaultTokenizer;
}

function unknown(name: string, entries: readonly PluginEntry[]): ServiceError {
  return new ServiceError('unknown_plugin', {
    kind: 'plugin',
    name,
    known: entries.map((entry) => entry.id).join(', '),
  });
}
