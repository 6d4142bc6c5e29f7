import closeWithGrace from 'close-with-grace';
import type { FastifyInstance } from 'fastify';
import type { Registry } from '../../core/hosting/registry.ts';
import { buildApp } from '../app.ts';
import { type Config, type Environment, type Flags, readConfig } from '../config/config.ts';
import { corporaFor } from '../config/find-corpora.ts';
import { checkFolders } from '../config/folders.ts';
import { readMachine } from '../config/option.ts';
import { loadPlugins } from '../plugins/loader/loader.ts';
import { announce } from './announce.ts';
import { check } from './check.ts';
import { EXIT, isExpected, UsageError } from './errors.ts';
import { listenProblem } from './listening.ts';
import { checkPluginUrls } from './plugin-urls.ts';
import { reload } from './reload.ts';
import { setSwitchesFor } from './v8-switches.ts';

/**
 * Does what the flags say: listens until a signal comes, or checks. A failed start ends the process.
 *
 * @returns the exit status of a check; 0 once the server listens
 */
export function runServer(flags: Flags, env: Environment): Promise<number> {
  return start(flags, env).catch(fail);
}

async function start(flags: Flags, env: Environment): Promise<number> {
  const machine = readMachine();
  const config = readConfig(flags, env, machine);
  checkFolders(config);
  if (config.reload && !config.check) {
    reload(config.pluginsDir);
    return EXIT.done;
  }
  const registry = await loadPlugins(config, env);
  checkPluginUrls(registry, env);
  const corpora = (await corporaFor(config))?.describeCorpora(config, env) ?? ['Jobs: not in this build'];
  if (config.check) return check(config, corpora);
  setSwitchesFor(registry.all, machine.memoryBytes);
  await serve(config, registry);
  return EXIT.done;
}

/** Listens until a signal comes; then requests in flight are finished within the grace period. */
async function serve(config: Config, registry: Registry): Promise<void> {
  let isStopping = false;
  const app = await buildApp(config, {
    registry,
    startsThread: true,
    onOpen: () => announce(app, config, registry),
    // A store that is closed while it opens is not broken.
    onBrokenStore: (error) => void (isStopping || fail(error)),
  });
  closeWithGrace({ logger: app.log, delay: config.shutdownGrace * 1000 }, async ({ err, signal }) => {
    isStopping = true;
    if (err) app.log.error({ err }, 'stopping after an unhandled error');
    else app.log.info({ signal }, 'stopping');
    await app.close();
  });
  await app.ready();
  await listen(app, config).catch((error: unknown) => {
    const problem = listenProblem(error, config);
    throw problem === undefined ? error : new UsageError(problem);
  });
}

/** Fastify would log that it listens before the store is open; `announce` does it afterwards. */
async function listen(app: FastifyInstance, { host, port }: Config): Promise<void> {
  const { level } = app.log;
  if (level === 'debug' || level === 'info') app.log.level = 'warn';
  try {
    await app.listen({ host, port, backlog: BACKLOG });
  } finally {
    app.log.level = level;
  }
}

/** Maximum connections waiting to be accepted; the system may allow fewer. */
const BACKLOG = 4096;

/** Says in plain words why a start failed; only an unexpected error is printed with its stack. */
function fail(error: unknown): never {
  console.error(isExpected(error) ? error.message : error);
  process.exit(isExpected(error) ? EXIT.usage : EXIT.failed);
}
