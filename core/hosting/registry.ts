import { KINDS, type Kind, type Manifest, type PluginId } from '../contracts/manifest.ts';
import { ServiceError } from '../errors.ts';
import { withChoices } from './choices.ts';

/** The entry of `models` that stands for every name; the only one that several plugins may share. */
const ANY_MODEL = '*';

/** A plugin that was found, whether it can run or not. */
export interface PluginEntry {
  readonly id: PluginId;
  readonly manifest: Manifest;
  /** Where the manifest was read, for errors at the start. */
  readonly file: string;
  /** Why the plugin cannot run here, with remedies; empty if it can. */
  readonly missing: readonly string[];
}

/** The plugins of a server, by kind and name. It is frozen once it is made. */
export interface Registry {
  /** All plugins of a kind, by name. */
  ofKind(kind: Kind): readonly PluginEntry[];
  find(kind: Kind, name: string): PluginEntry | undefined;
  /**
   * The plugin, if it can run.
   *
   * @throws ServiceError `unknown_plugin`, `missing_capability`
   */
  require(kind: Kind, name: string): PluginEntry;
  readonly all: readonly PluginEntry[];
}

/**
 * Makes the registry of the plugins that were found, and freezes it.
 *
 * @throws ServiceError `duplicate_plugin`, `cyclic_plugins`, `malformed_plugin` if two claim a model's name
 */
export function createRegistry(found: readonly PluginEntry[]): Registry {
  const entries = new Map<PluginId, PluginEntry>();
  for (const entry of found) addOnce(entries, entry);
  for (const entry of found) refuseCircle(entries, entry, []);
  refuseSharedModels(found);
  const checked = [...entries.values()].map((entry) => withMissingUses(entries, entry));
  const all = withTheirChoices(checked).sort(byKindAndName);
  const byId = new Map(all.map((entry) => [entry.id, entry]));
  const byKind = Map.groupBy(all, ({ manifest }) => manifest.kind);
  const registry: Registry = {
    all: Object.freeze(all),
    ofKind: (kind) => byKind.get(kind) ?? [],
    find: (kind, name) => byId.get(`${kind}/${name}`),
    require(kind, name) {
      const entry = byId.get(`${kind}/${name}`);
      if (entry === undefined) throw unknownPlugin(registry, kind, name);
      if (entry.missing.length === 0) return entry;
      throw new ServiceError('missing_capability', { kind, name, reasons: entry.missing.join('; ') });
    },
  };
  return Object.freeze(registry);
}

function addOnce(entries: Map<PluginId, PluginEntry>, entry: PluginEntry): void {
  const other = entries.get(entry.id);
  if (other !== undefined) {
    const { kind, name } = entry.manifest;
    throw new ServiceError('duplicate_plugin', { file: entry.file, kind, name, other: other.file });
  }
  entries.set(entry.id, freezeWhole(entry));
}

function freezeWhole<T extends object>(value: T): T {
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null) freezeWhole(member);
  }
  return Object.freeze(value);
}

function refuseCircle(
  entries: Map<PluginId, PluginEntry>,
  entry: PluginEntry,
  path: readonly PluginId[],
): void {
  const here = [...path, entry.id];
  if (path.includes(entry.id)) {
    const circle = here.slice(here.indexOf(entry.id)).join(' -> ');
    throw new ServiceError('cyclic_plugins', { file: entry.file, circle });
  }
  for (const id of givenPlugins(entry.manifest)) {
    const used = entries.get(id);
    if (used !== undefined) refuseCircle(entries, used, here);
  }
}

/** Adds to a plugin that chooses between others what those of them have that can run. */
function withTheirChoices(entries: readonly PluginEntry[]): PluginEntry[] {
  const ready = new Map(
    entries.filter(({ missing }) => missing.length === 0).map((entry) => [entry.id, entry]),
  );
  return entries.map((entry) => {
    const chosen = (entry.manifest.chooses ?? []).flatMap((id) => ready.get(id)?.manifest ?? []);
    return chosen.length === 0
      ? entry
      : freezeWhole({ ...entry, manifest: withChoices(entry.manifest, chosen) });
  });
}

/** A model's name belongs to one plugin of a kind; only those that take any name are asked one by one. */
function refuseSharedModels(found: readonly PluginEntry[]): void {
  const owners = new Map<string, PluginEntry>();
  for (const entry of found) {
    for (const model of entry.manifest.models ?? []) {
      if (model === ANY_MODEL) continue;
      const key = `${entry.manifest.kind} ${model}`;
      const owner = owners.get(key);
      if (owner !== undefined) {
        const { file } = entry;
        throw new ServiceError('malformed_plugin', {
          file,
          reason: `models: ${owner.file} has "${model}" too`,
        });
      }
      owners.set(key, entry);
    }
  }
}

/** The single plugins that a manifest names in `uses`. */
export function usedPlugins(manifest: Manifest): PluginId[] {
  return (manifest.uses ?? []).filter((use): use is PluginId => use.includes('/'));
}

/** The single plugins that a plugin may be given: those that its manifest names in `uses` and in `chooses`. */
export function givenPlugins(manifest: Manifest): PluginId[] {
  return [...usedPlugins(manifest), ...(manifest.chooses ?? [])];
}

/** Adds what the plugins that it uses lack: without them a plugin cannot run. */
function withMissingUses(entries: Map<PluginId, PluginEntry>, entry: PluginEntry): PluginEntry {
  const missing = [...entry.missing];
  for (const id of usedPlugins(entry.manifest)) {
    const used = entries.get(id);
    if (used === undefined)
      missing.push(`it uses ${id}, which is not loaded: add it to --plugins or put its folder back`);
    else missing.push(...withMissingUses(entries, used).missing);
  }
  return missing.length === entry.missing.length ? entry : freezeWhole({ ...entry, missing });
}

function byKindAndName(a: PluginEntry, b: PluginEntry): number {
  const kinds = KINDS.indexOf(a.manifest.kind) - KINDS.indexOf(b.manifest.kind);
  return kinds !== 0 ? kinds : a.manifest.name < b.manifest.name ? -1 : 1;
}

function unknownPlugin(registry: Registry, kind: Kind, name: string): ServiceError {
  const names = registry.ofKind(kind).map((entry) => entry.manifest.name);
  return new ServiceError('unknown_plugin', { kind, name, known: names.join(', ') || 'none' });
}
