import type { Log, SharedBuffers } from '../../core/contracts.ts';
import { composeCore } from '../../server/compose.ts';
import { type Config, configOf } from '../../server/config.ts';

/** Buffers of one thread: everyone builds their own. */
export const ownBuffers: SharedBuffers = { get: async (_key, build) => build(), release() {} };

const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} };

export interface AnswerChunk {
  readonly text: string;
  readonly start_index: number;
  readonly end_index: number;
  readonly token_count: number;
}

/** The service of one thread, with everything real but the log. */
export function composeQuietly(config: Partial<Config> = {}) {
  return composeCore(configOf(config), quiet, ownBuffers);
}

/** A function that sends a request to a chunker and gives the parsed answer. */
export async function openChunkers() {
  const { service } = await composeQuietly();
  return async (name: string, request: object): Promise<AnswerChunk[]> => {
    const body = Buffer.from(JSON.stringify(request));
    const { bytes } = await service.prepare({ run: 'chunk', name }, body).run(new AbortController().signal);
    return JSON.parse(Buffer.from(bytes).toString());
  };
}
