import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { ChunkedDocument, ChunkedDocuments } from '../../../corpus/chunk-documents.ts';
import type { SourceDocument } from '../../../corpus/shard.ts';
import type { Chunking } from '../../../jobs/chunking.ts';
import type { JobSpec } from '../../../jobs/spec.ts';
import { type RetryLimits, withRetries } from '../../../retry.ts';
import { LineSplitter } from '../../../wire/line-splitter.ts';
import { type Api, checked, RefusedError } from '../../api.ts';
import { answeredLine, failedLine } from './answered-line.ts';
import { UnansweredLines } from './unanswered-lines.ts';

/** A stream of documents to a server. */
interface Remote {
  readonly api: Api;
  /** The route that chunks. */
  readonly path: string;
  readonly spec: JobSpec;
  readonly lines: UnansweredLines;
  readonly signal: AbortSignal;
}

const LINES = 'application/x-ndjson';
/** How often a stream that breaks off is begun again before it fails, if nothing was answered in between. */
const LIMITS: RetryLimits = { retries: 15, firstDelay: 250, longestDelay: 5000 };
const UNAVAILABLE = 503;

/** Chunks on a server, by one stream. If that breaks off, what is not answered is sent again. */
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
    const isPassing = (error: unknown) => !signal.aborted && lines.failure === undefined && mayPass(error);
    const rules = { isPassing, signal };
    const surelyNext = () => withRetries(LIMITS, rules, next);
    try {
      for (let one = await surelyNext(); !one.done; one = await surelyNext()) yield one.value;
    } finally {
      await stream?.return(undefined);
      await lines.close();
    }
  };
}

/** A server that cannot be reached or is busy may be back soon; one that refuses the request will refuse it again. */
function mayPass(error: unknown): boolean {
  return !(error instanceof RefusedError) || error.status === UNAVAILABLE || error.status === 429;
}

/** Sends all documents and gives what is answered. @throws what breaks it off */
async function* answers({ api, path, spec, lines, signal }: Remote): AsyncGenerator<ChunkedDocuments> {
  const request = api.stream(path, { 'content-type': LINES, accept: LINES });
  const abort = () => request.destroy();
  signal.addEventListener('abort', abort, { once: true });
  const answered = once(request, 'response') as Promise<[IncomingMessage]>;
  const sending = send(request, spec, lines);
  sending.catch(() => request.destroy());
  try {
    const [answer] = await answered;
    for await (const some of linesIn(await checked(answer))) yield groupOf(some, spec, lines);
    await sending;
    const last = rest(lines);
    if (last.documents.length > 0) yield last;
  } catch (error) {
    signal.throwIfAborted();
    throw lines.failure?.error ?? error;
  } finally {
    signal.removeEventListener('abort', abort);
    request.destroy();
  }
}

/** Sends what is not answered, and then what the source still has. */
async function send(request: ClientRequest, spec: JobSpec, lines: UnansweredLines): Promise<void> {
  const gone = new AbortController();
  request.once('close', () => gone.abort(new Error('the connection was closed')));
  const write = async (bytes: string | Buffer) => {
    gone.signal.throwIfAborted();
    if (!request.write(bytes)) await once(request, 'drain', { signal: gone.signal });
  };
  await write(`${JSON.stringify(spec.options)}\n`);
  const writeAll = async (documents: readonly SourceDocument[]) => {
    for (const { document } of documents) {
      if (!Buffer.isBuffer(document)) continue;
      await write(document);
      await write('\n');
    }
    gone.signal.throwIfAborted();
  };
  await writeAll(lines.all);
  for (let some = await lines.read(); some.length > 0; some = await lines.read()) await writeAll(some);
  request.end();
}

async function* linesIn(answer: IncomingMessage): AsyncGenerator<Buffer[]> {
  const splitter = new LineSplitter(Number.POSITIVE_INFINITY);
  for await (const piece of answer) {
    const lines = splitter.push(piece as Buffer) as Buffer[];
    if (lines.length > 0) yield lines;
  }
  if (splitter.unfinished > 0) throw new Error('the answer broke off in the middle of a line');
}

/** The documents that some lines answer, with those before them that could not be sent. */
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

/** The documents after the last that could be sent. */
function rest(lines: UnansweredLines): ChunkedDocuments {
  const unsent = lines.takeThroughSent();
  if (unsent.some(({ document }) => Buffer.isBuffer(document))) {
    throw new Error('the answer ended before all documents were answered');
  }
  return { bytes: Buffer.alloc(0), documents: unsent.map(failedLine) };
}
