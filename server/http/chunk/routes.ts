import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../../core/errors.ts';
import { release } from '../../engine/memory.ts';
import type { StreamPlan } from '../../engine/read/plan.ts';
import { HeldBytes } from '../../engine/run/byte-budget.ts';
import { orUnknownNames } from '../../engine/run/executor.ts';
import { LineList, LineReader, type LineSource, tooLong } from '../../engine/run/line-reader.ts';
import { answerLines, groupsInFlight, type LineAnswers } from '../../engine/run/stream.ts';
import type { ChunksTask } from '../../engine/tasks.ts';
import { evaluateRoute } from '../evaluate/routes.ts';
import { fileRoutes } from '../files/routes.ts';
import { lookedUpSteps, lookUpPipeline, presetTask } from '../pipelines/steps-of-path.ts';
import { admissionHook } from '../transport/admission.ts';
import { type AnswerTask, answerWith, noteWork, stopWhenGone } from '../transport/answer-work.ts';
import { bodyOf, bytesBody, encodingOf } from '../transport/bodies.ts';
import { startingWith } from '../transport/body-stream.ts';
import { answersWhileSent } from '../transport/connections.ts';
import { asServiceError, reportFailure } from '../transport/error-handler.ts';
import { isStream, LINES, wantsLines } from '../transport/media.ts';
import type { Services } from '../transport/services.ts';
import {
  embedRouteSchema,
  executeRouteSchema,
  pluginRouteSchema,
  presetRouteSchema,
  tokenizeRouteSchema,
} from './schemas.ts';

export async function workRoutes(app: FastifyInstance): Promise<void> {
  const { config, requestSchemas } = app.chunksmith;
  await app.register(bytesBody, { limit: config.maxBodyBytes });
  await app.register(admissionHook);
  await app.register(chunksRoutes);
  await app.register(fileRoutes);
  await app.register(evaluateRoute);
  const answer = answerWith(app.chunksmith);
  const textRoutes = [
    ['embed', embedRouteSchema],
    ['tokenize', tokenizeRouteSchema],
  ] as const;
  for (const [run, schemaOf] of textRoutes) {
    const schema = schemaOf(requestSchemas);
    app.post(`/v1/${run}`, { schema }, (request, reply) => answer(request, reply, { run }));
  }
}

async function chunksRoutes(app: FastifyInstance): Promise<void> {
  const { registry, requestSchemas } = app.chunksmith;
  app.addContentTypeParser(LINES, (_request, payload, done) => done(null, payload));
  const open = new Set<LineReader>();
  // On shutdown, open streams answer the lines already read, followed by a line with this error.
  app.addHook('preClose', async () => {
    for (const reader of open) reader.stop(new ServiceError('shutting_down'));
  });
  const answer = chunksWith(app.chunksmith, open);
  for (const [kind, run] of PLUGIN_ROUTES) {
    for (const entry of registry.ofKind(kind)) {
      const { name } = entry.manifest;
      const schema = pluginRouteSchema(kind, entry, requestSchemas);
      app.post(`/v1/${run}/${name}`, { schema }, (request, reply) => answer(request, reply, { run, name }));
    }
  }
  app.post(
    '/v1/pipelines/:pipeline_id/execute',
    { schema: executeRouteSchema(requestSchemas), onRequest: lookUpPipeline(app.chunksmith) },
    async (request, reply) => answer(request, reply, { run: 'execute', steps: await lookedUpSteps(request) }),
  );
  app.post(
    '/v1/presets/:preset/execute',
    { schema: presetRouteSchema(requestSchemas) },
    async (request, reply) => answer(request, reply, presetTask(request, reply)),
  );
  brokenRoutes(app);
}

const PLUGIN_ROUTES = [
  ['chunker', 'chunk'],
  ['refinery', 'refine'],
] as const;

/** Adds a route for each broken plugin with a valid name. The route answers with the plugin's error. */
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

/** Answers tasks whose requests and answers may be streams. @param open the request streams being read */
function chunksWith(services: Services, open: Set<LineReader>): AnswerTask<ChunksTask> {
  const answer = answerWith(services);
  return async (request, reply, task) => {
    const isStreamed = isStream(request);
    if (!isStreamed && !wantsLines(request)) return answer(request, reply, task);
    const streamed = {
      request,
      reply,
      task,
      label: services.service.label(task),
      stop: stopWhenGone(reply),
      open,
    };
    return isStreamed ? answerStream(streamed, services) : answerBatch(streamed, bodyOf(request), services);
  };
}

interface StreamedRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly task: ChunksTask;
  readonly label: string;
  /** Aborts if the client disconnects. */
  readonly stop: AbortController;
  readonly open: Set<LineReader>;
}

/**
 * Answers a stream line by line. The first line has the options; each further line is a document or a list of
 * chunks.
 *
 * @throws ServiceError if the whole request fails before the first line of the answer is sent
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
  const line = await firstLine(reader, onHeld);
  const plan = await orUnknownNames(service, () => service.readStreamPlan(task, line));
  return sendLines(streamed, services, { plan, reader, onHeld });
}

/**
 * Answers a batch with one line per input.
 *
 * @throws ServiceError if the whole request fails before the first line of the answer is sent
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

/** Bytes waiting to be sent at which the production of further lines pauses. */
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
  const answers = answerLines({
    ...lines,
    runner,
    rate: runner.throughput.of(lines.plan.stages),
    slots: groupsInFlight(config.workers),
    signal: stop.signal,
    onAnswer: (answer, bytes) => noteWork(request, label, bytes, answer, metrics),
    onFailure: (error) => reportFailure(error, request, metrics),
  });
  // Until the first line of the answer is sent, an error can be the answer to the whole request. It then stops all work.
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

/** Yields the bytes of answers. Frees the memory of sent bytes, to avoid frequent garbage collection. */
async function* freed(
  answers: AsyncGenerator<LineAnswers>,
  isSent: () => boolean,
): AsyncGenerator<Uint8Array> {
  let given: Uint8Array[] = [];
  for await (const { bytes } of answers) {
    if (isSent()) {
      given.forEach(release);
      given = [];
    }
    given.push(bytes);
    yield bytes;
  }
}

async function* translated(source: AsyncIterable<Buffer>, request: FastifyRequest): AsyncGenerator<Buffer> {
  try {
    yield* source;
  } catch (error) {
    throw asServiceError(error, request);
  }
}
