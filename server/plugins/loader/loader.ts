import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Log } from '../../../core/contracts/collaborators.ts';
import {
  KINDS,
  type Kind,
  type Manifest,
  PLUGIN_CONTRACT_VERSION,
  type PluginId,
} from '../../../core/contracts/manifest.ts';
import { reasonOf, ServiceError } from '../../../core/errors.ts';
import {
  type BrokenPlugin,
  createRegistry,
  type PluginEntry,
  type Registry,
  usedPlugins,
} from '../../../core/hosting/registry.ts';
import type { Config, Environment } from '../../config/config.ts';
import { hasPackage, importModule } from './modules.ts';
import {
  type FoundFolder,
  findInFolder,
  findInPackage,
  findModule,
  isInPackages,
  kindOfFolder,
  malformed,
  manifestOf,
} from './plugin-folders.ts';
import { readManifest } from './read-manifest.ts';

export const BUILT_IN_PLUGINS = join(import.meta.dirname, '../../..', 'plugins');

export interface LoaderOptions {
  /** Folders to search. Each has plugin folders, directly or in a subfolder for a kind (`chunkers/`). */
  readonly folders: readonly string[];
  readonly packages?: readonly string[];
  /** Names of the plugins to load, as in `--plugins`; empty for all. */
  readonly only: readonly string[];
  readonly env: Environment;
  /** Whether broken plugins are only listed in the registry; by default, a broken plugin is an error. */
  readonly toleratesBroken?: boolean;
}

/**
 * Finds the plugins and reads their manifests. Imports no other modules of the plugins.
 *
 * @throws ServiceError `malformed_plugin`, `duplicate_plugin` or `cyclic_plugins`, with the file and reason;
 *   `missing_plugin_package`
 */
export async function loadRegistry({
  folders,
  packages = [],
  only,
  env,
  toleratesBroken = false,
}: LoaderOptions): Promise<Registry> {
  const found = await findIn(folders, packages);
  const read = (one: FoundFolder) => readEntry(one, env);
  if (!toleratesBroken) return createRegistry(selectPlugins(await Promise.all(found.map(read)), only));
  const results = await Promise.all(
    found.map((one) => read(one).catch((error: unknown) => brokenFolder(one, error))),
  );
  const entries = results.filter((result): result is PluginEntry => 'id' in result);
  const broken = results.filter((result): result is BrokenPlugin => !('id' in result));
  const names = broken.flatMap(({ kind, name }) => [name, `${kind}/${name}`]);
  return createTolerantRegistry(selectPlugins(entries, only, names), broken);
}

/**
 * Loads the plugin in `folder`, and the plugins of the server that this plugin uses. The plugin in `folder`
 * replaces the server's plugin of the same kind and name.
 *
 * @returns the registry, the plugin's entry, and the ids of all other plugins
 * @throws ServiceError as `loadRegistry` does
 */
export async function loadOnePlugin(
  folder: string,
  { folders, packages = [], env }: Pick<LoaderOptions, 'folders' | 'packages' | 'env'>,
) {
  const own = await readEntry({ folder, origin: isInPackages(folder) ? 'package' : 'folder' }, env);
  const found = await findIn(folders, packages);
  const others = (await Promise.all(found.map((one) => readEntry(one, env)))).filter(
    ({ id }) => id !== own.id,
  );
  const registry = createRegistry(selectPlugins([...others, own], [own.id]));
  const entry = registry.find(own.manifest.kind, own.manifest.name) ?? own;
  return { registry, entry, others: others.map(({ id }) => id) };
}

async function findIn(folders: readonly string[], packages: readonly string[]): Promise<FoundFolder[]> {
  const found = await Promise.all([
    ...folders.map((folder) => findInFolder(folder, folder === BUILT_IN_PLUGINS ? 'builtin' : 'folder')),
    ...packages.map(findInPackage),
  ]);
  return found.flat();
}

type PluginSettings = Pick<Config, 'plugins' | 'pluginsDir' | 'pluginsFrom' | 'tolerateBrokenPlugins'>;

export function loadPlugins(settings: PluginSettings, env: Environment): Promise<Registry> {
  return loadRegistry({
    folders: [BUILT_IN_PLUGINS, ...settings.pluginsDir],
    packages: settings.pluginsFrom,
    only: settings.plugins,
    env,
    toleratesBroken: settings.tolerateBrokenPlugins,
  });
}

async function readEntry({ folder, origin, problem }: FoundFolder, env: Environment): Promise<PluginEntry> {
  if (problem !== undefined) throw problem;
  const file = manifestOf(folder);
  // Only plugins outside packages must have the name of their folder.
  const manifest = await readManifest(file, origin !== 'package');
  const warning = await checkVersions(file, manifest);
  const id: PluginId = `${manifest.kind}/${manifest.name}`;
  return { id, manifest, file, origin, warning, missing: findMissing(manifest, file, env) };
}

/** What a plugin needs but this machine lacks, each with the remedy; empty if the plugin can run. */
function findMissing({ needs }: Manifest, manifestFile: string, env: Environment): string[] {
  const { packages = [], env: variables = [], files = [] } = needs ?? {};
  const missing = packages.filter((name) => !hasPackage(name, manifestFile));
  const unset = variables.filter((name) => (env[name] ?? '') === '');
  const gone = files.filter((path) => !existsSync(join(dirname(manifestFile), path)));
  return [
    ...(missing.length === 0 ? [] : [packageRemedy(missing)]),
    ...unset.map((name) => `set the environment variable ${name} and restart the server`),
    ...gone.map((path) => `the file ${path} of the plugin is missing: install the plugin again`),
  ];
}

function packageRemedy(names: readonly string[]): string {
  const list = names.join(' ');
  return `${names.length === 1 ? 'a package is' : 'packages are'} not installed: run "npm install ${list}" in the plugin's folder and restart the server`;
}

/**
 * Checks the plugin's version, and `engine`, its range of supported contract versions.
 *
 * @returns a warning if this server's contract version is outside the range
 * @throws ServiceError `malformed_plugin` if the version or the range is not valid semver
 */
async function checkVersions(file: string, { version, engine }: Manifest): Promise<string | undefined> {
  if (version === undefined && engine === undefined) return undefined;
  // Loads `semver` only if needed, because it would slow down every start and few plugins state versions.
  const { default: semver } = await import('semver');
  const refuse = (field: string, expected: string, got: string) =>
    malformed(file, `manifest.${field}: expected ${expected}, got ${JSON.stringify(got)}`);
  if (version !== undefined && semver.valid(version) === null)
    throw refuse('version', 'a semantic version such as "1.2.0"', version);
  if (engine === undefined) return undefined;
  if (semver.validRange(engine) === null)
    throw refuse('engine', 'a range of semantic versions such as "^2.0.0"', engine);
  if (semver.satisfies(PLUGIN_CONTRACT_VERSION, engine)) return undefined;
  return `it is written for version ${engine} of the plugin contract, but this server has ${PLUGIN_CONTRACT_VERSION}: it may not work; use a matching version of the plugin or of the server`;
}

/**
 * Selects the plugins that `names` lists, such as `token` or `chunker/token`, and all plugins that these use
 * directly or indirectly. A plugin may use any plugin of a kind, or any of `chooses`: if `names` lists some
 * of these, the others are left out. Chunkers with neither tokenizer nor embedding use the default tokenizer.
 *
 * @param broken names of broken plugins, which `names` may list without an error
 * @throws ServiceError `unknown_plugin`
 */
function selectPlugins(
  entries: readonly PluginEntry[],
  names: readonly string[],
  broken: readonly string[] = [],
): PluginEntry[] {
  if (names.length === 0) return [...entries];
  const selected = new Set<PluginEntry>();
  for (const name of names) {
    const named = entries.filter((entry) => entry.id === name || entry.manifest.name === name);
    if (named.length === 0 && !broken.includes(name)) {
      const known = entries.map((entry) => entry.id).join(', ');
      throw new ServiceError('unknown_plugin', { kind: 'plugin', name, known });
    }
    for (const entry of named) selected.add(entry);
  }
  const named = new Set(selected);
  // This loop also visits the plugins that it adds to the set.
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

/** Describes a plugin that cannot be loaded. Its kind is from the parent folder, otherwise the manifest. */
async function brokenFolder({ folder, origin }: FoundFolder, error: unknown): Promise<BrokenPlugin> {
  const file = findModule(folder, 'manifest') ?? folder;
  const kind = kindOfFolder(dirname(folder)) ?? (await kindIn(file));
  return { kind, name: basename(folder), origin, file, ...reasonsOf(error) };
}

/**
 * Creates the registry of the plugins that can be loaded together. A plugin is listed as broken if its name
 * or models conflict with another plugin, or if it depends on itself in a circle.
 */
function createTolerantRegistry(
  found: readonly PluginEntry[],
  unreadable: readonly BrokenPlugin[],
): Registry {
  const entries = [...found];
  const broken = [...unreadable];
  for (;;) {
    try {
      return createRegistry(entries, broken);
    } catch (error) {
      // If two plugins conflict, the error names the file of the second plugin.
      const at = entries.findLastIndex(
        ({ file }) => error instanceof ServiceError && file === error.values.file,
      );
      const [entry] = at === -1 ? [] : entries.splice(at, 1);
      if (entry === undefined) throw error;
      const { manifest, origin, file } = entry;
      broken.push({ kind: manifest.kind, name: manifest.name, origin, file, ...reasonsOf(error) });
    }
  }
}

async function kindIn(manifest: string): Promise<Kind | undefined> {
  const { default: data } = await importModule(manifest).catch(() => ({ default: undefined }));
  const { kind } = (data ?? {}) as { readonly kind?: unknown };
  return KINDS.find((one) => one === kind);
}

/** Why a plugin is broken: `reason` is for callers, without paths; `message` is for the operator. */
function reasonsOf(error: unknown): { readonly reason: string; readonly message: string } {
  const message = reasonOf(error);
  if (!(error instanceof ServiceError)) return { reason: 'it cannot be read', message };
  const { code, values } = error;
  if (code === 'duplicate_plugin')
    return { reason: `another ${values.kind} is named "${values.name}"`, message };
  if (code === 'cyclic_plugins')
    return { reason: `plugins depend on each other in a circle: ${values.circle}`, message };
  return { reason: String(values.shown ?? values.reason), message };
}

export function logPlugins({ all, broken }: Registry, log: Log): void {
  for (const { kind = 'unknown', name, file, reason, message = reason } of broken)
    log.warn({ plugin: `${kind}/${name}`, file, reason: message }, 'a plugin is broken');
  for (const { id, file, warning } of all) {
    if (warning === undefined) continue;
    const details = { plugin: id, folder: dirname(file), reason: warning };
    log.warn(details, 'a plugin is written for another version of the plugin contract');
  }
}
