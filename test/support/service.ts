import { type Config, configOf } from '../../server/config/config.ts';
import { createServiceContainer } from '../../server/container.ts';
import type { Answer, Service } from '../../server/service/service.ts';
import type { Task } from '../../server/service/tasks.ts';
import { ownBuffers, quietLog } from './collaborators.ts';
import { withStandIns } from './server.ts';

export interface AnswerChunk {
  readonly text: string;
  readonly start_index: number;
  readonly end_index: number;
  readonly token_count: number;
}

/** The service of one thread, with everything real but the log. */
export async function composeQuietly(config: Partial<Config> = {}) {
  const given = { config: configOf(withStandIns(config)), log: quietLog, shared: ownBuffers };
  const { registry, host, openers, service } = (await createServiceContainer(given)).cradle;
  return { registry, host, openers, service };
}

/** Reads a request and runs it on this thread. */
export function runTask(
  service: Service,
  task: Task,
  request: object | Uint8Array,
  signal = new AbortController().signal,
): Promise<Answer> {
  const body = request instanceof Uint8Array ? request : Buffer.from(JSON.stringify(request));
  return service.run(service.read(task, body), signal);
}

/** A function that sends a request to a chunker and gives the parsed answer. */
export async function openChunkers() {
  const { service } = await composeQuietly();
  return async (name: string, request: object): Promise<AnswerChunk[]> => {
    const { bytes } = await runTask(service, { run: 'chunk', name }, request);
    return JSON.parse(Buffer.from(bytes).toString());
  };
}
