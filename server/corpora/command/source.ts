import { dirname, join, relative, resolve, sep } from 'node:path';
import { UsageError } from '../../cli/errors.ts';
import type { ServerCradle } from '../../container.ts';
import type { JobSpec } from '../jobs/spec.ts';
import { formatOf, planShards } from '../plan-shards.ts';
import { selectFiles } from '../select-files.ts';
import type { ShardRange, Skip, SourceDocument } from '../shard.ts';
import { createLocalFolder } from '../storage/local/folder.ts';
import { isInside } from '../storage/local/paths.ts';
import type { SourceStorage, StoredFile } from '../storage/storage.ts';
import { findFile, unseenFile } from '../unseen-files.ts';
import type { ChunkFlags } from './flags.ts';
import { readRange } from './read-range.ts';

export interface CorpusSource {
  readonly storage: SourceStorage;
  /** The first files of the source, or all; undefined for standard input. */
  readonly files: readonly StoredFile[] | undefined;
  /** The other files, which can be read once. Those that are whole documents are `unseenFile`s. */
  readonly others: AsyncIterable<StoredFile>;
  /** Total bytes of the files; undefined for standard input, and if there are `others`. */
  readonly total: number | undefined;
  /** Grows while `others` are read. */
  readonly skipped: readonly Skip[];
}

const STDIN = '-';

/** Files that are looked at before the work begins. */
const FIRST = 1000;
/** Files that are looked at at a time. */
const TOGETHER = 32;

interface SourceOptions extends Pick<ChunkFlags, 'root' | 'ignore' | 'format'> {
  /** Whether all files are looked at before the work begins, so that there are no `others`. */
  readonly isWhole: boolean;
  /** Output files and folders of the command, which are not read as input. */
  readonly written: readonly (string | undefined)[];
}

/** @throws UsageError; ServiceError if a path does not exist */
export async function openSource(
  { root, ignore, format, isWhole, written: output }: SourceOptions,
  paths: readonly string[],
): Promise<CorpusSource> {
  if (paths.includes(STDIN)) {
    if (paths.length > 1) throw new UsageError('-: standard input cannot be combined with other paths');
    return { storage: standardInput(), files: undefined, others: none(), total: undefined, skipped: [] };
  }
  const folder = root === undefined ? commonRoot(paths) : resolve(root);
  const storage = createLocalFolder(folder);
  const relatives = paths.map((path) => relative(folder, resolve(path)) || '.');
  const skipped: Skip[] = [];
  const onSkipped = (skip: Skip) => skipped.push(skip);
  const names = selectFiles(folder, relatives, { ignored: !ignore, onSkipped });
  const first = await names.next();
  if (first.done && ignore && !(await selectFiles(folder, relatives, { ignored: true }).next()).done) {
    throw new UsageError(`${paths.join(', ')}: .gitignore excludes all files; --no-ignore includes them`);
  }
  const written = output.flatMap((path) => (path === undefined ? [] : resolve(path)));
  const isRead = (name: string) => !written.some((path) => isInside(path, join(folder, name)));
  const read = first.done ? none<string>() : filtered(first.value, names, isRead);
  const files: StoredFile[] = [];
  let isOver = false;
  while (!isOver && (isWhole || files.length < FIRST)) {
    const some = await take(read, TOGETHER);
    isOver = some.length < TOGETHER;
    for (const file of await Promise.all(some.map((name) => findFile(storage, name)))) {
      if (file?.unread !== undefined) skipped.push({ place: { source: file.name }, ...file.unread });
      else if (file !== undefined) files.push(file);
    }
  }
  if (!isOver) return { storage, files, others: othersOf(read, storage, format), total: undefined, skipped };
  const total = files.reduce((sum, { size }) => sum + size, 0);
  return { storage, files, others: none(), total, skipped };
}

async function* none<T>(): AsyncGenerator<T> {}

async function* filtered(
  first: string,
  rest: AsyncIterable<string>,
  isRead: (name: string) => boolean,
): AsyncGenerator<string> {
  if (isRead(first)) yield first;
  for await (const name of rest) if (isRead(name)) yield name;
}

async function take<T>(all: AsyncIterator<T>, count: number): Promise<T[]> {
  const taken: T[] = [];
  while (taken.length < count) {
    const { done, value } = await all.next();
    if (done) break;
    taken.push(value);
  }
  return taken;
}

async function* othersOf(
  names: AsyncIterable<string>,
  storage: SourceStorage,
  format: JobSpec['source']['format'],
): AsyncGenerator<StoredFile> {
  for await (const name of names) {
    const file = isDocument({ name }, format) ? unseenFile(name) : await findFile(storage, name);
    if (file !== undefined) yield file;
  }
}

/** All files of a source. @param source whose `others` were not read yet */
export async function* filesOf({ files = [], others }: CorpusSource): AsyncGenerator<StoredFile> {
  yield* files;
  yield* others;
}

function commonRoot(paths: readonly string[]): string {
  let root = resolve('.');
  while (paths.some((path) => relative(root, resolve(path)).split(sep)[0] === '..')) root = dirname(root);
  return root;
}

export async function* linesOf(
  source: CorpusSource,
  spec: JobSpec,
  cradle: ServerCradle,
  signal: AbortSignal,
  onSkipped: (skip: Skip) => void,
): AsyncGenerator<readonly SourceDocument[]> {
  const { storage, files } = source;
  const isLive = files === undefined;
  if (isLive) signal.addEventListener('abort', () => process.stdin.destroy(), { once: true });
  const limit = cradle.config.maxBodyBytes;
  const options = { storage, spec, limit, cradle, signal, isLive, onSkipped };
  for await (const range of rangesOf(source, spec)) yield* readRange(range, options);
}

async function* rangesOf(corpus: CorpusSource, { source }: JobSpec): AsyncGenerator<ShardRange> {
  if (corpus.files !== undefined) {
    yield* planShards(corpus.storage, { files: filesOf(corpus), format: source.format, isInOrder: true });
    return;
  }
  const format = source.format === 'auto' ? 'jsonl' : source.format;
  if (format === 'parquet') throw new UsageError('-: Parquet cannot be read from standard input');
  // For progress, a single document counts once it has been read. A file of lines counts line by line.
  const file = format === 'files' ? { ...INPUT, size: 0 } : INPUT;
  yield { format, files: [file], bytes: 0 };
}

export function isDocument({ name }: Pick<StoredFile, 'name'>, format: JobSpec['source']['format']): boolean {
  return (format === 'auto' ? formatOf(name) : format) === 'files';
}

const INPUT: StoredFile = { name: STDIN, size: Number.MAX_SAFE_INTEGER, version: '' };

function standardInput(): SourceStorage {
  return {
    label: 'standard input',
    async *list() {
      yield INPUT;
    },
    find: async () => INPUT,
    read: () => process.stdin,
  };
}
