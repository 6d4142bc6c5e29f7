import type { Registry } from '../../core/hosting/registry.ts';
import { type Config, configOf } from '../config/config.ts';
import { createServiceContainer } from '../container.ts';
import type { Service } from '../engine/service.ts';
import type { Answer, Task } from '../engine/tasks.ts';
import { ownBuffers, quietLog } from './collaborators.ts';

/** The service of one thread, with real parts except for the log. */
export async function composeQuietly(config: Partial<Config> = {}, registry?: Registry) {
  const given = { config: configOf(config), log: quietLog, shared: ownBuffers, registry };
  const container = await createServiceContainer(given);
  const { registry: loaded, requestSchemas, host, openers, service } = container.cradle;
  return { registry: loaded, requestSchemas, host, openers, service };
}

/** Reads a request and runs it on this thread. */
export function runTask(
  service: Service,
  task: Task,
  request: object | Uint8Array,
  signal: AbortSignal = new AbortController().signal,
): Promise<Answer> {
  const body = request instanceof Uint8Array ? request : Buffer.from(JSON.stringify(request));
  return service.run(service.read(task, body), signal);
}
