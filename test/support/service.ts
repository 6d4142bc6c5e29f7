import type { Config } from '../../server/config/config.ts';
import { composeQuietly as compose, runTask } from '../../server/testing/compose.ts';
import { withStandIns } from './server.ts';

export { runTask };

export interface AnswerChunk {
  readonly text: string;
  readonly start_index: number;
  readonly end_index: number;
  readonly token_count: number;
}

/** The service of one thread with the plugins that shared tests name, with everything real but the log. */
export function composeQuietly(config: Partial<Config> = {}) {
  return compose(withStandIns(config));
}

/** A function that sends a request to a chunker and gives the parsed answer. */
export async function openChunkers() {
  const { service } = await composeQuietly();
  return async (name: string, request: object): Promise<AnswerChunk[]> => {
    const { bytes } = await runTask(service, { run: 'chunk', name }, request);
    return JSON.parse(Buffer.from(bytes).toString());
  };
}
