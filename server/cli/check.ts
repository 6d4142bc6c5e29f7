import { reasonOf } from '../../core/errors.ts';
import type { Config } from '../config/config.ts';
import { createServerContainer, disposeInOrder, type ServerCradle } from '../container.ts';
import { createLog } from '../log.ts';
import { createPipelineStore } from '../store/pipeline-store.ts';
import { checkPlugins } from './check-plugins.ts';

/**
 * Prints which plugins, models and store a server with this configuration has, and what they lack. A plugin
 * that lacks something is no failure: the server starts without it.
 *
 * @returns the exit code: 0 if the server would work, 1 if a plugin cannot be imported or its example fails, 2 if
 *   the store of pipelines cannot be opened
 */
export async function check(config: Config): Promise<number> {
  const container = await createServerContainer(forExamples(config), createLog('error'));
  try {
    console.log('Plugins:');
    const areGood = await checkPlugins(container.cradle);
    console.log('Embedding models:');
    for (const line of await describeModels(container.cradle)) console.log(`  ${line}`);
    const problem = await problemOfStore(config);
    console.log(`Store of pipelines: ${problem ?? 'works'}`);
    if (problem !== undefined) return 2;
    return areGood ? 0 : 1;
  } finally {
    await disposeInOrder(container);
  }
}

/** Seconds that the example of a plugin may take. */
const MOST_SECONDS = 60;

/** One thread is enough for examples, and each of them is over at some time. */
function forExamples(config: Config): Config {
  return {
    ...config,
    workers: Math.min(config.workers, 1),
    requestTimeout: Math.min(config.requestTimeout, MOST_SECONDS),
  };
}

async function describeModels({ openers }: ServerCradle): Promise<string[]> {
  try {
    return (await openers.listModels()).map(({ name, provider }) => `${name} (${provider})`);
  } catch (error) {
    return [`cannot be listed: ${reasonOf(error)}`];
  }
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
