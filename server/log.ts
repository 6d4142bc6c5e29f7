import { isatty } from 'node:tty';
import { isMainThread } from 'node:worker_threads';
import pino, { type Logger } from 'pino';
import type { PrettyOptions } from 'pino-pretty';

/** How a log is written; `auto` is pretty on a terminal. */
interface LogSettings {
  readonly logLevel: string;
  readonly logFormat: string;
  /** `stderr` for standard error instead of standard output. */
  readonly logTo?: string;
}

const LEVELS: Readonly<Record<string, string>> = { warning: 'warn' };
const STANDARD_OUTPUT = 1;
const STANDARD_ERROR = 2;

/**
 * Makes a log: asynchronous on the main thread, synchronous on a worker thread, which can be ended
 * at any time. A line is JSON with `level` (debug, info, warn, error), `time` (ISO 8601, UTC) and `msg`, or text for
 * people.
 */
export async function createLog({ logLevel, logFormat, logTo }: LogSettings): Promise<Logger> {
  const dest = logTo === 'stderr' ? STANDARD_ERROR : STANDARD_OUTPUT;
  const level = LEVELS[logLevel] ?? logLevel;
  const isPretty = logFormat === 'pretty' || (logFormat === 'auto' && isatty(dest));
  if (isPretty && level !== 'silent') return pino({ level }, await prettyStream(dest));
  const format = { formatters: { level: (label: string) => ({ level: label }) }, timestamp: isoTime };
  return pino({ level, ...format }, pino.destination({ dest, sync: !isMainThread }));
}

const isoTime = pino.stdTimeFunctions.isoTime;

async function prettyStream(dest: number) {
  const { default: pretty } = await import('pino-pretty');
  return pretty({ ...PRETTY, colorize: isatty(dest), destination: dest, sync: true });
}

/** Members that `prettyMessage` has put into the message, and those that are the same in every line. */
const NOT_LISTED = 'pid,hostname,reqId,method,path,status,bytes,documents,chunks,ms';

const PRETTY: PrettyOptions = {
  translateTime: 'SYS:HH:MM:ss.l',
  ignore: NOT_LISTED,
  messageFormat: (line, messageKey) => prettyMessage(line, String(line[messageKey] ?? '')),
};

type Line = Readonly<Record<string, unknown>>;

/** The message of a line with its numbers; that of a request says what was asked for and answered. */
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
