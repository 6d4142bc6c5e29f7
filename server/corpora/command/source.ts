import { dirname, join, relative, resolve, sep } from 'node:path';
import { ServiceError } from '../../../core/errors.ts';
import { UsageError } from '../../cli/errors.ts';
import { inOwnTerms } from '../../cli/own-terms.ts';
import type { ServerCradle } from '../../container.ts';
import type { JobSpec } from '../jobs/spec.ts';
import { formatOf, planShards } from '../plan-shards.ts';
import { decodeWith, readDocuments } from '../read-documents.ts';
import { selectFiles } from '../select-files.ts';
import type { ShardRange, Skip, SourceDocument } from '../shard.ts';
import { createLocalFolder } from '../storage/local/folder.ts';
import { isForbidden, isInside } from '../storage/local/paths.ts';
import { type SourceStorage, type StoredFile, UNREAD, unreadFile } from '../storage/storage.ts';
import type { ChunkFlags } from './flags.ts';

export interface CorpusSource {
  readonly storage: SourceStorage;
  /** The files of the source; undefined for standard input. */
  readonly files: readonly StoredFile[] | undefined;
  /** Total bytes of the files; undefined for standard input. */
  readonly total: number | undefined;
  readonly skipped: readonly Skip[];
}

const STDIN = '-';

interface SourceOptions extends Pick<ChunkFlags, 'root' | 'ignore'> {
  /** Output files and folders of the command, which are not read as input. */
  readonly written: readonly (string | undefined)[];
}

/** @throws UsageError; ServiceError if a path does not exist */
export async function openSource(
  { root, ignore, written: output }: SourceOptions,
  paths: readonly string[],
): Promise<CorpusSource> {
  if (paths.includes(STDIN)) {
    if (paths.length > 1) throw new UsageError('-: standard input cannot be combined with other paths');
    return { storage: standardInput(), files: undefined, total: undefined, skipped: [] };
  }
  const folder = root === undefined ? commonRoot(paths) : resolve(root);
  const storage = createLocalFolder(folder);
  const relatives = paths.map((path) => relative(folder, resolve(path)) || '.');
  const skipped: Skip[] = [];
  const onSkipped = (skip: Skip) => skipped.push(skip);
  const names = await selectFiles(folder, relatives, { ignored: !ignore, onSkipped });
  if (names.length === 0 && ignore && (await selectFiles(folder, relatives, { ignored: true })).length > 0) {
    throw new UsageError(`${paths.join(', ')}: .gitignore excludes all files; --no-ignore includes them`);
  }
  const written = output.flatMap((path) => (path === undefined ? [] : resolve(path)));
  const isRead = (name: string) => !written.some((path) => isInside(path, join(folder, name)));
  const found = await Promise.all(names.filter(isRead).map((name) => findFile(storage, name)));
  const files = found.filter((file) => file !== undefined && file.unread === undefined) as StoredFile[];
  for (const file of found) {
    if (file?.unread !== undefined) skipped.push({ place: { source: file.name }, ...file.unread });
  }
  const total = files.reduce((sum, { size }) => sum + size, 0);
  return { storage, files, total, skipped };
}

async function findFile(storage: SourceStorage, name: string): Promise<StoredFile | undefined> {
  try {
    return await storage.find(name);
  } catch (error) {
    if (error instanceof ServiceError && isForbidden(error.cause)) return unreadFile(name, UNREAD.forbidden);
    throw error;
  }
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
  const { fields } = spec.source;
  const decode = decodeWith(cradle, spec, signal);
  const isLive = source.files === undefined;
  if (isLive) signal.addEventListener('abort', () => process.stdin.destroy(), { once: true });
  const skipped = (skip: Skip) => onSkipped({ ...skip, detail: inOwnTerms(skip.detail) });
  const limit = cradle.config.maxBodyBytes;
  const options = { fields, limit, decode, signal, isLive, onSkipped: skipped };
  for await (const range of rangesOf(source, spec)) yield* readDocuments(source.storage, range, options);
}

async function* rangesOf({ storage, files }: CorpusSource, { source }: JobSpec): AsyncGenerator<ShardRange> {
  if (files !== undefined) {
    yield* planShards(storage, { files, format: source.format, isInOrder: true });
    return;
  }
  const format = source.format === 'auto' ? 'jsonl' : source.format;
  if (format === 'parquet') throw new UsageError('-: Parquet cannot be read from standard input');
  // For progress, a single document counts once it has been read. A file of lines counts line by line.
  const file = format === 'files' ? { ...INPUT, size: 0 } : INPUT;
  yield { format, files: [file], bytes: 0 };
}

export function isDocument({ name }: StoredFile, format: JobSpec['source']['format']): boolean {
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
