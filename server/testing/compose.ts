import type { Registry } from '../../core/hosting/registry.ts';
import { type Config, configOf } from '../config/config.ts';
import { ownBuffers } from '../engine/run/shared-buffers.ts';
import type { Service } from '../engine/service.ts';
import type { Answer, Task } from '../engine/tasks.ts';
import { loadPlugins } from '../plugins/loader/loader.ts';
import { createServiceContainer } from '../service-container.ts';
import { quietLog } from './collaborators.ts';

/** The service of one thread, with real parts except for the log. */
export async function composeQuietly(config: Partial<Config> = {}, registry?: Registry) {
  const whole = configOf(config);
  const loaded = registry ?? (await loadPlugins(whole, process.env));
  const given = { config: whole, log: quietLog, shared: ownBuffers, registry: loaded };
  const { requestSchemas, host, openers, service, pluginFailures } = createServiceContainer(given).cradle;
  return { registry: loaded, requestSchemas, host, openers, service, pluginFailures };
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
