import { isMainThread } from 'node:worker_threads';
import pino, { type Logger } from 'pino';

const LEVELS: Readonly<Record<string, string>> = { warning: 'warn' };

/**
 * Makes a log that writes JSON lines to standard output: asynchronously on the main thread, synchronously on a
 * worker thread, which can be ended at any time.
 */
export function createLog(level: string): Logger {
  return pino({ level: LEVELS[level] ?? level }, pino.destination({ dest: 1, sync: !isMainThread }));
}
