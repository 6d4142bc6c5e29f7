import closeWithGrace from 'close-with-grace';
import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../core/errors.ts';
import type { Registry } from '../../core/hosting/registry.ts';
import { buildApp } from '../app.ts';
import { type Config, ConfigError, type Environment, readConfig } from '../config/config.ts';
import { checkFolders } from '../config/folders.ts';
import { helpText } from '../config/help.ts';
import { readMachine } from '../config/machine.ts';
import { readCorporaSettings } from '../corpus/settings.ts';
import { loadPlugins } from '../loader/loader.ts';
import { StoreOpenError } from '../store/errors.ts';
import { VERSION } from '../version.ts';
import { announce } from './announce.ts';
import { check } from './check.ts';
import { listenProblem } from './listening.ts';
import { checkPluginUrls } from './plugin-urls.ts';
import { reload } from './reload.ts';
import { setSwitchesFor } from './v8-switches.ts';

/** Does what the arguments say: listens until a signal comes, or prints what was asked for. */
export async function runServer(args: readonly string[], env: Environment): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) return console.log(helpText());
  if (args.includes('--version')) return console.log(VERSION);
  await start(args, env).catch(fail);
}

async function start(args: readonly string[], env: Environment): Promise<void> {
  const machine = readMachine();
  const config = readConfig(args, env, machine);
  checkFolders(config);
  if (config.reload && !config.check) return reload(args, config.pluginsDir);
  const registry = await loadPlugins(config, env);
  checkPluginUrls(registry, env);
  const corpora = readCorporaSettings(config, env);
  if (config.check) {
    process.exitCode = await check(config, corpora);
    return;
  }
  setSwitchesFor(registry.all, machine.memoryBytes);
  await serve(config, registry);
}

/** Listens until a signal comes; then the requests in flight are finished, as far as the grace allows. */
async function serve(config: Config, registry: Registry): Promise<void> {
  const app = await buildApp(config, {
    registry,
    onOpen: () => announce(app, config, registry),
    onBrokenStore: fail,
  });
  closeWithGrace({ logger: app.log, delay: config.shutdownGrace * 1000 }, async ({ err, signal }) => {
    if (err) app.log.error({ err }, 'stopping after an error that nobody handled');
    else app.log.info({ signal }, 'stopping');
    await app.close();
  });
  await app.ready();
  await listen(app, config).catch((error: unknown) => {
    const problem = listenProblem(error, config);
    throw problem === undefined ? error : new StartError(problem);
  });
}

/** Fastify itself would log that it listens, before the store is open; `announce` does it afterwards. */
async function listen(app: FastifyInstance, { host, port }: Config): Promise<void> {
  const { level } = app.log;
  if (level === 'debug' || level === 'info') app.log.level = 'warn';
  try {
    await app.listen({ host, port, backlog: BACKLOG });
  } finally {
    app.log.level = level;
  }
}

/** Most connections that wait to be accepted; the system may allow fewer. */
const BACKLOG = 4096;

/** A start that failed for a reason that the operator can change. */
class StartError extends Error {}

/** Says in plain words why a start failed; only an unexpected error is printed with its stack. */
function fail(error: unknown): void {
  const isExpected =
    error instanceof ConfigError ||
    error instanceof ServiceError ||
    error instanceof StartError ||
    error instanceof StoreOpenError;
  console.error(isExpected ? error.message : error);
  process.exit(isExpected ? 2 : 1);
}
