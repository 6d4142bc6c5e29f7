import { ServiceError } from '../../../core/errors.ts';
import { type PlanOptions, planShards } from '../../../server/corpora/plan-shards.ts';
import { readShard } from '../../../server/corpora/read-documents.ts';
import type { ShardRange, SourceLine } from '../../../server/corpora/shard.ts';
import type { SourceStorage, StoredFile } from '../../../server/corpora/storage/storage.ts';

/** A storage for tests of formats: files in memory, which are read in pieces of some size. */
export function memoryStorage(files: Readonly<Record<string, Uint8Array | string>>, block = 65_536) {
  /** Bytes that were read so far; reads that have begun and not ended, and the most of them. */
  const counts = { bytes: 0, open: 0, maxOpen: 0 };
  const bytesOf = (name: string) => Buffer.from(files[name] ?? '');
  const fileOf = (name: string) => ({ name, size: bytesOf(name).length, version: 'one' });
  async function* read({ name, size }: StoredFile, range = { from: 0, to: size }): AsyncGenerator<Buffer> {
    const bytes = bytesOf(name);
    if (range.from < 0 || range.to > bytes.length || range.from > range.to)
      throw new Error('a range outside');
    counts.open++;
    counts.maxOpen = Math.max(counts.maxOpen, counts.open);
    try {
      for (let at = range.from; at < range.to; at += block) {
        await new Promise(setImmediate);
        const piece = bytes.subarray(at, Math.min(range.to, at + block));
        counts.bytes += piece.length;
        yield piece;
      }
    } finally {
      counts.open--;
    }
  }
  async function* list(folder: string): AsyncGenerator<StoredFile> {
    const names = Object.keys(files).filter((name) => folder === '' || name.startsWith(`${folder}/`));
    yield* names.sort().map(fileOf);
  }
  return {
    label: 'memory',
    counts,
    fileOf,
    list,
    find: async (name: string) => (name in files ? fileOf(name) : undefined),
    read,
  };
}

type Reading = Omit<Parameters<typeof readShard>[2], 'limit'> & { readonly limit?: number };

/** All that a shard has. */
export async function readAll(
  storage: SourceStorage,
  range: ShardRange,
  options: Reading = {},
): Promise<SourceLine[]> {
  const lines: SourceLine[] = [];
  for await (const batch of readShard(storage, range, { limit: 1_000_000, ...options })) lines.push(...batch);
  return lines;
}

export async function plan(storage: SourceStorage, options: PlanOptions): Promise<ShardRange[]> {
  const shards: ShardRange[] = [];
  for await (const shard of planShards(storage, options)) shards.push(shard);
  return shards;
}

/** All documents of a file or folder, shard by shard. */
export async function readPath(
  storage: SourceStorage,
  path: string,
  format: PlanOptions['format'],
  options: Reading & { readonly shardBytes?: number } = {},
): Promise<SourceLine[]> {
  const { shardBytes, ...reading } = options;
  const lines: SourceLine[] = [];
  for (const shard of await plan(storage, { path, format, shardBytes })) {
    lines.push(...(await readAll(storage, shard, reading)));
  }
  return lines;
}

/** The bytes that a document takes in its source. */
export const sizeOf = (line: SourceLine | undefined) =>
  line !== undefined && 'size' in line ? line.size : 0;

/** The bytes of a document that can be read, as text. */
export const jsonOf = (line: SourceLine) => ('document' in line ? String(line.document) : 'skipped');

/** What stands in a document, the code and message of its error, or that it was skipped. */
export function shown(line: SourceLine): unknown {
  if (!('document' in line)) return 'skipped';
  const { document } = line;
  return document instanceof ServiceError
    ? `${document.code}: ${document.detail}`
    : JSON.parse(document.toString());
}

/** The order of the UTF-8 of names. */
export const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** The message of what reading throws. */
export async function failureOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  );
  return error instanceof ServiceError ? `${error.code}: ${error.detail}` : String(error);
}
