import { dirname, join } from 'node:path';
import type { Manifest, PluginId } from '../../core/contracts/manifest.ts';
import { findMissing, type Probe } from '../../core/hosting/capability.ts';
import { createRegistry, type PluginEntry, type Registry } from '../../core/hosting/registry.ts';
import { DISK, type Disk } from './disk.ts';
import { findManifests, manifestOf } from './plugin-folders.ts';
import { createManifestReader } from './read-manifest.ts';
import { selectPlugins } from './selection.ts';

/** The folder of the plugins that come with the server. */
export const BUILT_IN_PLUGINS = join(import.meta.dirname, '../..', 'plugins');

type Environment = Readonly<Record<string, string | undefined>>;

export interface LoaderOptions {
  /** Folders to search: each holds plugin folders, directly or in folders of a kind (`chunkers/`). */
  readonly folders: readonly string[];
  /** Names of the plugins to load, as `--plugins` takes them; empty for all. */
  readonly only: readonly string[];
  readonly env: Environment;
}

/**
 * Finds the plugins and reads their manifests. Nothing else of a plugin is imported.
 *
 * @throws ServiceError `malformed_plugin`, `duplicate_plugin`, `cyclic_plugins` with the file and the reason
 */
export async function loadRegistry(
  { folders, only, env }: LoaderOptions,
  disk: Disk = DISK,
): Promise<Registry> {
  const found = await Promise.all(folders.map((folder) => findManifests(folder, disk)));
  return createRegistry(selectPlugins(await readEntries(found.flat(), env, disk), only));
}

/**
 * The plugin of one folder, with the plugins of a server that it uses. Another of its kind and name stays away.
 *
 * @throws ServiceError as `loadRegistry` does
 */
export async function loadOnePlugin(
  folder: string,
  { folders, env }: Omit<LoaderOptions, 'only'>,
  disk: Disk = DISK,
): Promise<{ readonly registry: Registry; readonly entry: PluginEntry }> {
  const own = await readEntry(manifestOf(folder, disk), createManifestReader(disk), env, disk);
  const found = await Promise.all(folders.map((other) => findManifests(other, disk)));
  const others = (await readEntries(found.flat(), env, disk)).filter(({ id }) => id !== own.id);
  const registry = createRegistry(selectPlugins([...others, own], [own.id]));
  return { registry, entry: registry.find(own.manifest.kind, own.manifest.name) ?? own };
}

function readEntries(files: readonly string[], env: Environment, disk: Disk): Promise<PluginEntry[]> {
  const read = createManifestReader(disk);
  return Promise.all(files.map((file) => readEntry(file, read, env, disk)));
}

async function readEntry(
  file: string,
  read: (file: string) => Promise<Manifest>,
  env: Environment,
  disk: Disk,
): Promise<PluginEntry> {
  const manifest = await read(file);
  const id: PluginId = `${manifest.kind}/${manifest.name}`;
  return { id, manifest, file, missing: findMissing(manifest, probeFrom(file, env, disk)) };
}

/** The part of the configuration that says which plugins there are. */
export interface PluginSettings {
  readonly plugins: readonly string[];
  readonly pluginsDir: readonly string[];
}

/** The plugins of a server: those that come with it and those of further folders, as it is configured. */
export function loadPlugins({ plugins, pluginsDir }: PluginSettings, env: Environment): Promise<Registry> {
  return loadRegistry({ folders: [BUILT_IN_PLUGINS, ...pluginsDir], only: plugins, env });
}

function probeFrom(manifestFile: string, env: Environment, disk: Disk): Probe {
  return {
    hasPackage: (name) => disk.hasPackage(name, manifestFile),
    hasEnv: (name) => (env[name] ?? '') !== '',
    hasFile: (path) => disk.exists(join(dirname(manifestFile), path)),
  };
}
