import { reasonOf } from '../../core/errors.ts';
import { describeAccess } from '../config/access.ts';
import type { Config } from '../config/config.ts';
import { createLog } from '../config/log.ts';
import { flagName } from '../config/option.ts';
import { OPTION_ENTRIES } from '../config/options.ts';
import { writeSize } from '../config/sizes.ts';
import { createServerContainer, disposeInOrder, type ServerCradle } from '../container.ts';
import { type CorporaSettings, describeCorpora } from '../corpus/settings.ts';
import { createDatabase } from '../store/create-database.ts';
import { databaseOf, nameOf } from '../store/database.ts';
import { createPipelineStore } from '../store/pipeline-store.ts';
import { checkPlugins } from './check-plugins.ts';
import { endWithReader } from './closed-pipe.ts';
import { tryToListen } from './listening.ts';

/** What is printed is the answer of this command; its log says what plugins warn of, in lines for people. */
const WARNINGS = { logLevel: 'warn', logFormat: 'pretty' };
/** The store says what is wrong with it in the answer. */
const QUIET = { logLevel: 'error', logFormat: 'json' };

/**
 * Prints which plugins, models and store a server with this configuration has, what they lack, who may call it,
 * and what jobs may use. A plugin that lacks something is no failure: the server starts without it.
 *
 * @throws ConfigError if keys are set that cannot be used
 * @returns the exit code: 0 if the server would work, 1 if a plugin cannot be imported or its example fails, 2 if
 *   the store of pipelines cannot be opened or the address is taken
 */
export async function check(config: Config, corpora: CorporaSettings): Promise<number> {
  endWithReader();
  const access = describeAccess(config);
  const container = await createServerContainer(forExamples(config), await createLog(WARNINGS));
  try {
    console.log('Plugins:');
    const areGood = await checkPlugins(container.cradle);
    console.log('Embedding models:');
    for (const line of await describeModels(container.cradle)) console.log(`  ${line}`);
    console.log('Workers and limits:');
    for (const line of limitsOf(config)) console.log(`  ${line}`);
    for (const line of [...access, ...describeCorpora(config, corpora)]) console.log(line);
    const problems = [await problemOfStore(config), await tryToListen(config)];
    console.log(`Store of pipelines (${nameOf(databaseOf(config))}): ${problems[0] ?? 'works'}`);
    console.log(`Address ${config.host}:${config.port}: ${problems[1] ?? 'free'}`);
    if (problems.some((problem) => problem !== undefined)) return 2;
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

/** Every option that is a number, but the port, as `--workers: 2` and `--max-body-bytes: 100MiB`. */
function limitsOf(config: Config): string[] {
  return OPTION_ENTRIES.flatMap(([name, { type }]) => {
    if (name === 'port' || (type !== 'integer' && type !== 'size')) return [];
    const value = config[name] as number;
    return [`${flagName(name)}: ${type === 'size' ? writeSize(value) : value}`];
  });
}

async function describeModels({ openers }: ServerCradle): Promise<string[]> {
  try {
    const models = (await openers.listModels()).map(({ name, provider }) => `${name} (${provider})`);
    return [...models, ...(await openers.lostAliases())];
  } catch (error) {
    return [`cannot be listed: ${reasonOf(error)}`];
  }
}

async function problemOfStore(config: Config): Promise<string | undefined> {
  const database = createDatabase(config, await createLog(QUIET));
  const store = createPipelineStore(database);
  try {
    await store.open();
    await store.ping();
    return undefined;
  } catch (error) {
    return reasonOf(error);
  } finally {
    await database.close();
  }
}
