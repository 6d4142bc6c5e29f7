import { isMainThread } from 'node:worker_threads';
import pino, { type Logger } from 'pino';

const LEVELS: Readonly<Record<string, string>> = { warning: 'warn' };

/**
 * JSON lines on standard output. The main thread writes them while it goes on; a worker thread writes at
 * once, because it can be ended at any time.
 */
export function createLog(level: string): Logger {
  return pino({ level: LEVELS[level] ?? level }, pino.destination({ dest: 1, sync: !isMainThread }));
}
