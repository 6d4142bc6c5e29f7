import type { EmbeddingModel } from '../../../core/contracts/embedding.ts';
import { composeQuietly, runTask } from '../../support/service.ts';

/** The service in one thread, and a model as plugins are given it. */
export interface Ours {
  /** Takes the bytes of a request and returns the bytes of the answer. */
  answer(run: 'chunk' | 'refine', name: string, body: Uint8Array): Promise<Uint8Array>;
  open(model: string): Promise<EmbeddingModel>;
}

export const { signal } = new AbortController();

export async function composeOurs(): Promise<Ours> {
  const { service, openers } = await composeQuietly();
  return {
    answer: async (run, name, body) => (await runTask(service, { run, name }, body, signal)).bytes,
    open: async (name) => (await openers.model(name, signal)).value,
  };
}
