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

/** Entry point of a thread that reads files one by one. */
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
    // This thread is ended if the answer is no longer wanted.
    signal: new AbortController().signal,
    options,
  };
  const plugin = await host.get('reader', reader);
  port.postMessage(BEGUN);
  if (file === undefined) return { isReady: true };
  const answer = await callPlugin(registry.require('reader', reader), () =>
    withinLimits(() => plugin.read(file, context)),
  );
  // Checked before sending, because each place takes memory in both threads.
  checkPlaceCount((answer as ReadFile | undefined)?.places, 'file', config);
  return { read: answer, reported };
}

/** The error for a reader's result that cannot be sent, such as metadata with functions. */
function unsendable({ kind, name }: Manifest, error: unknown): ServiceError {
  const reason = 'its result has values that JSON cannot represent';
  return new ServiceError('broken_promise', { kind, name, reason }, error);
}

/** @throws Error for callers in place of V8's errors about its stack and the size of its values */
async function withinLimits(run: () => ReadFile | Promise<ReadFile>): Promise<ReadFile> {
  try {
    return await run();
  } catch (error) {
    const reason = limitOf(error);
    throw reason === undefined ? error : refusedError(`The file cannot be read: ${reason}.`, error);
  }
}

const LIMITS = [
  [/call stack/, 'its parts are nested too deeply'],
  [
    /allocation failed|Invalid (string|array|array buffer|typed array) length/,
    'it takes more memory than a file may',
  ],
] as const;

function limitOf(error: unknown): string | undefined {
  if (!(error instanceof RangeError)) return undefined;
  return LIMITS.find(([of]) => of.test(error.message))?.[1];
}

function failed(error: unknown): ReadOutcome {
  return { error: toPlainError(error), isOverLimit: isOverLimit(error) };
}

/** Whether V8 ran out of memory for a file; its parser may still hold it. */
function isOverLimit(error: unknown): boolean {
  return error instanceof Error && (limitOf(error) !== undefined || isOverLimit(error.cause));
}
