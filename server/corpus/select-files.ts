import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { glob, isDynamicPattern } from 'tinyglobby';
import { ServiceError } from '../../core/errors.ts';
import { GitIgnores } from './git-ignores.ts';
import { unlessMissing } from './local/failures.ts';
import { isInside } from './local/paths.ts';
import { OUTPUT } from './shard.ts';
import type { Skip } from './skips.ts';
import { unreadable } from './unreadable.ts';

export interface SelectOptions {
  /** Whether names that begin with a dot are taken, which else have to be named. */
  readonly hidden?: boolean;
  /** Whether what `.gitignore` files name is taken too. */
  readonly ignored?: boolean;
  /** Called for each file or folder that is left out, but for those of git itself. */
  onSkipped?(skip: Skip): void;
}

/**
 * The files that are meant by files, folders and globs, relative to the root, each once and in the order of their UTF-8.
 * What `.gitignore` files leave out, and links that lead out of the root, are not among them; a file that is named itself is.
 *
 * @param root a folder that the arguments are relative to
 * @throws ServiceError `source_unreadable` naming what is not there, `path_outside`
 */
export async function selectFiles(
  root: string,
  args: readonly string[],
  { hidden = false, ignored = false, onSkipped = () => {} }: SelectOptions = {},
): Promise<readonly string[]> {
  const top = await realpath(root);
  const ignores = new GitIgnores(top, ignored);
  const selection: Selection = { root: top, hidden, ignores, files: new Set(), onSkipped };
  for (const arg of args) await select(arg, selection);
  return [...selection.files]
    .map((name) => ({ name, key: Buffer.from(name) }))
    .sort((a, b) => Buffer.compare(a.key, b.key))
    .map(({ name }) => name);
}

interface Selection {
  /** Real path. */
  readonly root: string;
  readonly hidden: boolean;
  readonly ignores: GitIgnores;
  readonly files: Set<string>;
  onSkipped(skip: Skip): void;
}

/** An argument is a path if there is such a thing, and else may be a glob. */
async function select(arg: string, selection: Selection): Promise<void> {
  const { root, files } = selection;
  const path = resolve(root, arg);
  const found = await unlessMissing(stat(path));
  if (found === undefined) {
    if (!isDynamicPattern(arg)) throw unreadable(arg, 'there is no such file or folder');
    return selectGlob(arg, selection);
  }
  const name = relative(root, path).replaceAll(sep, '/');
  const real = await realpath(path);
  if (!isInside(root, path) || !isInside(root, real)) {
    throw new ServiceError('path_outside', { path: arg, storage: root });
  }
  if (found.isFile()) files.add(name);
  else if (found.isDirectory()) await selectFolder(name, selection);
  else throw unreadable(arg, 'it is neither a file nor a folder');
}

/** A glob matches no links, neither to files nor to folders. */
async function selectGlob(pattern: string, selection: Selection): Promise<void> {
  const { root, hidden, files } = selection;
  const names = await glob(pattern, {
    cwd: root,
    dot: hidden,
    followSymbolicLinks: false,
    expandDirectories: false,
    ignore: ['**/.git/**'],
  });
  if (names.some((name) => name.startsWith('../'))) {
    throw new ServiceError('path_outside', { path: pattern, storage: root });
  }
  for (const name of names) if (!(await isIgnored(name, false, selection))) files.add(name);
  if (names.length === 0) throw unreadable(pattern, 'no file matches it');
}

/** Takes the files below a folder. Links to folders are not followed, as git does not follow them. */
async function selectFolder(folder: string, selection: Selection): Promise<void> {
  const { root, files } = selection;
  const entries: Dirent[] = (await unlessMissing(readdir(join(root, folder), { withFileTypes: true }))) ?? [];
  for (const entry of entries) {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
    const isFolder = entry.isDirectory();
    if (
      isHidden(name, selection) ||
      isOutput(entry, name, selection) ||
      (await isIgnored(name, isFolder, selection))
    )
      continue;
    if (isFolder) await selectFolder(name, selection);
    else if (entry.isFile() || (entry.isSymbolicLink() && (await isFile(name, selection)))) files.add(name);
  }
}

/** Git's own: nobody means them. */
const GIT = /(^|\/)\.git(ignore)?$/;

function isHidden(name: string, { hidden, onSkipped }: Selection): boolean {
  if (hidden || !/(^|\/)\.[^/]*$/.test(name)) return false;
  const detail = 'Its name begins with a dot: name it to have it read.';
  if (!GIT.test(name))
    onSkipped({
      place: { source: name },
      skipped: 'ignored',
      detail,
      brief: 'have a name with a dot in front',
    });
  return true;
}

/** What a server wrote there is no source of its own. */
function isOutput(entry: Dirent, name: string, { onSkipped }: Selection): boolean {
  if (entry.name !== OUTPUT || !entry.isDirectory()) return false;
  const detail = 'A server writes its jobs there: name it to have it read.';
  onSkipped({ place: { source: `${name}/` }, skipped: 'ignored', detail, brief: 'are the output of jobs' });
  return true;
}

async function isIgnored(
  name: string,
  isFolder: boolean,
  { ignores, onSkipped }: Selection,
): Promise<boolean> {
  const rule = await ignores.ruleFor(name, isFolder);
  if (rule === undefined) return false;
  const source = isFolder ? `${name}/` : name;
  const detail = `The rule ${rule} leaves it out; --no-ignore takes it.`;
  if (!GIT.test(name))
    onSkipped({ place: { source }, skipped: 'ignored', detail, brief: 'are left out by .gitignore' });
  return true;
}

/** Whether this is a file that is in the root by its real path. */
async function isFile(name: string, { root }: Selection): Promise<boolean> {
  const real = await unlessMissing(realpath(join(root, name)));
  if (real === undefined || !isInside(root, real)) return false;
  return (await unlessMissing(stat(real)))?.isFile() ?? false;
}
