import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fromPlainError, ServiceError } from '../../../core/errors.ts';
import { release } from '../../engine/answer/release.ts';
import type { StreamPlan } from '../../engine/read/plan.ts';
import { HeldBytes } from '../../engine/run/byte-budget.ts';
import { LineList, LineReader, type LineSource, tooLong } from '../../engine/run/line-reader.ts';
import { answerLines, type LineAnswers } from '../../engine/run/stream.ts';
import type { ChunksTask } from '../../engine/tasks.ts';
import { encodingOf } from '../bytes-body.ts';
import { answersWhileSent } from '../connection-errors.ts';
import { asServiceError, reportFailure } from '../error-handler.ts';
import { logWork } from '../request-log.ts';
import type { Services } from '../services.ts';
import { LINES } from './media.ts';
import { startingWith } from './starting-with.ts';

/** A stream, and who is answered. */
export interface StreamedRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly task: ChunksTask;
  /** What metrics call the work. */
  readonly label: string;
  /** Aborts if the client goes away. */
  readonly stop: AbortController;
  /** The streams that are being read, which end early if the server stops. */
  readonly open: Set<LineReader>;
}

/** Ends streams that are being read: what was read is answered, and a last line says why there is no more. */
export function endStreams(open: ReadonlySet<LineReader>): void {
  for (const reader of open) reader.stop(new ServiceError('shutting_down'));
}

/**
 * Answers a stream: its first line has the options, each further line a document or a list of chunks, and is answered
 * with a line.
 *
 * @throws ServiceError what is wrong with the whole request, before the first line of the answer is sent
 */
export async function answerStream(streamed: StreamedRequest, services: Services): Promise<FastifyReply> {
  const { request, reply, task, stop, open } = streamed;
  const { config, service, byteBudget } = services;
  answersWhileSent(reply.raw);
  const held = new HeldBytes(byteBudget, config.requestTimeout, stop.signal);
  const source = (request.body as Readable).iterator({ destroyOnReturn: false });
  reply.raw.once('close', () => held.end());
  const reader = new LineReader(translated(source, request), {
    limit: config.maxBodyBytes,
    isStrict: encodingOf(request) !== undefined,
    beforeReading: () => held.room(),
  });
  open.add(reader);
  reply.raw.once('close', () => open.delete(reader));
  const onHeld = (bytes: number) => held.set(bytes);
  const plan = service.readStreamPlan(task, await firstLine(reader, onHeld));
  return sendLines(streamed, services, { plan, reader, onHeld });
}

/**
 * Answers a batch with a line for each of its inputs.
 *
 * @throws ServiceError what is wrong with the whole request, before the first line of the answer is sent
 */
export async function answerBatch(
  streamed: StreamedRequest,
  body: Buffer,
  services: Services,
): Promise<FastifyReply> {
  const { division, body: same } = await services.runner.divide(streamed.task, body, streamed.stop);
  if (division === undefined || same === undefined) throw new ServiceError('internal');
  const bytes = Buffer.from(same.buffer, same.byteOffset, same.length);
  const reader = new LineList(division.inputs.map(({ from, to }) => bytes.subarray(from, to)));
  return sendLines(streamed, services, { plan: division.plan, reader, onHeld() {} });
}

/** Bytes that wait to be sent before no more are made. */
const PIECE_BYTES = 65_536;

async function firstLine(reader: LineReader, onHeld: (bytes: number) => void): Promise<Buffer> {
  while (reader.waiting === 0 && !reader.isOver) {
    await reader.read();
    onHeld(reader.bytes);
  }
  const [line] = reader.take(1, 0);
  if (line === undefined) throw new ServiceError('body_empty');
  if (!Buffer.isBuffer(line)) throw tooLong(reader.limit, 'The first line of the stream');
  return line;
}

async function sendLines(
  { request, reply, label, stop }: StreamedRequest,
  { runner, metrics, config }: Services,
  lines: { readonly plan: StreamPlan; readonly reader: LineSource; onHeld(bytes: number): void },
): Promise<FastifyReply> {
  metrics.streamed(label);
  const answers = bytesOf(
    answerLines({
      ...lines,
      runner,
      rate: runner.throughput.of(lines.plan.stages),
      slots: config.workers + 2,
      signal: stop.signal,
      onAnswer({ queueSeconds, timings, failures = [] }, bytes) {
        metrics.worked(label, bytes, queueSeconds, timings);
        logWork(request, queueSeconds, timings);
        for (const failure of failures) reportFailure(fromPlainError(failure), request, metrics);
      },
      onFailure: (error) => reportFailure(error, request, metrics),
    }),
  );
  // Until the first line is there, the whole request can still be refused; then no other line is worked on.
  const first = await answers.next().catch((error: unknown) => {
    stop.abort(error);
    throw error;
  });
  const isSent = () => stream.readableLength === 0 && reply.raw.writableLength === 0;
  const stream = Readable.from(freed(startingWith(first, answers), isSent), {
    objectMode: false,
    highWaterMark: PIECE_BYTES,
  });
  return reply.type(`${LINES}; charset=utf-8`).send(stream);
}

async function* bytesOf(answers: AsyncGenerator<LineAnswers>): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of answers) yield bytes;
}

/** The same bytes, whose memory is freed once they are sent: it would otherwise make V8 collect the heap often. */
async function* freed(
  answers: AsyncGenerator<Uint8Array>,
  isSent: () => boolean,
): AsyncGenerator<Uint8Array> {
  let given: Uint8Array[] = [];
  for await (const answer of answers) {
    if (isSent()) {
      given.forEach(release);
      given = [];
    }
    given.push(answer);
    yield answer;
  }
}

/** The same bytes, with errors of the catalogue. */
async function* translated(source: AsyncIterator<Buffer>, request: FastifyRequest): AsyncGenerator<Buffer> {
  try {
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
  } catch (error) {
    throw asServiceError(error, request);
  }
}
