import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PluginId } from '../../../core/contracts/manifest.ts';
import type { BrokenPlugin, PluginOrigin } from '../../../core/hosting/broken.ts';
import { findMissing, type Probe } from '../../../core/hosting/capability.ts';
import { createRegistry, type PluginEntry, type Registry } from '../../../core/hosting/registry.ts';
import { hasPackage } from './modules.ts';
import { type FoundFolder, findInFolder, findInPackage, isInPackages, manifestOf } from './plugin-folders.ts';
import { checkVersions } from './plugin-versions.ts';
import { createManifestReader } from './read-manifest.ts';
import { selectPlugins } from './selection.ts';
import { brokenFolder, createTolerantRegistry } from './tolerate-broken.ts';

/** The folder of the plugins that come with the server. */
export const BUILT_IN_PLUGINS = join(import.meta.dirname, '../../..', 'plugins');

type Environment = Readonly<Record<string, string | undefined>>;

export interface LoaderOptions {
  /** Folders to search: each holds plugin folders, directly or in folders of a kind (`chunkers/`). */
  readonly folders: readonly string[];
  /** Names of npm packages that hold plugins. */
  readonly packages?: readonly string[];
  /** Names of the plugins to load, as `--plugins` takes them; empty for all. */
  readonly only: readonly string[];
  readonly env: Environment;
  /** Whether a broken plugin is listed as such; otherwise it is an error. */
  readonly toleratesBroken?: boolean;
}

/**
 * Finds the plugins and reads their manifests. Nothing else of a plugin is imported.
 *
 * @throws ServiceError `malformed_plugin`, `duplicate_plugin`, `cyclic_plugins` with the file and the reason, and
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
  const read = createEntryReader(env);
  if (!toleratesBroken) return createRegistry(selectPlugins(await Promise.all(found.flat().map(read)), only));
  const results = await Promise.all(
    found.flat().map((one) => read(one).catch((error: unknown) => brokenFolder(one, error))),
  );
  const entries = results.filter((result): result is PluginEntry => 'id' in result);
  const broken = results.filter((result): result is BrokenPlugin => !('id' in result));
  const names = broken.flatMap(({ kind, name }) => [name, `${kind}/${name}`]);
  return createTolerantRegistry(selectPlugins(entries, only, names), broken);
}

/**
 * The plugin of one folder, with the plugins of a server that it uses. Another of its kind and name stays away.
 *
 * @throws ServiceError as `loadRegistry` does
 */
export async function loadOnePlugin(
  folder: string,
  { folders, packages = [], env }: Pick<LoaderOptions, 'folders' | 'packages' | 'env'>,
): Promise<OnePlugin> {
  const read = createEntryReader(env);
  const own = await read({ folder, origin: isInPackages(folder) ? 'package' : 'folder' });
  const found = await findIn(folders, packages);
  const others = (await Promise.all(found.flat().map(read))).filter(({ id }) => id !== own.id);
  const registry = createRegistry(selectPlugins([...others, own], [own.id]));
  const entry = registry.find(own.manifest.kind, own.manifest.name) ?? own;
  return { registry, entry, others: others.map(({ id }) => id) };
}

interface OnePlugin {
  readonly registry: Registry;
  readonly entry: PluginEntry;
  /** All other plugins that it could use. */
  readonly others: readonly PluginId[];
}

function findIn(folders: readonly string[], packages: readonly string[]): Promise<FoundFolder[][]> {
  return Promise.all([
    ...folders.map((folder) => findInFolder(folder, originOf(folder))),
    ...packages.map((name) => findInPackage(name)),
  ]);
}

/** The part of the configuration that says which plugins there are. */
export interface PluginSettings {
  readonly plugins: readonly string[];
  readonly pluginsDir: readonly string[];
  readonly pluginsFrom: readonly string[];
  readonly tolerateBrokenPlugins: boolean;
}

/** The plugins of a server: those that come with it, and those of further folders and packages, as it is configured. */
export function loadPlugins(settings: PluginSettings, env: Environment): Promise<Registry> {
  return loadRegistry({
    folders: [BUILT_IN_PLUGINS, ...settings.pluginsDir],
    packages: settings.pluginsFrom,
    only: settings.plugins,
    env,
    toleratesBroken: settings.tolerateBrokenPlugins,
  });
}

const originOf = (folder: string): PluginOrigin => (folder === BUILT_IN_PLUGINS ? 'builtin' : 'folder');

/** Makes a function that reads a plugin; it throws ServiceError `malformed_plugin`. */
function createEntryReader(env: Environment): (found: FoundFolder) => Promise<PluginEntry> {
  const read = createManifestReader();
  return async ({ folder, origin, problem }) => {
    if (problem !== undefined) throw problem;
    const file = manifestOf(folder);
    // A package arranges its folders as it likes.
    const manifest = await read(file, origin !== 'package');
    const warning = await checkVersions(file, manifest);
    const id: PluginId = `${manifest.kind}/${manifest.name}`;
    return {
      id,
      manifest,
      file,
      origin,
      warning,
      missing: findMissing(manifest, probeFrom(file, env)),
    };
  };
}

function probeFrom(manifestFile: string, env: Environment): Probe {
  return {
    hasPackage: (name) => hasPackage(name, manifestFile),
    hasEnv: (name) => (env[name] ?? '') !== '',
    hasFile: (path) => existsSync(join(dirname(manifestFile), path)),
  };
}
