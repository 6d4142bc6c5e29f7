import closeWithGrace from 'close-with-grace';
import { ServiceError } from '../core/errors.ts';
import { buildApp } from './app.ts';
import { ConfigError, helpText, readConfig } from './config.ts';
import { reload } from './reload.ts';
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
  if (config.reload) return reload(args, config.pluginsDir);
  const app = await buildApp(config);
  closeWithGrace({ logger: app.log }, async ({ err, signal }) => {
    if (err) app.log.error({ err }, 'stopping after an error that nobody handled');
    else app.log.info({ signal }, 'stopping');
    await app.close();
  });
  await app.listen({ host: config.host, port: config.port });
}

/** A start that failed says why in plain words; only what nobody foresaw comes with a stack. */
function fail(error: unknown): void {
  const isForeseen =
    error instanceof ConfigError || error instanceof ServiceError || hasCode(error, 'EADDRINUSE');
  console.error(isForeseen ? (error as Error).message : error);
  process.exit(isForeseen ? 2 : 1);
}

function hasCode(error: unknown, code: string): boolean {
  return (error as { code?: unknown } | null)?.code === code;
}
