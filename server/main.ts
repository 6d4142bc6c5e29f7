import closeWithGrace from 'close-with-grace';
import { ServiceError } from '../core/errors.ts';
import { buildApp } from './app.ts';
import { ConfigError, helpText, readConfig } from './config.ts';
import { reload } from './reload.ts';
import { VERSION } from './version.ts';

/** Entry of the server: the only place that reads arguments and environment, listens and exits. */
const args = process.argv.slice(2);
if (args.includes('--help') || args.includes('-h')) {
  console.log(helpText());
} else if (args.includes('--version')) {
  console.log(VERSION);
} else {
  await start().catch(fail);
}

async function start(): Promise<void> {
  const config = readConfig(args, process.env);
  if (config.reload) return reload(args);
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
