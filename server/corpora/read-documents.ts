import { basename } from 'node:path';
import type { OffsetUnit } from '../../core/contracts/chunk.ts';
import type { SourcePlace } from '../../core/contracts/reader.ts';
import { ServiceError } from '../../core/errors.ts';
import type { PluginHost } from '../../core/hosting/container.ts';
import type { PluginEntry, Registry } from '../../core/hosting/registry.ts';
import { offsetsIn } from '../engine/answer/offsets.ts';
import {
  claimsName,
  leftOutOf,
  readerOf,
  readerOptions,
  readWith,
  textReaderOf,
} from '../engine/read/readers.ts';
import { readCsv } from './formats/csv.ts';
import { readFiles } from './formats/files.ts';
import { readJsonLines } from './formats/jsonl.ts';
import { readParquet } from './formats/parquet.ts';
import { type JobSpec, unitOf } from './jobs/spec.ts';
import type { Decode, Format, ReadOptions, ShardRange, Skip, SourceDocument, SourceLine } from './shard.ts';
import type { SkipNote, SourceStorage } from './storage/storage.ts';

export interface ReadDocumentsOptions extends ReadOptions {
  onSkipped(skip: Skip): void;
}

/**
 * Reads the documents of a shard like `readShard`, without files that are not documents. If a file of lines
 * or rows cannot be read to its end, its last document is the error. Other files are not affected.
 */
export async function* readDocuments(
  storage: SourceStorage,
  range: ShardRange,
  { onSkipped, ...options }: ReadDocumentsOptions,
): AsyncGenerator<readonly SourceDocument[]> {
  try {
    for await (const lines of readShard(storage, range, options)) {
      for (const line of lines) if ('skipped' in line) onSkipped(line);
      const documents = lines.filter((line) => 'document' in line);
      if (documents.length > 0) yield documents;
    }
  } catch (error) {
    const [{ name: source } = { name: undefined }] = range.files;
    if (source === undefined || !(error instanceof ServiceError) || error.code !== 'source_unreadable')
      throw error;
    yield [{ place: { source }, size: 0, document: error, isOfMany: true }];
  }
}

const BATCH_BYTES = 256 * 1024;
const BATCH_DOCUMENTS = 1000;

const READERS: Readonly<Record<Format, typeof readFiles>> = {
  files: readFiles,
  jsonl: readJsonLines,
  csv: readCsv,
  parquet: readParquet,
};

/**
 * Reads the documents of a shard in order, in batches of about 256 KB. Failed documents become errors.
 *
 * @throws ServiceError `source_changed`, `source_unreadable` or `storage_failed`, after which the rest of the
 * shard cannot be read
 * @throws the signal's reason once it aborts
 */
export async function* readShard(
  storage: SourceStorage,
  range: ShardRange,
  options: ReadOptions,
): AsyncGenerator<readonly SourceLine[]> {
  const { signal, isLive = false } = options;
  let batch: SourceLine[] = [];
  let bytes = 0;
  for await (const lines of READERS[range.format](storage, range, options)) {
    signal?.throwIfAborted();
    for (const line of lines) {
      batch.push(line);
      bytes += 'document' in line && Buffer.isBuffer(line.document) ? line.document.length : 0;
      if (bytes < BATCH_BYTES && batch.length < BATCH_DOCUMENTS) continue;
      yield batch;
      signal?.throwIfAborted();
      batch = [];
      bytes = 0;
    }
    if (!isLive || batch.length === 0) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

export interface Readers {
  readonly registry: Registry;
  readonly host: PluginHost;
}

/**
 * Decodes files by the plugins that read formats: files that are not UTF-8, and text in a known format. A
 * file is skipped if its readers cannot run here, or if it is not text and no reader matches its name.
 *
 * @param spec the job; its task and offset unit decide how files are read
 */
export function decodeWith({ registry, host }: Readers, spec: JobSpec, signal: AbortSignal): Decode {
  const choice = { task: spec.task, registry };
  const unit = unitOf(spec);
  // Each shard counts as a separate sender, so that no shard takes the turns of the others.
  const sender = {};
  return async ({ bytes, name, isText }) => {
    const file = { bytes, name: basename(name), mediaType: undefined, charset: undefined };
    let reader: PluginEntry | undefined;
    try {
      reader = isText ? textReaderOf(file.name, choice) : readerOf(file, choice);
      if (reader === undefined) return undefined;
      const { manifest } = reader;
      const options = readerOptions(reader);
      const read = await readWith(host, reader, file, { report() {}, signal, options, sender });
      const { text, places, leftOutTexts } = read;
      leftOutOf(manifest, read);
      return {
        ...read,
        places: places && placesIn(text, places, unit),
        leftOutTexts: leftOutTexts && placesIn(text, leftOutTexts, unit),
      };
    } catch (error) {
      const skip = skipOf(error, reader, file.name);
      if (skip === undefined) throw error;
      return skip;
    }
  };
}

function placesIn<Place extends SourcePlace>(
  text: string,
  places: readonly Place[],
  unit: OffsetUnit,
): Place[] {
  const [starts, ends] = (['start', 'end'] as const).map((edge) =>
    offsetsIn(
      text,
      Uint32Array.from(places, (place) => place[edge]),
      unit,
    ),
  ) as [Uint32Array, Uint32Array];
  return places.map((place, index) => ({
    ...place,
    start: starts[index] as number,
    end: ends[index] as number,
  }));
}

function skipOf(error: unknown, reader: PluginEntry | undefined, name: string): SkipNote | undefined {
  if (!(error instanceof ServiceError)) return undefined;
  const { code, detail, values } = error;
  if (reader !== undefined) {
    const isNamed = claimsName(reader.manifest.formats ?? {}, { name });
    if (code !== 'invalid_parameters' || isNamed) return undefined;
    return { skipped: 'binary', detail, brief: 'are binary' };
  }
  if (code === 'unread_format') return { skipped: 'no_reader', detail, brief: 'have no reader' };
  if (code !== 'missing_capability') return undefined;
  return { skipped: 'no_reader', detail, brief: `need ${values.needs}` };
}
