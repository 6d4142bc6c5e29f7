import { parentPort, threadId, workerData } from 'node:worker_threads';
import type { EmbeddingModel } from '../../../../../core/contracts/embedding.ts';
import { connectSharedBuffers } from '../../../../../server/run/shared-buffers.ts';
import { createProvider } from './models.ts';

export interface StaticWorkerData {
  readonly channel: string;
  readonly folder: string;
  readonly model: string;
  /** Counts the tables that are built in any thread. */
  readonly builds: SharedArrayBuffer;
}

export interface Opened {
  readonly thread: number;
  /** What the thread embedded. */
  readonly values: Float32Array;
}

const { channel, folder, model: name, builds } = workerData as StaticWorkerData;
const shared = connectSharedBuffers(channel);
const { signal } = new AbortController();
const opening = openModel();

/** Any message asks for the vector of its text. The port keeps the thread alive while the model is opened. */
parentPort?.on('message', async (text: string) => {
  const model = await opening;
  const vectors = await model?.embed([text], { purpose: 'similarity', signal });
  parentPort?.postMessage({ thread: threadId, values: vectors?.values } as Opened);
});

async function openModel(): Promise<EmbeddingModel | undefined> {
  const provider = await createProvider(folder, {
    get: (key, build) =>
      shared.get(key, () => {
        Atomics.add(new Int32Array(builds), 0, 1);
        return build();
      }),
    release: (key) => shared.release(key),
  });
  return provider.open(name, signal);
}
