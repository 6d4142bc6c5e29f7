import closeWithGrace from 'close-with-grace';
import { ServiceError } from '../../core/errors.ts';
import type { Registry } from '../../core/hosting/registry.ts';
import { buildApp } from '../app.ts';
import { describeAccess } from '../config/access.ts';
import { type Config, ConfigError, type Environment, readConfig } from '../config/config.ts';
import { helpText } from '../config/help.ts';
import { readMachine } from '../config/machine.ts';
import { loadPlugins } from '../loader/loader.ts';
import { StoreOpenError } from '../store/errors.ts';
import { VERSION } from '../version.ts';
import { check } from './check.ts';
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
  if (config.check) {
    process.exitCode = (await check(config)) ? 0 : 2;
    return;
  }
  if (config.reload) return reload(args, config.pluginsDir);
  const registry = await loadPlugins(config, env);
  setSwitchesFor(registry.all, machine.memoryBytes);
  await serve(config, registry);
}

/** Listens until a signal comes; then the requests in flight are finished, as far as the grace allows. */
async function serve(config: Config, registry: Registry): Promise<void> {
  const access = describeAccess(config);
  const app = await buildApp(config, { onBrokenStore: fail, registry });
  closeWithGrace({ logger: app.log, delay: config.shutdownGrace * 1000 }, async ({ err, signal }) => {
    if (err) app.log.error({ err }, 'stopping after an error that nobody handled');
    else app.log.info({ signal }, 'stopping');
    await app.close();
  });
  await app.listen({ host: config.host, port: config.port, backlog: BACKLOG }).catch((error: unknown) => {
    throw asStartError(error, config);
  });
  app.log.info(access.join('. '));
}

/** Most connections that wait to be accepted; the system may allow fewer. */
const BACKLOG = 4096;

const LISTEN_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use; choose another with --port',
  EACCES: 'this user may not listen on that port; choose one above 1023 with --port',
  EADDRNOTAVAIL: 'this machine does not have that address; choose another with --host',
  ENOTFOUND: 'no such host is known; choose another with --host',
  EAI_AGAIN: 'the host cannot be looked up now; give an address with --host',
};

function asStartError(error: unknown, { host, port }: Config): unknown {
  const reason = LISTEN_PROBLEMS[String((error as { code?: unknown }).code)];
  return reason === undefined ? error : new StartError(`Cannot listen on ${host}:${port}: ${reason}.`);
}

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
