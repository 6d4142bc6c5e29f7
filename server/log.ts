import pino, { type Logger } from 'pino';

const LEVELS: Readonly<Record<string, string>> = { warning: 'warn' };

/** JSON lines on standard output, written at once, so that several threads can share it. */
export function createLog(level: string): Logger {
  return pino({ level: LEVELS[level] ?? level }, pino.destination({ dest: 1, sync: true }));
}
