import type { SharedBuffers } from '../core/contracts.ts';
import { reasonOf } from '../core/errors.ts';
import type { PluginEntry } from '../core/registry.ts';
import { composeCore } from './compose.ts';
import type { Config } from './config.ts';
import { createLog } from './log.ts';
import { createPipelineStore } from './store/pipeline-store.ts';

/** Buffers of a single thread. */
const OWN_BUFFERS: SharedBuffers = { get: async (_key, build) => build(), release() {} };

/**
 * Prints what a server with this configuration has and lacks: plugins, models and store. Plugins that lack
 * something are no fault: a server starts without them.
 *
 * @returns whether a server would work
 */
export async function check(config: Config): Promise<boolean> {
  const log = createLog('error');
  const { registry, embeddings } = await composeCore(config, log, OWN_BUFFERS);
  console.log('Plugins:');
  for (const entry of registry.all) console.log(`  ${describe(entry)}`);
  console.log('Embedding models:');
  for (const { name, provider } of await embeddings.list()) console.log(`  ${name} (${provider})`);
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
