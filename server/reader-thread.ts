import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { Manifest } from '../core/contracts/manifest.ts';
import type { ReadFile } from '../core/contracts/reader.ts';
import { refusedError, ServiceError, toPlainError } from '../core/errors.ts';
import { callPlugin } from '../core/hosting/plugin-error.ts';
import { registryOf } from '../core/hosting/registry.ts';
import { createThreadLog } from './config/log.ts';
import { checkPlaceCount } from './engine/limits.ts';
import { giveMemoryBack } from './engine/memory.ts';
import type { ReaderThreadData, ReadMessage, ReadOutcome } from './engine/run/guarded-readers.ts';
import { BEGUN } from './engine/run/guarded-thread.ts';
import { createPluginHost } from './plugin-host.ts';

const { config, readers } = workerData as ReaderThreadData;
const port = parentPort as MessagePort;
const registry = registryOf(readers);
const host = createPluginHost({ registry, log: createThreadLog(config), env: process.env });

/** Entry of a thread that reads files one after the other. */
port.on('message', async (message: ReadMessage) => {
  const outcome = await read(message).catch(failed);
  try {
    port.postMessage(outcome);
  } catch (error) {
    port.postMessage(failed(unsendable(registry.require('reader', message.reader).manifest, error)));
  }
  giveMemoryBack();
});

async function read({ reader, file, options }: ReadMessage): Promise<ReadOutcome> {
  const reported: [string, string][] = [];
  const context = {
    report: (name: string, value: string) => void reported.push([name, value]),
    // Never aborts: if the answer is no longer wanted, the main thread ends this thread.
    signal: new AbortController().signal,
    options,
    // The time for an answer begins again.
    progress: () => port.postMessage(BEGUN),
  };
  const plugin = await host.get('reader', reader);
  port.postMessage(BEGUN);
  if (file === undefined) return { isReady: true };
  const answer = await callPlugin(registry.require('reader', reader), () =>
    withinLimits(() => plugin.read(file, context)),
  );
  // Checked before sending, because each place takes memory in both threads.
  const { places, leftOutTexts } = (answer ?? {}) as Partial<ReadFile>;
  checkPlaceCount(places, 'file');
  checkPlaceCount(leftOutTexts, 'file');
  return { read: answer, reported };
}

/** The error for a reader's result that cannot be sent, such as metadata with functions. */
function unsendable({ kind, name }: Manifest, error: unknown): ServiceError {
  const reason = 'its result has values that JSON cannot represent';
  return new ServiceError('broken_promise', { kind, name, reason }, error);
}

/** Runs a reader. @throws Error with a message for callers if V8's stack or the size of a value exceeds its limit */
async function withinLimits(run: () => ReadFile | Promise<ReadFile>): Promise<ReadFile> {
  try {
    return await run();
  } catch (error) {
    const reason = limitOf(error);
    throw reason === undefined ? error : refusedError(`The file cannot be read: ${reason}.`, error);
  }
}

/** Patterns of V8's error messages, each with the problem of the file. */
const LIMITS = [
  [/call stack/, 'its parts are nested too deeply'],
  [
    /allocation failed|Invalid (string|array|array buffer|typed array) length/,
    'it takes more memory than a file may',
  ],
] as const;

/** The problem of a file that has exceeded a limit of V8; undefined for other errors. */
function limitOf(error: unknown): string | undefined {
  if (!(error instanceof RangeError)) return undefined;
  return LIMITS.find(([of]) => of.test(error.message))?.[1];
}

function failed(error: unknown): ReadOutcome {
  return { error: toPlainError(error), isOverLimit: isOverLimit(error) };
}

/** Whether a file has exceeded a limit of V8. Its parser may then still hold memory. */
function isOverLimit(error: unknown): boolean {
  return error instanceof Error && (limitOf(error) !== undefined || isOverLimit(error.cause));
}
