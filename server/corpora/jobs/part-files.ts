import { MODULE_ENDING } from '../../config/module-ending.ts';
import { GuardedThread } from '../../engine/run/guarded-thread.ts';
import type { Claim } from '../../store/jobs/contract.ts';
import type { ChunkedDocument, DocumentError } from '../chunk-documents.ts';
import type { Place } from '../shard.ts';
import type { FileWriter, WrittenFile } from '../storage/storage.ts';
import type { ParquetBytes, ParquetTask } from './parquet-worker.ts';
import { inFolder, type TargetLocation } from './spec.ts';

export const PART_KINDS = ['part', 'errors', 'ids'] as const;
export type PartKind = (typeof PART_KINDS)[number];

export type PartFiles = { readonly [K in PartKind]?: WrittenFile };

/** File names begin with the kind of content, so that shell globs can select a kind: `part-000012.jsonl`. */
const NAME = /^(part|errors|ids)-\d{6,}(\.[\da-f]{8}\.a\d+)?\.(jsonl|parquet)(\.tmp-.+)?$/;

export function isPartName(name: string): boolean {
  return NAME.test(name);
}

export function isAttemptOf(jobId: string, name: string): boolean {
  return isPartName(name) && name.split('.')[1] === tagOf(jobId);
}

function tagOf(jobId: string): string {
  return jobId.slice(0, 8);
}

/**
 * The name of a shard's file.
 *
 * @param attempt the attempt that writes the file; missing in the final name. Separate names keep another
 * job, or a worker that was presumed dead, from overwriting the file.
 */
export function partName(
  { folder, format }: Pick<TargetLocation, 'folder' | 'format'>,
  kind: PartKind,
  seq: number,
  attempt?: Attempt,
): string {
  const number = String(seq).padStart(6, '0');
  const tag = attempt === undefined ? '' : `.${tagOf(attempt.jobId)}.a${attempt.attempt}`;
  const file = `${kind}-${number}${tag}.${kind === 'part' ? (format ?? 'jsonl') : 'jsonl'}`;
  return inFolder(folder, file);
}

type Attempt = Pick<Claim, 'jobId' | 'attempt'>;

/** Writes the files of one attempt at a shard. Without content, only the file of chunks is created. */
export class PartFilesWriter {
  readonly #target: TargetLocation;
  readonly #claim: Attempt & Pick<Claim, 'seq'>;
  readonly #writers = new Map<PartKind, FileWriter>();
  readonly #finished: string[] = [];

  constructor(target: TargetLocation, claim: Attempt & Pick<Claim, 'seq'>) {
    this.#target = target;
    this.#claim = claim;
  }

  async write(kind: PartKind, bytes: Uint8Array): Promise<void> {
    await (await this.#writer(kind)).write(bytes);
  }

  async finish(): Promise<PartFiles> {
    const finished: [PartKind, WrittenFile][] = [];
    for (const [kind, writer] of this.#writers) {
      const file = await writer.finish();
      this.#finished.push(file.name);
      finished.push([kind, file]);
    }
    return Object.fromEntries(finished);
  }

  /** Removes all files of the attempt, including finished files. */
  async discard(): Promise<void> {
    for (const writer of this.#writers.values()) await writer.discard();
    for (const name of this.#finished) await this.#target.storage.remove(name);
  }

  async #writer(kind: PartKind): Promise<FileWriter> {
    const { storage, format } = this.#target;
    const found = this.#writers.get(kind);
    if (found !== undefined) return found;
    const file = await storage.create(partName(this.#target, kind, this.#claim.seq, this.#claim));
    const isParquet = kind === 'part' && format === 'parquet';
    const writer = isParquet ? new ParquetPart(file) : file;
    this.#writers.set(kind, writer);
    return writer;
  }
}

export function failedDocumentLine({ source, id, error }: ChunkedDocument): string {
  const { place } = source;
  const { status, detail } = error as DocumentError;
  return `${JSON.stringify({ ...place, ...(id !== undefined && { id }), status, detail })}\n`;
}

export function idsLine({ source, id, ids }: ChunkedDocument): string {
  return idsLineOf(id ?? null, ids, id === undefined ? source.place : undefined);
}

/** @param place of the document, if the document has no id */
export function idsLineOf(documentId: string | null, ids: readonly string[], place?: Place): string {
  return `${JSON.stringify({ document_id: documentId, ...place, chunks: ids })}\n`;
}

/** Bytes of lines after which a row group ends. The line that reaches this limit is included. */
const ROW_GROUP = 16 * 1024 * 1024;
const LIMITS = { memory: 3_221_225_472, time: 120_000 };
const LINE_FEED = 0x0a;

let idle: GuardedThread<ParquetBytes> | undefined;

export class ParquetPart implements FileWriter {
  readonly #file: FileWriter;
  readonly #thread: GuardedThread<ParquetBytes>;
  #lines: Uint8Array[] = [];
  #size = 0;

  constructor(file: FileWriter) {
    this.#file = file;
    this.#thread =
      idle ?? new GuardedThread(new URL(`./parquet-worker${MODULE_ENDING}`, import.meta.url), LIMITS);
    idle = undefined;
  }

  async write(given: Uint8Array): Promise<void> {
    let rest = Buffer.from(given.buffer, given.byteOffset, given.length);
    for (;;) {
      const left = ROW_GROUP - this.#size;
      const end = rest.length < left ? -1 : rest.indexOf(LINE_FEED, Math.max(left - 1, 0));
      if (end === -1) break;
      this.#add(rest.subarray(0, end + 1));
      await this.#writeGroup();
      rest = rest.subarray(end + 1);
    }
    this.#add(rest);
  }

  async finish(): Promise<WrittenFile> {
    if (this.#size > 0) await this.#writeGroup();
    await this.#ask('finish');
    if (idle === undefined) idle = this.#thread;
    else await this.#thread.close();
    return this.#file.finish();
  }

  async discard(): Promise<void> {
    if (idle !== this.#thread) await this.#thread.close();
    await this.#file.discard();
  }

  #add(bytes: Uint8Array): void {
    this.#lines.push(bytes);
    this.#size += bytes.length;
  }

  async #writeGroup(): Promise<void> {
    const lines = Uint8Array.from(Buffer.concat(this.#lines));
    this.#lines = [];
    this.#size = 0;
    await this.#ask({ lines }, [lines.buffer]);
  }

  async #ask(task: ParquetTask, moved: readonly ArrayBuffer[] = []): Promise<void> {
    const answer = await this.#thread.ask(task, moved);
    if ('problem' in answer) throw new Error(`the chunks cannot be written as Parquet: ${answer.problem}`);
    await this.#file.write(answer.bytes);
  }
}
