import { ServiceError } from '../../../core/errors.ts';
import type { Api } from '../../cli/api.ts';
import { ChunksmithError } from '../../clients/javascript/errors.ts';
import { LINES } from '../../clients/javascript/transport.ts';
import { type RetryLimits, withRetries } from '../../config/retry.ts';
import { allTotals, TOTALS } from '../../engine/answer/response-metadata.ts';
import { findElements, findMembers, type JsonRange } from '../../engine/read/json.ts';
import { LineSplitter } from '../../engine/run/line-reader.ts';
import {
  type ChunkedDocument,
  type ChunkedDocuments,
  type Chunking,
  type DocumentError,
  failedDocument,
} from '../chunk-documents.ts';
import type { JobSpec } from '../jobs/spec.ts';
import type { SourceDocument } from '../shard.ts';

interface Remote {
  readonly api: Api;
  readonly path: string;
  readonly spec: JobSpec;
  readonly lines: UnansweredLines;
  readonly signal: AbortSignal;
}

const HEADERS = { 'content-type': LINES, accept: LINES };
const LINE_FEED = Buffer.from('\n');
/** The caller itself restarts a broken stream. No timeout, because a source may pause for long. */
const ONCE = { maxRetries: 0, timeout: 0 };
/** Limits for restarts of a stream that breaks repeatedly without an answer in between. */
const LIMITS: RetryLimits = { retries: 15, firstDelay: 250, maxDelay: 5000 };
const UNAVAILABLE = 503;

/** Chunks on a server, through one stream. After a break, all unanswered documents are sent again. */
export function remoteChunking(api: Api, path: string): Chunking {
  return async function* (spec, batches, signal) {
    const lines = new UnansweredLines(batches);
    const remote: Remote = { api, path, spec, lines, signal };
    let stream: AsyncGenerator<ChunkedDocuments> | undefined;
    const next = async () => {
      stream ??= answers(remote);
      try {
        return await stream.next();
      } catch (error) {
        stream = undefined;
        throw error;
      }
    };
    const isTransient = (error: unknown) => !signal.aborted && lines.failure === undefined && mayPass(error);
    const rules = { isTransient, signal };
    const surelyNext = () => withRetries(LIMITS, rules, next);
    try {
      for (let one = await surelyNext(); !one.done; one = await surelyNext()) yield one.value;
    } finally {
      await stream?.return(undefined);
      await lines.close();
    }
  };
}

/** True if the server is unreachable or busy. A refused request would be refused again. */
function mayPass(error: unknown): boolean {
  const { status } = error instanceof ChunksmithError ? error : {};
  return status === undefined || status === UNAVAILABLE || status === 429;
}

/** Sends all documents and yields the answers. @throws the error that breaks the stream */
async function* answers({ api, path, spec, lines, signal }: Remote): AsyncGenerator<ChunkedDocuments> {
  const call = { path, headers: HEADERS, body: ReadableStream.from(sent(spec, lines)) };
  try {
    for await (const some of linesIn(api.bytes(call, { signal, ...ONCE }))) yield groupOf(some, spec, lines);
    const last = rest(lines);
    if (last.documents.length > 0) yield last;
  } catch (error) {
    signal.throwIfAborted();
    throw lines.failure?.error ?? error;
  }
}

/** Yields unanswered documents first, then the rest of the source, in the batches in which they were read. */
async function* sent(spec: JobSpec, lines: UnansweredLines): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${JSON.stringify(spec.options)}\n`);
  yield* linesOf(lines.all);
  for (let some = await lines.read(); some.length > 0; some = await lines.read()) yield* linesOf(some);
}

function* linesOf(documents: readonly SourceDocument[]): Generator<Uint8Array> {
  const sent = documents.map(({ document }) => document).filter(Buffer.isBuffer);
  if (sent.length > 0) yield Buffer.concat(sent.flatMap((document) => [document, LINE_FEED]));
}

async function* linesIn(answer: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer[]> {
  const splitter = new LineSplitter(Number.POSITIVE_INFINITY);
  for await (const piece of answer) {
    const lines = splitter.push(Buffer.from(piece.buffer, piece.byteOffset, piece.length)) as Buffer[];
    if (lines.length > 0) yield lines;
  }
  if (splitter.unfinished > 0) throw new Error('the answer ended in the middle of a line');
}

function groupOf(answered: readonly Buffer[], { group }: JobSpec, lines: UnansweredLines): ChunkedDocuments {
  const bytes: Uint8Array[] = [];
  const documents: ChunkedDocument[] = [];
  for (const line of answered) {
    const unsent = lines.takeThroughSent();
    const source = unsent.pop() as SourceDocument;
    documents.push(...unsent.map(failedLine));
    const one = answeredLine(line, source, group);
    bytes.push(...one.bytes);
    documents.push(one.document);
  }
  return { bytes: Buffer.concat(bytes), documents };
}

function rest(lines: UnansweredLines): ChunkedDocuments {
  const unsent = lines.takeThroughSent();
  if (unsent.some(({ document }) => Buffer.isBuffer(document))) {
    throw new Error('the answer ended before all documents were answered');
  }
  return { bytes: Buffer.alloc(0), documents: unsent.map(failedLine) };
}

/** Documents that were read but not answered yet, so that they can be sent again. */
class UnansweredLines {
  failure: { readonly error: unknown } | undefined;
  readonly #batches: AsyncGenerator<readonly SourceDocument[]>;
  #unanswered: SourceDocument[] = [];
  #reading: Promise<readonly SourceDocument[]> | undefined;

  constructor(batches: AsyncGenerator<readonly SourceDocument[]>) {
    this.#batches = batches;
  }

  /**
   * Reads further documents; empty at the end of the source. Concurrent callers get the same documents,
   * because a broken stream may still wait for a read.
   *
   * @throws what the source throws
   */
  read(): Promise<readonly SourceDocument[]> {
    this.#reading ??= this.#next().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #next(): Promise<readonly SourceDocument[]> {
    try {
      const { done, value } = await this.#batches.next();
      if (done) return [];
      this.#unanswered.push(...value);
      return value;
    } catch (error) {
      this.failure = { error };
      throw error;
    }
  }

  get all(): readonly SourceDocument[] {
    return [...this.#unanswered];
  }

  /** Takes the next document that was sent, and the unreadable documents before it. */
  takeThroughSent(): SourceDocument[] {
    const index = this.#unanswered.findIndex(({ document }) => Buffer.isBuffer(document));
    return this.#unanswered.splice(0, index === -1 ? this.#unanswered.length : index + 1);
  }

  async close(): Promise<void> {
    const closed = this.#batches.return(undefined);
    if (this.#reading === undefined) await closed;
    else closed.catch(() => undefined);
  }
}

const ID = /^\{"id":"([^"]+)"/;
/** Bytes at the start of a chunk's JSON that contain its id. */
const ID_BYTES = 60;

const TOTAL_NAMES = Object.keys(TOTALS);
const MEMBERS = ['chunks', 'error', 'id', ...TOTAL_NAMES];

/** The error in the last line of a server that stops before the stream is complete. */
const STOPPING = new ServiceError('shutting_down');

/**
 * Reads one line of the response stream: its bytes, and the outcome of the document.
 *
 * @throws ChunksmithError if the server stops, so that the document must be sent again
 */
function answeredLine(line: Buffer, source: SourceDocument, group: JobSpec['group']) {
  const [chunks, error, idPlace, ...counts] = findMembers(line, 0, MEMBERS);
  const id = idPlace === undefined ? undefined : (JSON.parse(textAt(line, idPlace)) as string);
  if (chunks === undefined) {
    const { status, detail } = JSON.parse(textAt(line, error as JsonRange)) as DocumentError;
    if (detail === STOPPING.detail) throw new ChunksmithError({ code: 'refused', status, detail });
    return { bytes: [], document: failedDocument(source, id, { status, detail }) };
  }
  const places = findElements(line, chunks.from);
  const ids = places.flatMap((place) => idAt(line, place));
  const totals = counts.flatMap((place, at) =>
    place === undefined ? [] : [[TOTAL_NAMES[at], Number(textAt(line, place))]],
  );
  const document = {
    source,
    id,
    chunks: places.length,
    ids,
    error: undefined,
    ...allTotals(Object.fromEntries(totals)),
  };
  if (group === 'chunk') {
    return { bytes: places.flatMap(({ from, to }) => [line.subarray(from, to), LINE_FEED]), document };
  }
  const head = Buffer.from(`{"document_id":${JSON.stringify(id ?? null)},"chunks":`);
  return { bytes: [head, line.subarray(chunks.from, chunks.to), Buffer.from('}\n')], document };
}

function textAt(line: Buffer, { from, to }: JsonRange): string {
  return line.subarray(from, to).toString();
}

function idAt(line: Buffer, { from, to }: JsonRange): string[] {
  const [, id] = ID.exec(line.subarray(from, Math.min(to, from + ID_BYTES)).toString('latin1')) ?? [];
  return id === undefined ? [] : [id];
}

function failedLine(source: SourceDocument): ChunkedDocument {
  return failedDocument(source, undefined, source.document as ServiceError);
}
