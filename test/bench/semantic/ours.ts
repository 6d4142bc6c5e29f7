import type { EmbeddingModel, Log, SharedBuffers } from '../../../core/contracts.ts';
import { composeCore } from '../../../server/compose.ts';
import { configOf } from '../../../server/config.ts';

/** The service of one thread, and a model as its plugins are given it. */
export interface Ours {
  /** Bytes of a request in, bytes of the answer out. */
  answer(run: 'chunk' | 'refine', name: string, body: Uint8Array): Promise<Uint8Array>;
  open(model: string): Promise<EmbeddingModel>;
}

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };
const shared: SharedBuffers = { get: async (_key, build) => build(), release() {} };
export const { signal } = new AbortController();

export async function composeOurs(): Promise<Ours> {
  const { service, embeddings } = await composeCore(configOf({ workers: 0 }), silent, shared);
  return {
    answer: async (run, name, body) => (await service.prepare({ run, name }, body).run(signal)).bytes,
    open: async (name) => (await embeddings.borrow(name, signal)).model,
  };
}
