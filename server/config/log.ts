import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { isMainThread } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { PrettyOptions } from 'pino-pretty';
import type { SonicBoom } from 'sonic-boom';
import type { Log } from '../../core/contracts/collaborators.ts';
import { hold } from '../../core/hold.ts';
import type { Config } from './config.ts';

/** How a log is written. The format `auto` is `pretty` on a terminal, otherwise `json`. */
interface LogSettings {
  readonly logLevel: string;
  readonly logFormat: string;
  readonly logTo?: Config['logTo'];
}

const require = createRequire(import.meta.url);

const LEVELS: Readonly<Record<string, string>> = { warning: 'warn' };
const DESTINATIONS: Readonly<Record<string, number>> = { stdout: 1, stderr: 2 };

/**
 * Creates a log: asynchronous on the main thread, synchronous on a worker thread, because threads may end at
 * any time. JSON lines have `level` (debug, info, warn, error), `time` (ISO 8601, UTC) and `msg`. The main thread
 * writes several of them at once.
 */
export function createLog({ logLevel, logFormat, logTo = 'stdout' }: LogSettings): Logger {
  const pino = require('pino') as typeof import('pino');
  const dest = DESTINATIONS[logTo] ?? logTo;
  const destination = openDestination(dest);
  const level = LEVELS[logLevel] ?? logLevel;
  const isPretty = logFormat === 'pretty' || (logFormat === 'auto' && isTerminal(dest));
  if (isPretty && level !== 'silent') return pino({ level }, prettyStream(destination, isTerminal(dest)));
  const formatters = { level: (label: string) => ({ level: label }) };
  const stream = isMainThread ? inBlocks(destination) : destination;
  return pino({ level, formatters, timestamp: pino.stdTimeFunctions.isoTime }, stream);
}

const RANKS = ['debug', 'info', 'warn', 'error'] as const;

/** The log of a worker thread. Loads pino only for the first line, because most threads write none. */
export function createThreadLog(settings: LogSettings): Log {
  const least = RANKS.findIndex((rank) => rank === (LEVELS[settings.logLevel] ?? settings.logLevel));
  let log: Logger | undefined;
  const writer = (rank: (typeof RANKS)[number]) => (details: object, message: string) => {
    if (RANKS.indexOf(rank) < least) return;
    log ??= createLog(settings);
    log[rank](details, message);
  };
  return { debug: writer('debug'), info: writer('info'), warn: writer('warn'), error: writer('error') };
}

const isTerminal = (dest: number | string): boolean => typeof dest === 'number' && isatty(dest);

/** Maximum bytes of lines waiting to be written, for example to a full disk. Further lines are dropped. */
const MAX_WAITING = 1_000_000;
/** Maximum retries, one every 100 ms, of writing to a pipe that is not read. */
const MAX_TRIES = 10;

/** Maximum bytes written at once: a pipe never mixes so few bytes with those of other threads and processes. */
const BLOCK_BYTES = 4096;
/** Maximum milliseconds that a line waits for more lines, unless the event loop is blocked. */
const BLOCK_MS = 200;

/** pino tells a stream with this member the level of each line. */
const METADATA = Symbol.for('pino.metadata');
const WARN = 40;

interface BlockStream {
  readonly [METADATA]: true;
  lastLevel: number;
  write(line: string): void;
}

/** Lets lines wait until a block is full, because each write costs as much as a small request. Warnings do not wait. */
function inBlocks(destination: SonicBoom): BlockStream {
  let block = '';
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;
  const end = () => {
    clearTimeout(timer);
    timer = undefined;
    if (bytes === 0) return;
    writing.add(destination);
    destination.write(block);
    block = '';
    bytes = 0;
  };
  blocks.add(end);
  destination.on('drain', () => writing.delete(destination));
  return {
    [METADATA]: true,
    lastLevel: 0,
    write(line) {
      const more = Buffer.byteLength(line);
      if (bytes + more > BLOCK_BYTES) end();
      block += line;
      bytes += more;
      if (this.lastLevel >= WARN) end();
      else timer ??= setTimeout(end, BLOCK_MS).unref();
    },
  };
}

const blocks = new Set<() => void>();
const opened = new Set<SonicBoom>();
const writing = new Set<SonicBoom>();

/** Milliseconds that an ending process waits for a write in progress, so that the lines stay in order. */
const LAST_WRITE_MS = 20;
const MAX_LAST_MS = 1000;

/** Writes all lines, before the process ends. Stops waiting after a second. */
export async function finishLogs(): Promise<void> {
  const late = performance.now() + MAX_LAST_MS;
  for (const end of blocks) end();
  while (writing.size > 0 && performance.now() < late) await sleep(LAST_WRITE_MS);
}

function finishNow(): void {
  if (writing.size > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LAST_WRITE_MS);
  for (const end of blocks) end();
  for (const destination of opened) destination.flushSync();
}

if (isMainThread) process.on('exit', finishNow);

/**
 * Opens the destination of a log. After a write error it keeps the lines, and retries with the next line.
 * pino's own destination (sonic-boom 4.2.1) would end the process at the first error, and then retry forever.
 */
function openDestination(dest: number | string): SonicBoom {
  const settings = {
    dest,
    sync: !isMainThread,
    maxLength: MAX_WAITING,
    maxWrite: BLOCK_BYTES,
    maxWriteRetries: MAX_TRIES,
  };
  const { SonicBoom } = require('sonic-boom') as typeof import('sonic-boom');
  const destination: SonicBoom = hold(new SonicBoom(settings), () => void writing.delete(destination));
  destination.on('drop', () => destination.flush());
  const flush = destination.flushSync.bind(destination);
  destination.flushSync = () => {
    try {
      flush();
    } catch {
      // Ignored: the destination cannot be written, or is not open yet.
    }
  };
  opened.add(destination);
  return destination;
}

function prettyStream(destination: SonicBoom, colorize: boolean) {
  const pretty = require('pino-pretty') as typeof import('pino-pretty');
  return pretty({ ...PRETTY, colorize, destination, sync: true });
}

/** Members that pretty lines do not list: `prettyMessage` shows them, or they are the same in every line. */
const NOT_LISTED = 'pid,hostname,reqId,method,path,status,bytes,documents,chunks,ms';

const PRETTY: PrettyOptions = {
  translateTime: 'SYS:HH:MM:ss.l',
  ignore: NOT_LISTED,
  messageFormat: (line, messageKey) => prettyMessage(line, String(line[messageKey] ?? '')),
};

type Line = Readonly<Record<string, unknown>>;

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
