import type { Kind } from '../core/contracts.ts';
import { ServiceError } from '../core/errors.ts';
import { type PluginEntry, usedPlugins } from '../core/registry.ts';

/**
 * The plugins that `--plugins` asks for. Names are `token` or `chunker/token`. Loaded are the named
 * plugins, the single plugins that these use, and of the kinds that these use either the named ones or,
 * where none is named, all.
 *
 * @throws ServiceError `unknown_plugin`
 */
export function selectPlugins(entries: readonly PluginEntry[], names: readonly string[]): PluginEntry[] {
  if (names.length === 0) return [...entries];
  const selected = new Set<PluginEntry>();
  for (const name of names) {
    const named = entries.filter((entry) => entry.id === name || entry.manifest.name === name);
    if (named.length === 0) throw unknown(name, entries);
    for (const entry of named) selected.add(entry);
  }
  const named = new Set([...selected].map((entry) => entry.manifest.kind));
  // A set is walked in the order of insertion, what is added on the way included.
  for (const entry of selected) {
    for (const used of entries.filter((other) => isUsed(entry, other, named))) selected.add(used);
  }
  return entries.filter((entry) => selected.has(entry));
}

function isUsed(entry: PluginEntry, other: PluginEntry, named: ReadonlySet<Kind>): boolean {
  if (usedPlugins(entry.manifest).includes(other.id)) return true;
  const { kind } = other.manifest;
  return !named.has(kind) && (entry.manifest.uses ?? []).includes(kind);
}

function unknown(name: string, entries: readonly PluginEntry[]): ServiceError {
  return new ServiceError('unknown_plugin', {
    kind: 'plugin',
    name,
    known: entries.map((entry) => entry.id).join(', '),
  });
}
