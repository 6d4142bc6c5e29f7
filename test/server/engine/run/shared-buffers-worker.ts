import { setTimeout as wait } from 'node:timers/promises';
import { type MessagePort, parentPort, threadId, workerData } from 'node:worker_threads';
import { connectSharedBuffers } from '../../../../server/engine/run/shared-buffers.ts';

/** What a thread is asked to get, and how it builds if it is the one that has to. */
export interface Order {
  readonly key: string;
  readonly build: 'well' | 'slowly' | 'badly' | 'never';
}

/** What it got. */
export interface Outcome {
  readonly buffer?: SharedArrayBuffer;
  readonly error?: string;
}

export interface SharedWorkerData {
  /** To the registry. */
  readonly port: MessagePort;
  /** Counts the builds of all threads. */
  readonly builds: SharedArrayBuffer;
}

const { port, builds } = workerData as SharedWorkerData;
const shared = connectSharedBuffers(port);

parentPort?.on('message', async ({ key, build }: Order) => {
  const got = shared.get(key, () => buildHere(build)).then((buffer) => ({ buffer }));
  parentPort?.postMessage(await got.catch(({ message }: Error) => ({ error: message })));
});

/** The first byte of what it builds is its thread. */
async function buildHere(how: Order['build']): Promise<SharedArrayBuffer> {
  Atomics.add(new Int32Array(builds), 0, 1);
  if (how === 'slowly') await wait(100);
  if (how === 'badly') throw new Error(`thread ${threadId} cannot build`);
  if (how === 'never') await new Promise(() => undefined);
  const buffer = new SharedArrayBuffer(8);
  new Uint8Array(buffer)[0] = threadId;
  return buffer;
}
