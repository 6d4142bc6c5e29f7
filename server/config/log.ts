import { isatty } from 'node:tty';
import { isMainThread } from 'node:worker_threads';
import pino, { type Logger } from 'pino';
import type { PrettyOptions } from 'pino-pretty';
import sonic, { type SonicBoom } from 'sonic-boom';
import { hold } from '../../core/hold.ts';

/** How a log is written; `auto` is pretty on a terminal. */
interface LogSettings {
  readonly logLevel: string;
  readonly logFormat: string;
  /** `stderr` for standard error instead of standard output; a path for a file. */
  readonly logTo?: string;
}

const LEVELS: Readonly<Record<string, string>> = { warning: 'warn' };
const DESTINATIONS: Readonly<Record<string, number>> = { stdout: 1, stderr: 2 };

/**
 * Creates a log: asynchronous on the main thread, synchronous on a worker thread, which can be ended at any time. A
 * line is JSON with `level` (debug, info, warn, error), `time` (ISO 8601, UTC) and `msg`, or text for people.
 */
export async function createLog({ logLevel, logFormat, logTo = 'stdout' }: LogSettings): Promise<Logger> {
  const dest = DESTINATIONS[logTo] ?? logTo;
  const destination = openDestination(dest);
  const level = LEVELS[logLevel] ?? logLevel;
  const isPretty = logFormat === 'pretty' || (logFormat === 'auto' && isTerminal(dest));
  if (isPretty && level !== 'silent')
    return pino({ level }, await prettyStream(destination, isTerminal(dest)));
  const format = { formatters: { level: (label: string) => ({ level: label }) }, timestamp: isoTime };
  return pino({ level, ...format }, destination);
}

const isoTime = pino.stdTimeFunctions.isoTime;

const isTerminal = (dest: number | string): boolean => typeof dest === 'number' && isatty(dest);

/** Maximum bytes of lines waiting because they cannot be written, such as on a full disk; later ones are dropped. */
const MOST_WAITING = 1_000_000;
/** How often a pipe that nobody reads is retried before the process ends, every 100 ms. */
const MOST_TRIES = 10;

/** A process has one; tests create more. */
const opened = new Set<SonicBoom>();
if (isMainThread) process.on('exit', () => opened.forEach((destination) => void destination.flushSync()));

/**
 * Waiting lines are written with a later line, once that is possible, and delay nobody. pino's own destination,
 * sonic-boom 4.2.1, ends the process at the first error, and then keeps trying to write the rest for ever.
 */
function openDestination(dest: number | string): SonicBoom {
  const settings = { dest, sync: !isMainThread, maxLength: MOST_WAITING, maxWriteRetries: MOST_TRIES };
  const destination = hold(new sonic.SonicBoom(settings));
  destination.on('drop', () => destination.flush());
  const flush = destination.flushSync.bind(destination);
  destination.flushSync = () => {
    try {
      flush();
    } catch {
      // It cannot be written, or is not open yet.
    }
  };
  opened.add(destination);
  return destination;
}

async function prettyStream(destination: SonicBoom, colorize: boolean) {
  const { default: pretty } = await import('pino-pretty');
  return pretty({ ...PRETTY, colorize, destination, sync: true });
}

/** Members that `prettyMessage` has put into the message, and those that are the same in every line. */
const NOT_LISTED = 'pid,hostname,reqId,method,path,status,bytes,documents,chunks,ms';

const PRETTY: PrettyOptions = {
  translateTime: 'SYS:HH:MM:ss.l',
  ignore: NOT_LISTED,
  messageFormat: (line, messageKey) => prettyMessage(line, String(line[messageKey] ?? '')),
};

type Line = Readonly<Record<string, unknown>>;

/** The message of a line with its numbers; for a request, its method, path and status. */
function prettyMessage(line: Line, message: string): string {
  const { method, path, status, ms, reqId } = line;
  const subject = method === undefined || status === undefined ? message : `${method} ${path} ${status}`;
  const counts = ['bytes', 'documents', 'chunks'].flatMap((name) => countOf(line, name));
  const time = ms === undefined ? [] : [`${ms} ms`];
  return `${[subject, ...counts, ...time].join(', ')}${reqId === undefined ? '' : ` (${reqId})`}`;
}

function countOf(line: Line, name: string): string[] {
  const count = line[name];
  if (count === undefined) return [];
  return [`${count} ${count === 1 ? name.slice(0, -1) : name}`];
}
