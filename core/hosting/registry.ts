import {
  KINDS,
  type Kind,
  type Manifest,
  NO_OPTIONS,
  type ObjectSchema,
  type PluginId,
} from '../contracts/manifest.ts';
import { ServiceError } from '../errors.ts';

/** The pattern in `models` that matches every name. It is the only pattern that several plugins may share. */
const ANY_MODEL = '*';

/** Where a plugin comes from: the server itself, a folder of `--plugins-dir`, or a package of `--plugins-from`. */
export const PLUGIN_ORIGINS = ['builtin', 'folder', 'package'] as const;
export type PluginOrigin = (typeof PLUGIN_ORIGINS)[number];

/** A plugin that cannot be used, although the server starts without it. */
export interface BrokenPlugin {
  /** `undefined` if neither the manifest nor the folder says the kind. */
  readonly kind: Kind | undefined;
  readonly name: string;
  readonly origin: PluginOrigin;
  /** Path of the plugin's manifest or folder. */
  readonly file: string;
  /** The reason as one clause that all callers may read. */
  readonly reason: string;
  /** Details for the operator only: they may contain paths and error messages of the plugin. */
  readonly message?: string | undefined;
}

/** A plugin with a valid manifest. Something that it needs may be missing here. */
export interface PluginEntry {
  readonly id: PluginId;
  readonly manifest: Manifest;
  /** Path of the manifest, for error messages when the server starts. */
  readonly file: string;
  readonly origin: PluginOrigin;
  /** One clause; undefined if the plugin supports this server's version of the contract. */
  readonly warning?: string | undefined;
  /** Why the plugin cannot run here, with remedies; empty if it can. */
  readonly missing: readonly string[];
}

export function isGuarded({ manifest: { kind, guarded } }: PluginEntry): boolean {
  return kind === 'reader' && guarded === true;
}

export interface Registry {
  ofKind(kind: Kind): readonly PluginEntry[];
  find(kind: Kind, name: string): PluginEntry | undefined;
  /** Returns a plugin that can run. @throws ServiceError `unknown_plugin`, `broken_plugin`, `missing_capability` */
  require(kind: Kind, name: string): PluginEntry;
  readonly all: readonly PluginEntry[];
  readonly broken: readonly BrokenPlugin[];
}

/**
 * Builds the frozen registry of discovered plugins.
 *
 * @param unusable broken plugins; a plugin that uses one of these is broken too
 * @throws ServiceError `duplicate_plugin`, `cyclic_plugins`, `malformed_plugin` if two plugins claim a model's name
 */
export function createRegistry(
  found: readonly PluginEntry[],
  unusable: readonly BrokenPlugin[] = [],
): Registry {
  const { sound, broken } = withBrokenUsers(found, unusable);
  const entries = new Map<PluginId, PluginEntry>();
  for (const entry of sound) addOnce(entries, entry);
  for (const entry of sound) refuseCircle(entries, entry, []);
  refuseSharedModels(sound);
  const checked = [...entries.values()].map((entry) => withMissingUses(entries, entry));
  return registryOf(withTheirChoices(checked).sort(byKindAndName), broken);
}

/** Creates a registry in another thread, of plugins that `createRegistry` has already checked. */
export function registryOf(all: readonly PluginEntry[], broken: readonly BrokenPlugin[] = []): Registry {
  const byId = new Map(all.map((entry) => [entry.id, entry]));
  const byKind = Map.groupBy(all, ({ manifest }) => manifest.kind);
  const registry: Registry = {
    all: freezeWhole(all),
    broken: freezeWhole(broken),
    ofKind: (kind) => byKind.get(kind) ?? [],
    find: (kind, name) => byId.get(`${kind}/${name}`),
    require(kind, name) {
      const entry = byId.get(`${kind}/${name}`);
      if (entry === undefined) throw unusablePlugin(registry, kind, name);
      if (entry.missing.length === 0) return entry;
      throw new ServiceError('missing_capability', { kind, name, reasons: entry.missing.join('; ') });
    },
  };
  return Object.freeze(registry);
}

export function usedPlugins(manifest: Manifest): PluginId[] {
  return (manifest.uses ?? []).filter((use): use is PluginId => use.includes('/'));
}

function givenPlugins(manifest: Manifest): PluginId[] {
  return [...usedPlugins(manifest), ...(manifest.chooses ?? [])];
}

export function whyAbsent(id: PluginId, broken: readonly BrokenPlugin[] = []): string {
  const found = broken.find(({ kind, name }) => `${kind}/${name}` === id);
  const reason =
    found === undefined ? 'not loaded: add it to --plugins or restore its folder' : `broken: ${found.reason}`;
  return `it uses ${id}, which is ${reason}`;
}

function withBrokenUsers(
  entries: readonly PluginEntry[],
  unreadable: readonly BrokenPlugin[],
): { readonly sound: readonly PluginEntry[]; readonly broken: readonly BrokenPlugin[] } {
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

/** Why a used plugin breaks this plugin; undefined if none does. Ignores broken plugins with a sound namesake. */
function brokenUse(
  { manifest }: PluginEntry,
  sound: readonly PluginEntry[],
  broken: readonly BrokenPlugin[],
): string | undefined {
  for (const use of usedPlugins(manifest)) {
    if (sound.some(({ id }) => id === use)) continue;
    if (broken.some(({ kind, name }) => `${kind}/${name}` === use)) return whyAbsent(use, broken);
  }
  return undefined;
}

function addOnce(entries: Map<PluginId, PluginEntry>, entry: PluginEntry): void {
  const other = entries.get(entry.id);
  if (other !== undefined) {
    const { kind, name } = entry.manifest;
    throw new ServiceError('duplicate_plugin', { file: entry.file, kind, name, other: other.file });
  }
  entries.set(entry.id, entry);
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

function withTheirChoices(entries: readonly PluginEntry[]): PluginEntry[] {
  const ready = new Map(
    entries.filter(({ missing }) => missing.length === 0).map((entry) => [entry.id, entry]),
  );
  return entries.map((entry) => {
    const chosen = (entry.manifest.chooses ?? []).flatMap((id) => ready.get(id)?.manifest ?? []);
    return chosen.length === 0 ? entry : { ...entry, manifest: withChoices(entry.manifest, chosen) };
  });
}

/** Refuses model names that two plugins of a kind claim. Only the pattern `*` may be shared. */
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
          shown: `models: ${owner.id} has "${model}" too`,
        });
      }
      owners.set(key, entry);
    }
  }
}

function withMissingUses(entries: Map<PluginId, PluginEntry>, entry: PluginEntry): PluginEntry {
  const missing = [...entry.missing];
  for (const id of usedPlugins(entry.manifest)) {
    const used = entries.get(id);
    if (used === undefined) missing.push(whyAbsent(id));
    else missing.push(...withMissingUses(entries, used).missing);
  }
  return missing.length === entry.missing.length ? entry : { ...entry, missing };
}

function byKindAndName(a: PluginEntry, b: PluginEntry): number {
  const kinds = KINDS.indexOf(a.manifest.kind) - KINDS.indexOf(b.manifest.kind);
  return kinds !== 0 ? kinds : a.manifest.name < b.manifest.name ? -1 : 1;
}

function unusablePlugin(registry: Registry, kind: Kind, name: string): ServiceError {
  const broken = registry.broken.find((one) => one.kind === kind && one.name === name);
  if (broken !== undefined) return new ServiceError('broken_plugin', { kind, name, reason: broken.reason });
  const names = registry.ofKind(kind).map((entry) => entry.manifest.name);
  return new ServiceError('unknown_plugin', { kind, name, known: names.join(', ') || 'none' });
}

/**
 * Merges the declarations of chosen plugins into a manifest: options (under each plugin's name), fields and reports.
 * If both declare the same, the manifest's own declaration is kept.
 */
function withChoices(manifest: Manifest, chosen: readonly Manifest[]): Manifest {
  const { options = NO_OPTIONS, fields, reports, chosenDefaults = {} } = manifest;
  const theirs = chosen.map((one) => [one.name, optionsUnder(one, options, chosenDefaults[one.name])]);
  return {
    ...manifest,
    options: { ...options, properties: { ...options.properties, ...Object.fromEntries(theirs) } },
    fields: Object.assign({}, ...chosen.map((one) => one.fields), fields),
    reports: Object.assign({}, ...chosen.map((one) => one.reports), reports),
  };
}

function optionsUnder(
  { kind, name, options = NO_OPTIONS }: Manifest,
  own: ObjectSchema,
  defaults: Readonly<Record<string, unknown>> = {},
): object {
  const others = Object.entries(options.properties).filter(([option]) => !(option in own.properties));
  const more = others.map(([option, schema]) => [
    option,
    option in defaults ? { ...schema, default: defaults[option] } : schema,
  ]);
  return {
    type: 'object',
    properties: Object.fromEntries(more),
    additionalProperties: false,
    default: {},
    description: `Further options of the ${kind} ${name}, where it is chosen.`,
  };
}

interface Claims {
  readonly names: ReadonlyMap<string, PluginEntry>;
  /** Prefixes of model names with their plugins, the longest first. An empty prefix matches any name. */
  readonly prefixes: readonly (readonly [prefix: string, owners: readonly PluginEntry[]])[];
}

const known = new WeakMap<readonly PluginEntry[], Claims>();

/**
 * The plugins for a model's name: the plugin with the exact name, otherwise the plugin with the longest matching
 * `prefix*`. If no prefix matches, all plugins that accept any name.
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

export function isNamed({ manifest }: PluginEntry, model: string): boolean {
  return (manifest.models ?? []).some((pattern) =>
    pattern.endsWith('*') ? pattern.length > 1 && model.startsWith(pattern.slice(0, -1)) : pattern === model,
  );
}
