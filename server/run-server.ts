import closeWithGrace from 'close-with-grace';
import { ServiceError } from '../core/errors.ts';
import { buildApp } from './app.ts';
import { check } from './check.ts';
import { type Config, ConfigError, helpText, readConfig } from './config.ts';
import { reload } from './reload.ts';
import { StoreOpenError } from './store/failures.ts';
import { VERSION } from './version.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Does what the arguments say: listens until a signal comes, or prints what was asked for. */
export async function runServer(args: readonly string[], env: Environment): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) return console.log(helpText());
  if (args.includes('--version')) return console.log(VERSION);
  await start(args, env).catch(fail);
}

async function start(args: readonly string[], env: Environment): Promise<void> {
  const config = readConfig(args, env);
  if (config.check) {
    process.exitCode = (await check(config)) ? 0 : 2;
    return;
  }
  if (config.reload) return reload(args, config.pluginsDir);
  const app = await buildApp(config, fail);
  closeWithGrace({ logger: app.log, delay: config.shutdownGrace * 1000 }, async ({ err, signal }) => {
    if (err) app.log.error({ err }, 'stopping after an error that nobody handled');
    else app.log.info({ signal }, 'stopping');
    await app.close();
  });
  await app.listen({ host: config.host, port: config.port, backlog: BACKLOG }).catch((error: unknown) => {
    throw asStartError(error, config);
  });
}

/** Connections that wait to be accepted; a system that allows fewer has its own limit. */
const BACKLOG = 4096;

const LISTEN_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use; choose another with --port',
  EACCES: 'this user may not listen on that port; choose one above 1023 with --port',
  EADDRNOTAVAIL: 'the address is none of this machine; choose another with --host',
  ENOTFOUND: 'the name of the host is not known; choose another with --host',
  EAI_AGAIN: 'the name of the host cannot be looked up now; give an address with --host',
};

function asStartError(error: unknown, { host, port }: Config): unknown {
  const reason = LISTEN_PROBLEMS[String((error as { code?: unknown }).code)];
  return reason === undefined ? error : new StartError(`Cannot listen on ${host}:${port}: ${reason}.`);
}

/** A start that failed for a reason that whoever starts the server can change. */
class StartError extends Error {}

/** A start that failed says why in plain words; only what nobody foresaw comes with a stack. */
function fail(error: unknown): void {
  const isForeseen =
    error instanceof ConfigError ||
    error instanceof ServiceError ||
    error instanceof StartError ||
    error instanceof StoreOpenError;
  console.error(isForeseen ? error.message : error);
  process.exit(isForeseen ? 2 : 1);
}
