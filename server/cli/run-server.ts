import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import closeWithGrace from 'close-with-grace';
import type { FastifyInstance } from 'fastify';
import type { Log } from '../../core/contracts/collaborators.ts';
import type { Registry } from '../../core/hosting/registry.ts';
import { buildApp } from '../app.ts';
import { readKeys } from '../config/access.ts';
import {
  type Config,
  ConfigError,
  type Environment,
  type Flags,
  readConfig,
  retiredIn,
  shareOf,
  takesJobs,
} from '../config/config.ts';
import { corporaFor } from '../config/find-corpora.ts';
import { checkFolders } from '../config/folders.ts';
import { createLog, finishLogs } from '../config/log.ts';
import { readMachine } from '../config/option.ts';
import { readServiceUrl } from '../config/values.ts';
import { VERSION } from '../config/version.ts';
import { connectSiblings, type Siblings } from '../http/transport/siblings.ts';
import { loadPlugins } from '../plugins/loader/loader.ts';
import { databaseOf, nameOf } from '../store/database.ts';
import { check } from './check.ts';
import { outliveReader } from './closed-pipe.ts';
import { EXIT, isExpected, UsageError } from './errors.ts';
import { addressOf, listenProblem, tryToListen } from './listening.ts';
import { reload } from './reload.ts';
import { setSwitchesFor } from './v8-switches.ts';

/**
 * Runs the server until a signal arrives, or checks the configuration. Ends the process if the start fails.
 *
 * @returns the exit status of a check; 0 once the server listens
 */
export function runServer(flags: Flags, env: Environment): Promise<number> {
  return start(flags, env).catch(fail);
}

async function start(flags: Flags, env: Environment): Promise<number> {
  const machine = readMachine();
  const config = readConfig(flags, env, machine);
  const isSibling = config.processes > 1 && (await import('node:cluster')).default.isWorker;
  if (!isSibling) for (const warning of retiredIn(flags, env)) console.error(warning);
  checkFolders(config);
  if (config.reload && !config.check) {
    reload(config.pluginsDir);
    return EXIT.done;
  }
  const registry = await loadPlugins(config, env);
  checkPluginUrls(registry, env);
  const corpora = (await corporaFor(config))?.describeCorpora(config, env) ?? ['Jobs: not in this build'];
  if (config.check) return check(config, corpora);
  outliveReader();
  if (config.processes > 1 && !isSibling) {
    await serveInProcesses(config, registry);
    return EXIT.done;
  }
  setSwitchesFor(registry.all, machine.memoryBytes);
  await (isSibling
    ? serve(shareOf(config), registry, connectSiblings(env as NodeJS.ProcessEnv))
    : serve(config, registry));
  return EXIT.done;
}

/** Serves in several processes until a signal arrives. */
async function serveInProcesses(config: Config, registry: Registry): Promise<void> {
  // The processes share the port, so that none of them would notice another server there.
  const problem = await tryToListen(config);
  if (problem !== undefined) throw new UsageError(problem);
  const { superviseProcesses } = await import('./processes.ts');
  const { processes, shutdownGrace } = config;
  const log = createLog(config);
  superviseProcesses({
    count: processes,
    log,
    grace: shutdownGrace,
    onListening: (port) => announceAt(port, log, config, registry),
  });
}

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Serves until a signal arrives, then finishes requests in progress within the grace period.
 *
 * @param siblings set if this process is one of several. A terminal and a service manager may send a signal to all of
 *   them, and their supervisor sends the signal too: a second one is then ignored.
 */
async function serve(config: Config, registry: Registry, siblings?: Siblings): Promise<void> {
  let isStopping = false;
  const app = await buildApp(config, {
    registry,
    siblings,
    startsThread: true,
    onOpen() {
      const { port } = app.server.address() as AddressInfo;
      if (siblings === undefined) announceAt(port, app.log, config, registry);
      else siblings.listens(port);
    },
    // Ignores errors during shutdown: a store that is closed while it opens is not broken.
    onBrokenStore: (error) => void (isStopping || fail(error)),
  });
  let asked: NodeJS.Signals | undefined;
  const skip = siblings === undefined ? [] : [...SIGNALS];
  const closing = { logger: app.log, delay: config.shutdownGrace * 1000, skip };
  const { close } = closeWithGrace(closing, async ({ err, signal = asked }) => {
    isStopping = true;
    if (err) app.log.error({ err }, 'stopping after an unhandled error');
    else app.log.info({ signal }, 'stopping');
    await app.close();
    await finishLogs();
  });
  for (const one of skip) {
    process.on(one, () => {
      if (asked === undefined) close();
      asked ??= one;
    });
  }
  await app.ready();
  await listen(app, config, siblings).catch((error: unknown) => {
    const problem = listenProblem(error, config);
    throw problem === undefined ? error : new UsageError(problem);
  });
}

/** Whether the operating system spreads the connections of a port over processes that listen on it. */
const SPREADS = process.platform === 'linux';

/**
 * Listens without Fastify's log line about it. `announce` logs the address once the store is open.
 *
 * Each process of a server has a socket of its own. A socket that the supervisor hands out would keep connections open
 * that a killed process has not yet taken.
 */
async function listen(app: FastifyInstance, { host, port }: Config, siblings?: Siblings): Promise<void> {
  const { level } = app.log;
  if (level === 'debug' || level === 'info') app.log.level = 'warn';
  try {
    const own = siblings === undefined || !SPREADS ? {} : { exclusive: true, reusePort: true };
    await app.listen({ host, port: siblings?.port ?? port, backlog: BACKLOG, ...own });
  } finally {
    app.log.level = level;
  }
}

/** Maximum connections waiting to be accepted. The operating system may have a lower limit. */
const BACKLOG = 4096;

/** Ends the process after printing an error, with its stack only if the error is unexpected. */
function fail(error: unknown): never {
  console.error(isExpected(error) ? error.message : error);
  process.exit(isExpected(error) ? EXIT.usage : EXIT.failed);
}

export function announce(app: FastifyInstance, config: Config, registry: Registry): void {
  const { port } = app.server.address() as AddressInfo;
  announceAt(port, app.log, config, registry);
}

function announceAt(port: number, log: Log, config: Config, registry: Registry): void {
  const address = addressOf(config.host, port);
  const docs = config.role === 'worker' ? {} : { docs: `${address}/docs` };
  log.info({ ...docs, ...describe(config, registry) }, `Server listening at ${address}`);
}

function describe(config: Config, { all, broken }: Registry): Readonly<Record<string, string | number>> {
  const [ready, missing] = [true, false].map((isReady) =>
    all.filter((entry) => (entry.missing.length === 0) === isReady).map(({ manifest }) => manifest.name),
  ) as [string[], string[]];
  const keys = readKeys(config).length;
  return {
    version: VERSION,
    host: config.host,
    data: resolve(config.dataDir),
    store: nameOf(databaseOf(config)),
    plugins: ready.join(', '),
    ...(missing.length > 0 && { unavailable: missing.join(', ') }),
    ...(broken.length > 0 && { broken: broken.map(({ name }) => name).join(', ') }),
    workers: config.workers,
    ...(config.processes > 1 && { processes: config.processes }),
    jobs: takesJobs(config) ? `on, --role ${config.role}` : 'off',
    keys: keys === 0 ? 'off' : `on, ${keys}`,
    cors: config.corsOrigins.join(', ') || 'off',
    rateLimit: config.rateLimit === 0 ? 'off' : `${config.rateLimit} per minute and address`,
  };
}

/**
 * Checks the variables that plugins declare as URLs.
 *
 * @throws ConfigError with a line for each variable that is not a URL
 */
export function checkPluginUrls({ all }: Registry, env: Environment): void {
  const names = new Set(all.flatMap(({ manifest }) => manifest.urls ?? []));
  const problems = [...names].flatMap((name) => {
    const text = env[name] ?? '';
    const read = text === '' ? { value: text } : readServiceUrl(text);
    return 'expected' in read ? [`${name}: expected ${read.expected}, got ${JSON.stringify(text)}`] : [];
  });
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
}
