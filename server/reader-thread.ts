import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { ReadFile } from '../core/contracts/reader.ts';
import { refusedError, ServiceError, toPlainError } from '../core/errors.ts';
import { PluginHost } from '../core/hosting/container.ts';
import { callPlugin } from '../core/hosting/plugin-error.ts';
import { registryOf } from '../core/hosting/registry.ts';
import { createThreadLog } from './config/log.ts';
import { readMachine } from './config/option.ts';
import { checkPlaceCount } from './engine/limits.ts';
import { giveMemoryBack } from './engine/run/give-memory-back.ts';
import type { ReaderThreadData, ReadMessage, ReadOutcome } from './engine/run/guarded-readers.ts';
import { createCheck } from './engine/validation/validator.ts';
import { importFactory } from './plugins/loader/import-factory.ts';

const { config, readers } = workerData as ReaderThreadData;
const port = parentPort as MessagePort;
const registry = registryOf(readers);
const host = new PluginHost({
  registry,
  importFactory,
  collaborators: { createCheck, log: createThreadLog(config), memoryBytes: readMachine().memoryBytes },
  env: process.env,
});

/** Entry of a thread that reads files one after the other. */
port.on('message', async (message: ReadMessage) => {
  const outcome = await read(message).catch(failed);
  try {
    port.postMessage(outcome);
  } catch (error) {
    // What was read cannot be sent, such as metadata with functions.
    port.postMessage(failed(error));
  }
  giveMemoryBack();
});

async function read({ reader, file, options }: ReadMessage): Promise<ReadOutcome> {
  const reported: [string, string][] = [];
  const context = {
    report: (name: string, value: string) => void reported.push([name, value]),
    // If the answer is no longer wanted, this thread is ended.
    signal: new AbortController().signal,
    options,
  };
  const entry = registry.require('reader', reader);
  const plugin = await host.get('reader', reader);
  const answer = await callPlugin(entry, () => withinLimits(() => plugin.read(file, context)));
  // Here already, since each takes memory on both sides when it is sent.
  checkPlaceCount(answer.places, 'file', config);
  return { read: answer, reported };
}

/** @throws Error for callers in place of V8's own about its stack and the size of its values */
async function withinLimits(run: () => ReadFile | Promise<ReadFile>): Promise<ReadFile> {
  try {
    return await run();
  } catch (error) {
    const [, reason] = (error instanceof RangeError && LIMITS.find(([of]) => of.test(error.message))) || [];
    throw reason === undefined ? error : refusedError(`The file cannot be read: ${reason}.`, error);
  }
}

/** Messages of V8, with what they mean for a file. */
const LIMITS = [
  [/call stack/, 'its parts are nested too deeply'],
  [
    /allocation failed|Invalid (string|array|array buffer|typed array) length/,
    'it takes more memory than a file may',
  ],
] as const;

function failed(error: unknown): ReadOutcome {
  return { error: toPlainError(error), isRefusal: isRefusal(error) };
}

/** Whether a reader refused a file by itself. Errors of parsers and of limits are the causes of others. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof ServiceError) || error.code !== 'invalid_parameters') return false;
  const thrown = error.cause instanceof Error ? error.cause : error;
  return thrown.cause === undefined;
}
