import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { ServiceError } from '../../../core/errors.ts';
import { release } from '../../engine/answer/release.ts';
import { labelOf } from '../../engine/operations.ts';
import type { StreamPlan } from '../../engine/read/plan.ts';
import { HeldBytes } from '../../engine/run/byte-budget.ts';
import { LineList, LineReader, type LineSource, tooLong } from '../../engine/run/line-reader.ts';
import { answerLines, groupsInFlight, type LineAnswers } from '../../engine/run/stream.ts';
import type { ChunksTask } from '../../engine/tasks.ts';
import type { PipelineRecord } from '../../store/contract.ts';
import { evaluateRoute } from '../evaluate/routes.ts';
import { fileRoutes } from '../files/routes.ts';
import { storedPipeline } from '../pipelines/stored-pipeline.ts';
import { admissionHook } from '../transport/admission.ts';
import { type AnswerTask, answerWith, noteWork, stopWhenGone } from '../transport/answer-work.ts';
import { bodyOf, bytesBody, encodingOf } from '../transport/bodies.ts';
import { startingWith } from '../transport/body-stream.ts';
import { answersWhileSent } from '../transport/connections.ts';
import { asServiceError, reportFailure } from '../transport/error-handler.ts';
import { isStream, LINES, wantsLines } from '../transport/media.ts';
import type { Services } from '../transport/services.ts';
import {
  chunkRouteSchema,
  embedRouteSchema,
  executeRouteSchema,
  refineRouteSchema,
  tokenizeRouteSchema,
} from './schemas.ts';

/**
 * The routes whose requests are work: one for each chunker and refinery, for texts, and one that executes pipelines.
 */
export async function workRoutes(app: FastifyInstance): Promise<void> {
  const { config, requestSchemas } = app.chunksmith;
  await app.register(bytesBody, { limit: config.maxBodyBytes });
  await app.register(admissionHook);
  await app.register(storedPipeline);
  await app.register(chunksRoutes);
  await app.register(fileRoutes);
  await app.register(evaluateRoute);
  const answer = answerWith(app.chunksmith);
  const textRoutes = {
    embed: embedRouteSchema(requestSchemas),
    tokenize: tokenizeRouteSchema(requestSchemas),
  };
  for (const run of ['embed', 'tokenize'] as const) {
    app.post(`/v1/${run}`, { schema: textRoutes[run] }, (request, reply) => answer(request, reply, { run }));
  }
}

/** The routes that produce chunks, whose requests and answers may be streams. */
async function chunksRoutes(app: FastifyInstance): Promise<void> {
  const { registry, requestSchemas } = app.chunksmith;
  app.addContentTypeParser(LINES, (_request, payload, done) => done(null, payload));
  const open = new Set<LineReader>();
  app.addHook('preClose', async () => endStreams(open));
  const answer = chunksWith(app.chunksmith, open);
  const post = (url: string, schema: FastifySchema, task: ChunksTask) =>
    app.post(url, { schema }, (request, reply) => answer(request, reply, task));
  for (const entry of registry.ofKind('chunker')) {
    const { name } = entry.manifest;
    post(`/v1/chunk/${name}`, chunkRouteSchema(entry, requestSchemas), { run: 'chunk', name });
  }
  for (const entry of registry.ofKind('refinery')) {
    const { name } = entry.manifest;
    post(`/v1/refine/${name}`, refineRouteSchema(entry, requestSchemas), { run: 'refine', name });
  }
  executeRoute(app, answer);
  brokenRoutes(app);
}

/** Answers requests for a broken plugin with its error, if its name is valid in a route. */
function brokenRoutes(app: FastifyInstance): void {
  const { registry } = app.chunksmith;
  for (const { kind, name } of registry.broken) {
    if ((kind !== 'chunker' && kind !== 'refinery') || !/^[a-z0-9-]+$/.test(name)) continue;
    const urls =
      kind === 'chunker' ? [`/v1/chunk/${name}`, `/v1/chunk/${name}/file`] : [`/v1/refine/${name}`];
    if (registry.find(kind, name) !== undefined) continue;
    const onRequest = async () => void registry.require(kind, name);
    for (const url of urls) app.post(url, { schema: { hide: true }, onRequest }, () => {});
  }
}

function executeRoute(app: FastifyInstance, answer: AnswerTask<ChunksTask>): void {
  const { requestSchemas } = app.chunksmith;
  app.post(
    '/v1/pipelines/:pipeline_id/execute',
    { schema: executeRouteSchema(requestSchemas), onRequest: app.chunksmithLookUp },
    async (request, reply) => {
      const { steps } = (await request.chunksmithPipeline) as PipelineRecord;
      return answer(request, reply, { run: 'execute', steps });
    },
  );
}

/** Answers tasks whose requests and answers may be streams. @param open collects the streams being read */
function chunksWith(services: Services, open: Set<LineReader>): AnswerTask<ChunksTask> {
  const answer = answerWith(services);
  return async (request, reply, task) => {
    const isStreamed = isStream(request);
    if (!isStreamed && !wantsLines(request)) return answer(request, reply, task);
    const streamed = { request, reply, task, label: labelOf(task), stop: stopWhenGone(reply), open };
    return isStreamed ? answerStream(streamed, services) : answerBatch(streamed, bodyOf(request), services);
  };
}

/** A stream, and its recipient. */
interface StreamedRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly task: ChunksTask;
  /** The name of the work in metrics. */
  readonly label: string;
  /** Aborts if the client disconnects. */
  readonly stop: AbortController;
  /** The streams being read, which end early if the server stops. */
  readonly open: Set<LineReader>;
}

/** Ends streams being read: what was read is answered, and a final line says why the stream ends. */
function endStreams(open: ReadonlySet<LineReader>): void {
  for (const reader of open) reader.stop(new ServiceError('shutting_down'));
}

/**
 * Answers a stream: its first line has the options, each further line a document or a list of chunks, and is answered
 * with a line.
 *
 * @throws ServiceError an error of the whole request, before the first line of the answer is sent
 */
async function answerStream(streamed: StreamedRequest, services: Services): Promise<FastifyReply> {
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
 * @throws ServiceError an error of the whole request, before the first line of the answer is sent
 */
async function answerBatch(
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

/** Bytes waiting to be sent above which no more are produced. */
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
      slots: groupsInFlight(config.workers),
      signal: stop.signal,
      onAnswer: (answer, bytes) => noteWork(request, label, bytes, answer, metrics),
      onFailure: (error) => reportFailure(error, request, metrics),
    }),
  );
  // Until the first line is ready, the whole request can still be refused; no other line is processed after that.
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

/** The same bytes, whose memory is freed once they are sent: otherwise V8 would collect the heap often. */
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
