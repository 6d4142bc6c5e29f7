import type { RequestListener, Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AwilixContainer } from 'awilix/browser';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyHttpOptions,
  type FastifyInstance,
  LogController,
} from 'fastify';
import plugin from 'fastify-plugin';
import { hold } from '../core/hold.ts';
import type { Registry } from '../core/hosting/registry.ts';
import { type Config, configOf } from './config/config.ts';
import { corporaFor, type OpenCorpora } from './config/find-corpora.ts';
import { createLog } from './config/log.ts';
import { createServerContainer, type Given, type ServerCradle } from './container.ts';
import { workRoutes } from './http/chunk/routes.ts';
import { openapi } from './http/docs/openapi.ts';
import { playgroundRoutes } from './http/docs/playground.ts';
import { docsRoutes } from './http/docs/routes.ts';
import { metaRoutes, operatorRoutes } from './http/operator/routes.ts';
import { pipelineRoutes } from './http/pipelines/routes.ts';
import type { Admission } from './http/transport/admission.ts';
import { forwardedAddresses, trustOf } from './http/transport/client-address.ts';
import { gracefulShutdown, refuseConnection } from './http/transport/connections.ts';
import { errorHandler, sendError } from './http/transport/error-handler.ts';
import { knownPaths, methodNotAllowed, operatorsAlone, unknownPaths } from './http/transport/known-paths.ts';
import { requestId, requestLog, requestMetrics } from './http/transport/request-log.ts';
import { security } from './http/transport/security.ts';
import { services } from './http/transport/services.ts';
import type { Siblings } from './http/transport/siblings.ts';
import { logPlugins } from './plugins/loader/loader.ts';

export { configOf, readConfig } from './config/config.ts';

export interface AppOptions {
  readonly registry?: Registry;
  /** Whether a worker thread starts as soon as the app listens, before the first request. */
  readonly startsThread?: boolean;
  /** The other processes of this server, if it has several. */
  readonly siblings?: Siblings | undefined;
  /** Called when the app listens and its store of pipelines is open. */
  onOpen?(): void;
  onBrokenStore?(error: unknown): void;
}

/**
 * Builds and wires the whole server without listening. The store of pipelines opens only after listening, so that
 * the server answers early. Close the server to end its worker threads.
 *
 * @throws ServiceError `malformed_plugin`, `duplicate_plugin`, `cyclic_plugins`, `missing_plugin_package`,
 *   `unknown_plugin`
 */
export async function buildApp(
  config: Config,
  { registry, siblings, startsThread = false, onOpen = () => {}, onBrokenStore = () => {} }: AppOptions = {},
): Promise<FastifyInstance> {
  const log = createLog(config);
  const wired = await wire(config, log, { registry, siblings });
  const { admission } = wired.cradle;
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: config.maxBodyBytes,
    genReqId: requestId,
    trustProxy: trustOf(config),
    routerOptions: { ignoreTrailingSlash: true },
    schemaController: { compilersFactory: NO_COMPILERS },
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
    clientErrorHandler: refuseConnection,
    serverFactory: (handler) => createHttpServer(handler, admission, config),
  } as FastifyHttpOptions<Server>);
  app.addHook('preClose', async () => admission.stop());
  const started = async () => (startsThread ? wired.cradle.pool?.startThread() : undefined);
  openWhenListening(app, wired, started, onOpen, onBrokenStore);
  if (config.trustProxy !== 0) await app.register(forwardedAddresses);
  await app.register(requestLog);
  await app.register(gracefulShutdown);
  await app.register(async (scope) => serve(scope, wired, true));
  return app;
}

/** Routes check and write their own bodies. Fastify's compilers would load ajv and fast-json-stringify. */
const NO_COMPILERS = {
  buildValidator: () => (() => () => true) as never,
  buildSerializer: () => () => (value: unknown) => JSON.stringify(value),
};

/** Maximum milliseconds for receiving the headers of a request. A shorter request timeout also limits the headers. */
const HEADERS_TIMEOUT = 60_000;
/** Milliseconds added to the request timeout. A connection without traffic for the sum is closed. */
const READ_TIMEOUT = 5000;

// An import of node:http would also load the client of `fetch`, 14 MB: `node -p "import('node:http').then(()
// => process.memoryUsage().rss)"`.
const { createServer } = process.getBuiltinModule('node:http');

/** Creates the HTTP server. Its timeouts disconnect slow clients, because they hold memory. */
function createHttpServer(
  handler: RequestListener,
  admission: Admission,
  { requestTimeout }: Config,
): Server {
  const milliseconds = requestTimeout * 1000;
  const timeouts = {
    requestTimeout: milliseconds,
    headersTimeout: Math.min(HEADERS_TIMEOUT, milliseconds),
    // Milliseconds between searches for slow connections.
    connectionsCheckingInterval: Math.min(30_000, milliseconds),
  };
  const answer: RequestListener = (request, response) => {
    if (!admission.answers(request, response)) handler(request, response);
  };
  const server = hold(createServer(timeouts, answer));
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT;
  return server.setTimeout(milliseconds + READ_TIMEOUT);
}

/** Milliseconds for which an idle connection is kept open; longer than the timeouts of common proxies. */
const KEEP_ALIVE_TIMEOUT = 72_000;

interface Wired {
  readonly container: AwilixContainer<ServerCradle>;
  readonly cradle: ServerCradle;
  /** Undefined in a build without corpora. */
  readonly corpora: OpenCorpora | undefined;
}

/** @throws ConfigError if the server cannot run jobs as configured @throws ServiceError as `createServerContainer` */
async function wire(config: Config, log: FastifyBaseLogger, given: Given = {}): Promise<Wired> {
  const corpora = await corporaFor(config);
  const container = await createServerContainer(config, log, given);
  const { cradle } = container;
  return { container, cradle, corpora: corpora?.openCorpora(cradle, process.env) };
}

/** Milliseconds between checks whether requests are open. The store opens after them, because its imports block. */
const HEAD_START = 100;
/** Maximum milliseconds that a starting thread and open requests delay the opening of the store. */
const MAX_WAITING = 1000;

function openWhenListening(
  app: FastifyInstance,
  wired: Wired,
  started: () => Promise<void>,
  onOpen: () => void,
  onBroken: (error: unknown) => void,
) {
  let isClosing = false;
  const open = async () => {
    const latest = performance.now() + MAX_WAITING;
    await Promise.race([started(), sleep(MAX_WAITING, undefined, { ref: false })]);
    do await sleep(HEAD_START, undefined, { ref: false });
    while (wired.cradle.byteBudget.taken > 0 && performance.now() < latest);
    if (!isClosing) await openStores(wired).then(onOpen, onBroken);
  };
  app.addHook('onListen', async () => void open());
  app.addHook('preClose', async () => {
    isClosing = true;
  });
}

async function openStores({ cradle: { store, openers, log }, corpora }: Wired): Promise<void> {
  await store.open();
  for (const problem of await openers.lostAliases().catch(() => [])) log.warn({}, problem);
  await corpora?.start();
}

/** Seconds at the end of the shutdown, after jobs, for finishing requests and returning unfinished jobs. */
const AFTER_JOBS = 5;

/** Stops jobs while requests finish. Each job is finished or returned to its queue before the container closes. */
function stopJobsFirst(app: FastifyInstance, { shutdownGrace }: Config, corpora: OpenCorpora): void {
  const grace = Math.max(0, shutdownGrace - AFTER_JOBS);
  app.addHook('preClose', async () => void corpora.stop(grace));
  app.addHook('onClose', () => corpora.stop(0));
}

export interface ChunksmithOptions {
  /** Settings that replace the defaults. The server's flags and environment variables are ignored. */
  readonly config?: Partial<Config>;
}

/**
 * The service as a Fastify plugin for another app: `app.register(chunksmith, { config: { workers: 2 }, prefix:
 * '/chunks' })`. It leaves the app's routes, hooks and error handler unchanged, and answers unknown paths only below
 * its own prefix.
 */
async function chunksmith(app: FastifyInstance, options: ChunksmithOptions): Promise<void> {
  const config = configOf(options.config);
  const wired = await wire(config, app.log);
  app.addHook('onReady', () => openStores(wired));
  await serve(app, wired, app.prefix !== '');
}

async function serve(
  app: FastifyInstance,
  { container, cradle, corpora }: Wired,
  answersUnknown: boolean,
): Promise<void> {
  const { runner, config, registry } = cradle;
  logPlugins(registry, app.log);
  app.server.on('connection', () => runner.yieldToAccepts());
  await app.register(services, { container });
  await app.register(errorHandler);
  await app.register(security);
  await app.register(requestMetrics);
  await app.register(knownPaths);
  if (corpora !== undefined) stopJobsFirst(app, config, corpora);
  if (config.role === 'worker') return serveOperators(app);
  if (answersUnknown) await app.register(unknownPaths);
  await app.register(openapi);
  await app.register(operatorRoutes);
  await app.register(metaRoutes);
  await app.register(workRoutes);
  await app.register(pipelineRoutes);
  if (corpora !== undefined) await app.register(corpora.routes);
  await app.register(docsRoutes);
  if (config.playground) await app.register(playgroundRoutes);
  await app.register(methodNotAllowed);
}

async function serveOperators(app: FastifyInstance): Promise<void> {
  await app.register(operatorsAlone);
  await app.register(operatorRoutes);
  await app.register(methodNotAllowed);
}

export default plugin(chunksmith, { name: 'chunksmith', fastify: '5.x', encapsulate: true });
