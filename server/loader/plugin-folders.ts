import { basename, dirname, join, relative, resolve } from 'node:path';
import { reasonOf, ServiceError } from '../../core/errors.ts';
import type { Disk } from './disk.ts';

const EXTENSIONS = ['.ts', '.js', '.mjs'];

/**
 * The manifests of the plugins in a folder, which stand in it directly or in folders of a kind (`chunkers/`).
 *
 * @throws ServiceError `malformed_plugin`
 */
export async function findManifests(root: string, disk: Disk): Promise<string[]> {
  const folders = await pluginFolders(root, disk);
  const own = findModule(root, 'manifest', disk);
  if (own !== undefined)
    throw malformed(
      own,
      `this is a plugin itself; give the folder that it stands in, ${dirname(resolve(root))}`,
    );
  const manifests = await Promise.all(
    folders.map(async (folder) => {
      const isPlugin = ['manifest', 'index'].some((name) => findModule(folder, name, disk) !== undefined);
      const plugins = isPlugin ? [folder] : await pluginFolders(folder, disk);
      return plugins.map((plugin) => manifestOf(plugin, disk));
    }),
  );
  return manifests.flat();
}

/** The file of a module in a folder, whatever it is written in. */
export function findModule(folder: string, name: string, disk: Disk): string | undefined {
  return EXTENSIONS.map((extension) => join(folder, name + extension)).find((file) => disk.exists(file));
}

/** The error of a plugin that stops the start, with the file as seen from the working directory. */
export function malformed(file: string, reason: string, cause?: unknown): ServiceError {
  const path = relative(process.cwd(), file);
  return new ServiceError('malformed_plugin', { file: path.startsWith('..') ? file : path, reason }, cause);
}

async function pluginFolders(folder: string, disk: Disk): Promise<string[]> {
  try {
    const folders = await disk.subfolders(folder);
    return folders.filter((path) => !/^\.|^node_modules$/.test(basename(path)));
  } catch (error) {
    throw malformed(folder, `the folder of plugins cannot be read: ${reasonOf(error)}`);
  }
}

/** The manifest in the folder of a plugin. @throws ServiceError `malformed_plugin` if it or the index is not there */
export function manifestOf(pluginFolder: string, disk: Disk): string {
  const [manifest, index] = ['manifest', 'index'].map((name) => findModule(pluginFolder, name, disk));
  if (manifest === undefined) throw malformed(pluginFolder, `there is no ${anyOf('manifest')} in it`);
  if (index === undefined) throw malformed(pluginFolder, `there is no ${anyOf('index')} in it`);
  return manifest;
}

/** `index.ts, index.js or index.mjs`. */
function anyOf(name: string): string {
  const files = EXTENSIONS.map((extension) => name + extension);
  return `${files.slice(0, -1).join(', ')} or ${files.at(-1)}`;
}
