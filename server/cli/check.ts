import type { SharedBuffers } from '../../core/contracts/collaborators.ts';
import { reasonOf } from '../../core/errors.ts';
import type { PluginEntry } from '../../core/hosting/registry.ts';
import type { Config } from '../config/config.ts';
import { createServiceContainer } from '../container.ts';
import { createLog } from '../log.ts';
import { databaseOf, nameOf } from '../store/database.ts';
import { createPipelineStore } from '../store/pipeline-store.ts';
import { limitsOf } from './limits.ts';
import { tryToListen } from './listening.ts';

/** What is printed is the answer of this command, so its log has errors only. */
const QUIET = { logLevel: 'error', logFormat: 'json' };
/** Buffers for a single thread, which shares them with nobody. */
const OWN_BUFFERS: SharedBuffers = { get: async (_key, build) => build(), release() {} };

/**
 * Prints which plugins, models and store a server with this configuration has, and what they lack. A plugin
 * that lacks something is no failure: the server starts without it.
 *
 * @returns whether the server would work
 */
export async function check(config: Config): Promise<boolean> {
  const log = await createLog(QUIET);
  const { registry, openers } = (await createServiceContainer({ config, log, shared: OWN_BUFFERS })).cradle;
  console.log('Plugins:');
  for (const entry of registry.all) console.log(`  ${describe(entry)}`);
  console.log('Embedding models:');
  for (const { name, provider } of await openers.listModels()) console.log(`  ${name} (${provider})`);
  console.log('Workers and limits:');
  for (const line of limitsOf(config)) console.log(`  ${line}`);
  const problems = [await problemOfStore(config), await tryToListen(config)];
  console.log(`Store of pipelines (${nameOf(databaseOf(config))}): ${problems[0] ?? 'works'}`);
  console.log(`Address ${config.host}:${config.port}: ${problems[1] ?? 'free'}`);
  return problems.every((problem) => problem === undefined);
}

function describe({ id, missing }: PluginEntry): string {
  return missing.length === 0 ? `${id}: available` : `${id}: missing, ${missing.join('; ')}`;
}

async function problemOfStore(config: Config): Promise<string | undefined> {
  const store = createPipelineStore(config, await createLog(QUIET));
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
