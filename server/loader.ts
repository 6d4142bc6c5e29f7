import { type Dirent, existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findMissing, type Probe } from '../core/capability.ts';
import type { Factory, Manifest, PluginId } from '../core/contracts.ts';
import { reasonOf, ServiceError } from '../core/errors.ts';
import { manifestSchema } from '../core/manifest.ts';
import { createRegistry, type PluginEntry, type Registry } from '../core/registry.ts';
import { selectPlugins } from './selection.ts';
import { checkSchema, createValidator, type Validate } from './validation.ts';

const EXTENSIONS = ['.ts', '.js', '.mjs'];

/** The folder of the plugins that come with the server. */
export const BUILT_IN_PLUGINS = join(import.meta.dirname, '..', 'plugins');

export interface LoaderOptions {
  /** Folders to search: each holds plugin folders, directly or in folders of a kind (`chunkers/`). */
  readonly folders: readonly string[];
  /** Names of the plugins to load, as `--plugins` takes them; empty for all. */
  readonly only: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Finds the plugins and reads their manifests. Nothing else of a plugin is imported.
 *
 * @throws ServiceError `malformed_plugin`, `duplicate_plugin`, `cyclic_plugins` with the file and the reason
 */
export async function loadRegistry({ folders, only, env }: LoaderOptions): Promise<Registry> {
  const found = await Promise.all(folders.map(findManifestFiles));
  const checkManifest = createValidator(manifestSchema);
  const entries = await Promise.all(
    found.flat().map(async (file): Promise<PluginEntry> => {
      const manifest = await readManifest(file, checkManifest);
      const id: PluginId = `${manifest.kind}/${manifest.name}`;
      return { id, manifest, file, missing: findMissing(manifest, probeFrom(file, env)) };
    }),
  );
  return createRegistry(selectPlugins(entries, only));
}

/**
 * Imports the factory of a plugin: the default export of the `index` beside its manifest.
 *
 * @throws ServiceError `plugin_failed`, without a path, because it is the answer to a request
 */
export async function importFactory({ file, manifest: { kind, name } }: PluginEntry): Promise<Factory> {
  const index = findModule(dirname(file), 'index') as string;
  const module = (await import(pathToFileURL(index).href)) as { default?: unknown };
  if (typeof module.default !== 'function') {
    const reason = 'the default export of its index is not a function';
    throw new ServiceError('plugin_failed', { kind, name, reason });
  }
  return module.default as Factory;
}

async function findManifestFiles(root: string): Promise<string[]> {
  const groups = await Promise.all(
    (await subfolders(root)).map(async (folder) => {
      const isPlugin = ['manifest', 'index'].some((name) => findModule(folder, name) !== undefined);
      return isPlugin ? [manifestOf(folder)] : (await subfolders(folder)).map(manifestOf);
    }),
  );
  return groups.flat();
}

function manifestOf(pluginFolder: string): string {
  const [manifest, index] = ['manifest', 'index'].map((name) => findModule(pluginFolder, name));
  if (manifest === undefined) throw malformed(pluginFolder, 'there is no manifest.ts or manifest.js in it');
  if (index === undefined) throw malformed(pluginFolder, 'there is no index.ts or index.js in it');
  return manifest;
}

async function subfolders(folder: string): Promise<string[]> {
  let entries: Dirent[];
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch (error) {
    throw malformed(folder, `the folder of plugins cannot be read: ${reasonOf(error)}`);
  }
  return entries
    .filter(
      (entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !/^\.|^node_modules$/.test(entry.name),
    )
    .map((entry) => join(folder, entry.name))
    .sort();
}

function findModule(folder: string, name: string): string | undefined {
  return EXTENSIONS.map((extension) => join(folder, name + extension)).find((file) => existsSync(file));
}

async function readManifest(file: string, check: Validate): Promise<Manifest> {
  let manifest: Manifest;
  try {
    const module = (await import(pathToFileURL(file).href)) as { default?: unknown };
    manifest = structuredClone(module.default) as Manifest;
    check(manifest, 'manifest.');
  } catch (error) {
    throw malformed(file, reasonOf(error).replace(/\.$/, ''), error);
  }
  if (manifest.name !== basename(dirname(file))) {
    throw malformed(file, `its name is "${manifest.name}", but its folder is "${basename(dirname(file))}"`);
  }
  try {
    if (manifest.options !== undefined) checkSchema(manifest.options);
  } catch (error) {
    throw malformed(file, `options: ${reasonOf(error)}`, error);
  }
  return manifest;
}

function probeFrom(manifestFile: string, env: LoaderOptions['env']): Probe {
  const folder = dirname(manifestFile);
  return {
    hasPackage: (name) => isInstalled(name, manifestFile) || isInstalled(name, import.meta.filename),
    hasEnv: (name) => (env[name] ?? '') !== '',
    hasFile: (path) => existsSync(join(folder, path)),
  };
}

function isInstalled(name: string, from: string): boolean {
  try {
    return findPackageJSON(name, pathToFileURL(from)) !== undefined;
  } catch {
    return false;
  }
}

function malformed(file: string, reason: string, cause?: unknown): ServiceError {
  const path = relative(process.cwd(), file);
  return new ServiceError('malformed_plugin', { file: path.startsWith('..') ? file : path, reason }, cause);
}
