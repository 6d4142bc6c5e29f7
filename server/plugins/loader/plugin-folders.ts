import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { KINDS, type Kind } from '../../../core/contracts/manifest.ts';
import { reasonOf, ServiceError } from '../../../core/errors.ts';
import type { PluginOrigin } from '../../../core/hosting/registry.ts';
import { packageFolder } from './modules.ts';

export interface FoundFolder {
  readonly folder: string;
  readonly origin: PluginOrigin;
  /** Why the folder cannot be loaded; undefined if it can. */
  readonly problem?: ServiceError;
}

/**
 * Finds plugin folders directly in `root`, or in its subfolders such as `chunkers/`.
 *
 * @throws ServiceError `malformed_plugin`
 */
export async function findInFolder(root: string, origin: PluginOrigin): Promise<FoundFolder[]> {
  const folders = (await subfolders(root)).filter((folder) => !isToolkit(folder));
  const own = findModule(root, 'manifest');
  if (own !== undefined)
    throw malformed(
      own,
      `this is a plugin itself; use the folder that contains it, ${dirname(resolve(root))}`,
    );
  const found = await Promise.all(
    folders.map(async (folder): Promise<FoundFolder[]> => {
      const isPlugin = ['manifest', 'index'].some((name) => findModule(folder, name) !== undefined);
      if (isPlugin) return [{ folder, origin }];
      return subfolders(folder).then(
        (inner) => inner.map((plugin) => ({ folder: plugin, origin })),
        (problem: ServiceError) => [{ folder, origin, problem }],
      );
    }),
  );
  return found.flat();
}

/**
 * Finds the plugin folders of a package: its root, its subfolders with a manifest, and all folders in
 * subfolders such as `chunkers/`. Ignores other folders.
 *
 * @throws ServiceError `missing_plugin_package`, `malformed_plugin`
 */
export async function findInPackage(name: string): Promise<FoundFolder[]> {
  const root = packageFolder(name);
  if (root === undefined) throw new ServiceError('missing_plugin_package', { name, folder: process.cwd() });
  const hasManifest = (folder: string) => findModule(folder, 'manifest') !== undefined;
  if (hasManifest(root)) return [{ folder: root, origin: 'package' }];
  const folders = await subfolders(root);
  const ofKinds = folders.filter((folder) => kindOfFolder(folder) !== undefined);
  const inner = await Promise.all(ofKinds.map((folder) => subfolders(folder)));
  const found = [...folders.filter(hasManifest), ...inner.flat()];
  if (found.length > 0) return found.map((folder) => ({ folder, origin: 'package' }));
  throw malformed(
    root,
    `the package ${name} has no plugin: neither manifest.js and index.js, nor a folder with them, nor a folder such as chunkers/ with plugins`,
  );
}

/** Whether a folder is not a plugin but has code that plugins share, such as `plugins/toolkit/`. */
function isToolkit(folder: string): boolean {
  const has = (name: string) => findModule(folder, name) !== undefined;
  return basename(folder) === 'toolkit' && has('index') && !has('manifest');
}

export function kindOfFolder(folder: string): Kind | undefined {
  return KINDS.find((kind) => basename(folder) === folderOfKind(kind));
}

export function folderOfKind(kind: Kind): string {
  return `${kind.replace(/y$/, 'ie')}s`;
}

const EXTENSIONS = ['.ts', '.js', '.mjs'];

/** Whether a path is below `node_modules`, where Node cannot run TypeScript. */
export function isInPackages(path: string): boolean {
  return /[\\/]node_modules[\\/]/.test(path);
}

/** The file of a module, in TypeScript or JavaScript. Below `node_modules`, JavaScript is preferred. */
export function findModule(folder: string, name: string): string | undefined {
  const extensions = isInPackages(folder) ? EXTENSIONS.toReversed() : EXTENSIONS;
  return extensions.map((extension) => join(folder, name + extension)).find((file) => existsSync(file));
}

/** The path of a plugin's manifest. @throws ServiceError `malformed_plugin` without a manifest or index */
export function manifestOf(pluginFolder: string): string {
  const manifest = findModule(pluginFolder, 'manifest');
  const index = findModule(pluginFolder, 'index');
  if (manifest === undefined) throw malformed(pluginFolder, `it has no ${anyOf('manifest')}`);
  if (index === undefined) throw malformed(pluginFolder, `it has no ${anyOf('index')}`);
  for (const file of [manifest, index]) {
    if (isInPackages(file) && file.endsWith('.ts')) throw malformed(file, NO_TYPESCRIPT);
  }
  return manifest;
}

const NO_TYPESCRIPT =
  'it is TypeScript, and Node strips no types below node_modules: use a version of the package that ships JavaScript, or ask its author for one';

/** The error about a malformed plugin. The error names the file relative to the working directory. */
export function malformed(file: string, reason: string, more: MalformedDetails = {}): ServiceError {
  const { cause, shown = reason } = more;
  const path = relative(process.cwd(), file);
  const values = { file: path.startsWith('..') ? file : path, reason, shown };
  return new ServiceError('malformed_plugin', values, cause);
}

interface MalformedDetails {
  readonly cause?: unknown;
  /** The reason that callers see; default the full reason. Required if the full reason may contain paths. */
  readonly shown?: string;
}

async function subfolders(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .filter(({ name }) => !/^\.|^node_modules$/.test(name))
      .map(({ name }) => join(folder, name))
      .sort();
  } catch (cause) {
    const shown = 'its folder cannot be read';
    throw malformed(folder, `the folder of plugins cannot be read: ${reasonOf(cause)}`, { cause, shown });
  }
}

function anyOf(name: string): string {
  const files = EXTENSIONS.map((extension) => name + extension);
  return `${files.slice(0, -1).join(', ')} or ${files.at(-1)}`;
}
