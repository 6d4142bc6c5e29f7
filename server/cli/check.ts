import type { SharedBuffers } from '../../core/contracts/collaborators.ts';
import { reasonOf } from '../../core/errors.ts';
import type { PluginEntry } from '../../core/hosting/registry.ts';
import { describeAccess } from '../config/access.ts';
import type { Config } from '../config/config.ts';
import { createServiceContainer } from '../container.ts';
import { createLog } from '../log.ts';
import { createPipelineStore } from '../store/pipeline-store.ts';

/** Buffers for a single thread, which shares them with nobody. */
const OWN_BUFFERS: SharedBuffers = { get: async (_key, build) => build(), release() {} };

/**
 * Prints which plugins, models and store a server with this configuration has, what they lack, and who may call
 * it. A plugin that lacks something is no failure: the server starts without it.
 *
 * @throws ConfigError if keys are set that cannot be used
 * @returns whether the server would work
 */
export async function check(config: Config): Promise<boolean> {
  const access = describeAccess(config);
  const log = createLog('error');
  const { registry, openers } = (await createServiceContainer({ config, log, shared: OWN_BUFFERS })).cradle;
  console.log('Plugins:');
  for (const entry of registry.all) console.log(`  ${describe(entry)}`);
  console.log('Embedding models:');
  for (const { name, provider } of await openers.listModels()) console.log(`  ${name} (${provider})`);
  for (const line of access) console.log(line);
  const problem = await problemOfStore(config);
  console.log(`Store of pipelines: ${problem ?? 'works'}`);
  return problem === undefined;
}

function describe({ id, missing }: PluginEntry): string {
  return missing.length === 0 ? `${id}: available` : `${id}: missing, ${missing.join('; ')}`;
}

async function problemOfStore(config: Config): Promise<string | undefined> {
  const store = createPipelineStore(config, createLog('error'));
  try {
    await store.open();
    await store.ping();
    return undefined;
  } catch (error) {
    return reasonOf(error);
  } finally {
    await store.close();
  }
}
