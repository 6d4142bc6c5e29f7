import { constants } from 'node:fs';
import { access, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { glob, isDynamicPattern } from 'tinyglobby';
import { ServiceError } from '../../core/errors.ts';
import { OUTPUT, type Skip } from './shard.ts';
import { type Entry, look, readEntries } from './storage/local/list-folder.ts';
import { isForbidden, isInside, unlessMissing } from './storage/local/paths.ts';
import { type SkipNote, UNREAD, unreadable } from './storage/storage.ts';

export interface SelectOptions {
  /** Whether to include files that `.gitignore` excludes. */
  readonly ignored?: boolean;
  onSkipped?(skip: Skip): void;
}

/**
 * Selects the files of paths, folders and globs, each file once, in the order of their names in UTF-8.
 * Excludes hidden names, links outside the root, and what `.gitignore` excludes. Always includes a file that
 * an argument names. Named files and folders must be readable; unreadable entries in folders are left out.
 * Memory holds one folder at a time with its parents, and the files of globs.
 *
 * @param root folder that the arguments are relative to
 * @throws ServiceError `source_unreadable` with the name of a missing file, `path_outside`; before the first file
 */
export async function* selectFiles(
  root: string,
  args: readonly string[],
  { ignored = false, onSkipped = () => {} }: SelectOptions = {},
): AsyncGenerator<string> {
  const top = await realpath(root);
  const ignores = new GitIgnores(top, ignored);
  const selection: Selection = { root: top, ignores, onSkipped };
  const selected: AsyncIterator<string>[] = [];
  for (const arg of args) selected.push(await select(arg, selection));
  yield* merged(selected);
}

interface Selection extends Required<Omit<SelectOptions, 'ignored'>> {
  readonly root: string;
  readonly ignores: GitIgnores;
}

/** Merges names that are in order, each once. */
async function* merged(all: readonly AsyncIterator<string>[]): AsyncGenerator<string> {
  const heads = await Promise.all(
    all.map(async (names) => ({ names, next: await names.next(), key: undefined })),
  );
  for (;;) {
    const open = heads.filter(({ next }) => next.done !== true);
    if (open.length === 0) return;
    const [first] = open.length === 1 ? open : open.toSorted((a, b) => byUtf8(a.next.value, b.next.value));
    const name: string = first?.next.value;
    yield name;
    for (const head of open) if (head.next.value === name) head.next = await head.names.next();
  }
}

const SURROGATE = /[\ud800-\udfff]/;

function byUtf8(a: string, b: string): number {
  if (SURROGATE.test(a) || SURROGATE.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Treats an argument as a path if the path exists, otherwise as a glob. */
async function select(arg: string, selection: Selection): Promise<AsyncGenerator<string>> {
  const { root } = selection;
  const path = resolve(root, arg);
  const found = await unlessMissing(allowed(stat(path), arg));
  if (found === undefined) {
    if (isUndecodable(arg)) {
      leaveOut(arg, UNREAD.encoding, selection);
      return listed([]);
    }
    if (!isDynamicPattern(arg)) throw unreadable(arg, 'there is no such file or folder');
    return listed(await selectGlob(arg, selection));
  }
  const name = relative(root, path).replaceAll(sep, '/');
  const real = await realpath(path);
  if (!isInside(root, path) || !isInside(root, real)) {
    throw new ServiceError('path_outside', { path: arg, storage: root });
  }
  if (!found.isFile() && !found.isDirectory()) throw unreadable(arg, 'it is neither a file nor a folder');
  await allowed(access(path, constants.R_OK), arg);
  return found.isFile() ? listed([name]) : selectFolder(name, selection);
}

async function* listed(names: readonly string[]): AsyncGenerator<string> {
  yield* names;
}

/** @throws ServiceError `source_unreadable` if permission is missing for a file that an argument names */
function allowed<T>(work: Promise<T>, arg: string): Promise<T> {
  return work.catch((error: unknown) => {
    throw isForbidden(error) ? unreadable(arg, 'there is no permission to read it: grant it', error) : error;
  });
}

/** Whether the name was not UTF-8. Node replaces invalid bytes in names, so the file cannot be opened. */
const isUndecodable = (name: string): boolean => name.includes('\ufffd');

/** Globs do not match links to files or folders. */
async function selectGlob(pattern: string, selection: Selection): Promise<readonly string[]> {
  const { root } = selection;
  const names = await glob(pattern, {
    cwd: root,
    followSymbolicLinks: false,
    expandDirectories: false,
    ignore: ['**/.git/**'],
  });
  if (names.some((name) => name.startsWith('../'))) {
    throw new ServiceError('path_outside', { path: pattern, storage: root });
  }
  const taken: string[] = [];
  for (const name of names) {
    if (isUndecodable(name) && (await unlessMissing(stat(join(root, name)))) === undefined)
      leaveOut(name, UNREAD.encoding, selection);
    else if (!isIgnored(name, false, await selection.ignores.folderOf(name), selection)) taken.push(name);
  }
  if (names.length === 0) throw unreadable(pattern, 'no file matches');
  return taken.sort(byUtf8);
}

async function* selectFolder(folder: string, selection: Selection): AsyncGenerator<string> {
  const path = join(selection.root, folder);
  const entries = await readEntries(path);
  if (entries === undefined) leaveOut(`${folder}/`, UNREAD.forbidden, selection);
  const rules = await selection.ignores.folder(folder);
  for (const entry of inOrder(entries ?? [])) {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
    const isFolder = entry.dirent.isDirectory();
    if (entry.unread !== undefined) leaveOut(name, entry.unread, selection);
    else if (isOutput(name, isFolder, selection) || isIgnored(name, isFolder, rules, selection)) continue;
    else if (isFolder) yield* selectFolder(name, selection);
    else if (entry.dirent.isFile() || (await isLinkedFile(name, path, entry, selection))) yield name;
  }
}

/** Sorts entries. A folder `a` is sorted as `a/`, and therefore comes after a file `a.txt`. */
function inOrder(entries: readonly Entry[]): readonly Entry[] {
  const keyed = entries.map((entry) => ({
    entry,
    key: entry.dirent.isDirectory() ? `${entry.name}/` : entry.name,
  }));
  return keyed.sort((a, b) => byUtf8(a.key, b.key)).map(({ entry }) => entry);
}

async function isLinkedFile(
  name: string,
  folder: string,
  entry: Entry,
  selection: Selection,
): Promise<boolean> {
  const found = await look(selection.root, folder, entry);
  if (found === undefined) return false;
  if ('unread' in found) leaveOut(name, found.unread, selection);
  else if (found.stats.isFile()) return true;
  else leaveOut(name, UNREAD.linkedFolder, selection);
  return false;
}

function isOutput(name: string, isFolder: boolean, selection: Selection): boolean {
  if (!isFolder || basename(name) !== OUTPUT) return false;
  return leaveOut(`${name}/`, OWN_OUTPUT, selection);
}

const OWN_OUTPUT: SkipNote = {
  skipped: 'ignored',
  detail: 'It is the output of jobs: name it to include it.',
  brief: 'are the output of jobs',
};

function isIgnored(name: string, isFolder: boolean, folder: Folder, selection: Selection): boolean {
  const rule = folder.ignoredBy ?? ruleOf(name, isFolder, folder.rules);
  if (rule === undefined) return false;
  const detail = `The rule ${rule} excludes it; --no-ignore includes it.`;
  const note: SkipNote = { skipped: 'ignored', detail, brief: 'are excluded by .gitignore' };
  return leaveOut(isFolder ? `${name}/` : name, note, selection);
}

function leaveOut(source: string, note: SkipNote, { onSkipped }: Selection): true {
  onSkipped({ place: { source }, ...note });
  return true;
}

interface Rules {
  /** The folder that contains the file, with a trailing `/`; `''` is the root. */
  readonly folder: string;
  readonly lines: readonly string[];
  readonly ignore: Ignore;
}

interface Folder {
  readonly ignoredBy?: string | undefined;
  /** The rules that apply in the folder, those of the nearest folder first. */
  readonly rules: readonly Rules[];
}

class GitIgnores {
  readonly #root: string;
  readonly #isOff: boolean;
  readonly #folders = new Map<string, Promise<Folder>>();

  constructor(root: string, isOff: boolean) {
    this.#root = root;
    this.#isOff = isOff;
  }

  /** The rules for the entries of a folder. @param path relative to the root, with `/` between folders */
  folder(path: string): Promise<Folder> {
    if (this.#isOff) return OFF;
    const known = this.#folders.get(path) ?? this.#read(path);
    this.#folders.set(path, known);
    return known;
  }

  folderOf(path: string): Promise<Folder> {
    const parent = dirname(path);
    return this.folder(parent === '.' ? '' : parent);
  }

  async #read(path: string): Promise<Folder> {
    const above = path === '' ? NOTHING : await this.#parentOf(path);
    if (above.ignoredBy !== undefined) return above;
    const text = await unlessMissing(readFile(join(this.#root, path, '.gitignore'), 'utf8'));
    if (text === undefined) return above;
    const folder = path === '' ? '' : `${path}/`;
    return { rules: [rulesOf(folder, text.split(/\r?\n/)), ...above.rules] };
  }

  /** Applies the parent's rules to this folder. Omits rules that match the folder but are overruled. */
  async #parentOf(path: string): Promise<Folder> {
    const around = await this.folderOf(path);
    const ignoredBy = around.ignoredBy ?? ruleOf(path, true, around.rules);
    if (ignoredBy !== undefined) return { ignoredBy, rules: [] };
    return { rules: around.rules.map((one) => withoutRulesOf(one, path)) };
  }
}

function rulesOf(folder: string, lines: readonly string[]): Rules {
  return { folder, lines, ignore: ignore({ ignorecase: false }).add([...lines]) };
}

function withoutRulesOf(rules: Rules, path: string): Rules {
  if (!verdict(rules, path, true).ignored) return rules;
  const { folder, lines } = rules;
  return rulesOf(
    folder,
    lines.filter((line) => !verdict(rulesOf(folder, [line]), path, true).ignored),
  );
}

const NOTHING: Folder = { rules: [] };
const OFF = Promise.resolve(NOTHING);

/** The rule that excludes a path; undefined if no rule does. The nearest matching `.gitignore` decides. */
function ruleOf(path: string, isFolder: boolean, rules: readonly Rules[]): string | undefined {
  if (path === '.git' || path.endsWith('/.git')) return '.git';
  for (const one of rules) {
    const { ignored, unignored, rule } = verdict(one, path, isFolder);
    if (ignored) return `${rule?.pattern ?? 'a rule'} in ${one.folder}.gitignore`;
    if (unignored) return undefined;
  }
  return undefined;
}

function verdict({ folder, ignore }: Rules, path: string, isFolder: boolean) {
  return ignore.test(path.slice(folder.length) + (isFolder ? '/' : ''));
}
