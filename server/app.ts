import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyHttpOptions, type FastifyInstance, LogController } from 'fastify';
import plugin from 'fastify-plugin';
import { endConnectionsWhenClosing } from './closing.ts';
import { composeCore } from './compose.ts';
import { type Config, configOf } from './config.ts';
import { createLog, logAnswered, requestId } from './log.ts';
import { createMetrics } from './metrics.ts';
import { passJsonAsBytes } from './routes/bytes-route.ts';
import { describeRoutes, docsRoutes } from './routes/docs.ts';
import { executeRoute } from './routes/execute.ts';
import { metaRoutes } from './routes/meta.ts';
import {
  collectPaths,
  type KnownPaths,
  refuseOtherMethods,
  refuseUnknown,
  withBraces,
} from './routes/method-not-allowed.ts';
import { operatorRoutes } from './routes/operator.ts';
import { pipelineRoutes } from './routes/pipelines.ts';
import { pluginRoutes } from './routes/plugins.ts';
import { sendError } from './routes/problems.ts';
import { createDoor, type Door, refuseWhileFull } from './routes/refusals.ts';
import { chargeBodies, createByteBudget } from './run/byte-budget.ts';
import { createRunner } from './run/runner.ts';
import { openSharedBuffersDesk } from './run/shared-buffers.ts';
import { secure } from './security.ts';
import { createPipelineStore, type PipelineStore } from './store/pipeline-store.ts';

export { configOf, readConfig } from './config.ts';

/**
 * The whole server, wired and not listening. It opens the store of pipelines once it listens, so that it
 * answers soon. Close it to end its worker threads.
 *
 * @param onBrokenStore is told why the store cannot be opened
 */
export async function buildApp(
  config: Config,
  onBrokenStore: (error: unknown) => void = () => {},
): Promise<FastifyInstance> {
  const options: FastifyHttpOptions<Server> = {
    loggerInstance: createLog(config.logLevel),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: config.maxBodyBytes,
    ...timeoutsOf(config),
    genReqId: requestId,
    trustProxy: config.trustProxy,
    routerOptions: { ignoreTrailingSlash: true },
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
    clientErrorHandler: refuseConnection,
  };
  const app = Fastify(options);
  const setDoor = putInFront(app);
  app.addHook('onResponse', async (request, reply) => {
    const { log, method, url } = request;
    logAnswered(log, { method, url, status: reply.statusCode, ms: reply.elapsedTime });
  });
  endConnectionsWhenClosing(app);
  const store = createPipelineStore(config, app.log);
  openWhenListening(app, store, onBrokenStore);
  await app.register(async (scope) => setDoor(await serve(scope, config, store, true)));
  return app;
}

/** Has a door, once there is one, see the requests before the framework does. */
function putInFront(app: FastifyInstance): (door: Door) => void {
  let answers: Door = () => false;
  app.server.removeAllListeners('request');
  app.server.on('request', (request, answer) => {
    if (!answers(request, answer)) app.routing(request, answer);
  });
  return (door) => {
    answers = door;
  };
}

/** Milliseconds in which a client has to send the headers of a request, unless whole requests have less. */
const HEADERS_TIMEOUT = 60_000;
/** Milliseconds that an answer may take beside the time for the request, until a client has read some of it. */
const READ_TIMEOUT = 5000;

/** Ends clients that send too slowly, and those that do not read: what they hold is bounded for all together. */
function timeoutsOf({ requestTimeout }: Config): FastifyHttpOptions<Server> {
  const milliseconds = requestTimeout * 1000;
  return {
    requestTimeout: milliseconds,
    connectionTimeout: milliseconds + READ_TIMEOUT,
    http: { headersTimeout: Math.min(HEADERS_TIMEOUT, milliseconds) },
  };
}

/** Milliseconds in which the first requests are answered, before the store's packages block the loop. */
const HEAD_START = 100;

function openWhenListening(
  app: FastifyInstance,
  store: PipelineStore,
  onBroken: (error: unknown) => void,
): void {
  let timer: NodeJS.Timeout | undefined;
  app.addHook('onListen', async () => {
    timer = setTimeout(() => store.open().catch(onBroken), HEAD_START);
  });
  app.addHook('preClose', async () => clearTimeout(timer));
}

export interface ChunksmithOptions {
  /** What differs from the defaults; flags and variables of the server are not read. */
  readonly config?: Partial<Config>;
}

/**
 * The service as a Fastify plugin, to be mounted in another app:
 * `app.register(chunksmith, { config: { workers: 2 }, prefix: '/chunks' })`. Nothing of that app is
 * changed; unknown paths are answered by the service below its prefix only.
 */
async function chunksmith(app: FastifyInstance, options: ChunksmithOptions): Promise<void> {
  const config = configOf(options.config);
  const store = createPipelineStore(config, app.log);
  app.addHook('onReady', () => store.open());
  await serve(app, config, store, app.prefix !== '');
}

async function serve(
  app: FastifyInstance,
  config: Config,
  store: PipelineStore,
  answersUnknown: boolean,
): Promise<Door> {
  const channel = `chunksmith-${randomUUID()}`;
  const desk = openSharedBuffersDesk(channel);
  const core = await composeCore(config, app.log, desk);
  const runner = createRunner(config, core, desk, channel);
  app.server.on('connection', () => runner.makeWay());
  app.addHook('onClose', async () => {
    await runner.close();
    await store.close();
    desk.close();
  });
  app.setErrorHandler(sendError);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  await secure(app, config);
  const paths = collectPaths(app);
  if (answersUnknown) refuseUnknown(app, paths);
  await describeRoutes(app);
  const budget = createByteBudget(config.maxBytesInFlight);
  const metrics = createMetrics({ load: runner.load, bytesInFlight: () => budget.taken });
  operatorRoutes(app, runner, store, metrics);
  metaRoutes(app, core.registry, core.embeddings, () => endpointsOf(app.prefix, paths));
  let door: Door = () => false;
  await app.register(async (bytes) => {
    passJsonAsBytes(bytes, config.maxBodyBytes);
    door = createDoor(bytes, refuseWhileFull(bytes, runner), runner, metrics);
    chargeBodies(bytes, budget);
    pluginRoutes(bytes, core.registry, runner, metrics);
    executeRoute(bytes, store, runner, metrics);
  });
  await app.register(async (pipelines) => {
    chargeBodies(pipelines, budget);
    pipelineRoutes(pipelines, store, core.service, config);
  });
  await docsRoutes(app);
  refuseOtherMethods(app, paths);
  return door;
}

/** Method and path of the endpoints, without the pages of the documentation. */
function endpointsOf(prefix: string, paths: KnownPaths): string[] {
  return [...paths].flatMap(([path, methods]) => {
    if (!/^\/(v1|health|ready|metrics|$)/.test(path)) return [];
    return [...methods]
      .filter((method) => method !== 'HEAD')
      .map((method) => `${method} ${prefix}${withBraces(path)}`);
  });
}

/** What is answered before any route is known, by the code of the error. */
const CONNECTION_PROBLEMS: Readonly<Record<string, readonly [status: string, detail: string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'The headers are too large: send fewer or shorter ones.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request was not sent in time: send it faster.'],
};
const NOT_HTTP = ['400 Bad Request', 'The request is not valid HTTP/1.1.'] as const;

/** Answers what is not HTTP, too long for it or too slow. */
function refuseConnection({ code = '' }: Error & { code?: string }, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) return;
  const [status, detail] = CONNECTION_PROBLEMS[code] ?? NOT_HTTP;
  const body = JSON.stringify({ detail });
  const head = `content-type: application/json; charset=utf-8\r\ncontent-length: ${body.length}\r\nconnection: close`;
  socket.end(`HTTP/1.1 ${status}\r\n${head}\r\n\r\n${body}`);
}

export default plugin(chunksmith, { name: 'chunksmith', fastify: '5.x', encapsulate: true });
