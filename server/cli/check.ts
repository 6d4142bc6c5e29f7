import { dirname } from 'node:path';
import { reasonOf } from '../../core/errors.ts';
import { describeFailure, isLacking } from '../../core/hosting/capability.ts';
import type { PluginEntry } from '../../core/hosting/registry.ts';
import { describeAccess } from '../config/access.ts';
import type { Config } from '../config/config.ts';
import { createLog } from '../config/log.ts';
import { flagName } from '../config/option.ts';
import { OPTION_ENTRIES } from '../config/options.ts';
import { writeSize } from '../config/values.ts';
import { createServerContainer, disposeInOrder, type ServerCradle } from '../container.ts';
import { placeIn } from '../plugins/loader/import-error.ts';
import { databaseOf, nameOf } from '../store/database.ts';
import { createDatabase, createPipelineStore } from '../store/stores.ts';
import { endWithReader } from './closed-pipe.ts';
import { tryToListen } from './listening.ts';
import { exampleFor } from './tools/plugin-examples.ts';

/** The answer of this command is what it prints; its log shows warnings of plugins, in lines for people. */
const WARNINGS = { logLevel: 'warn', logFormat: 'pretty' };
/** The answer reports what is wrong with the store. */
const QUIET = { logLevel: 'error', logFormat: 'json' };

/**
 * Prints which plugins, models and store a server with this configuration has, what they lack, who may call it, and
 * what jobs may use. A plugin that lacks something is not a failure: the server starts without it.
 *
 * @param corpora what jobs may use, a line each
 * @throws ConfigError if keys are set that cannot be used
 * @returns the exit code: 0 if the server would work, 1 if a plugin cannot be imported or its example fails, 2 if
 *   the store of pipelines cannot be opened or the address is in use
 */
export async function check(config: Config, corpora: readonly string[]): Promise<number> {
  endWithReader();
  const access = describeAccess(config);
  const container = await createServerContainer(forExamples(config), createLog(WARNINGS));
  try {
    console.log('Plugins:');
    const areGood = await checkPlugins(container.cradle);
    console.log('Embedding models:');
    for (const line of await describeModels(container.cradle)) console.log(`  ${line}`);
    console.log('Workers and limits:');
    for (const line of limitsOf(config)) console.log(`  ${line}`);
    for (const line of [...access, ...corpora]) console.log(line);
    const problems = [await problemOfStore(config), await tryToListen(config)];
    console.log(`Store of pipelines (${nameOf(databaseOf(config))}): ${problems[0] ?? 'works'}`);
    console.log(`Address ${config.host}:${config.port}: ${problems[1] ?? 'free'}`);
    if (problems.some((problem) => problem !== undefined)) return 2;
    return areGood ? 0 : 1;
  } finally {
    await disposeInOrder(container);
  }
}

/** Seconds that a plugin's example may take. */
const MAX_SECONDS = 60;

/** One thread is enough for examples, and each of them ends eventually. */
function forExamples(config: Config): Config {
  return {
    ...config,
    workers: Math.min(config.workers, 1),
    requestTimeout: Math.min(config.requestTimeout, MAX_SECONDS),
  };
}

/** Every numeric option except the port, as `--workers: 2` and `--max-body-bytes: 100MiB`. */
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
  const database = createDatabase(config, createLog(QUIET));
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

/**
 * Prints for every plugin whether it can run here, and runs its example as a request would be run.
 *
 * @returns whether every plugin that lacks nothing can be imported and runs its example, and no plugin is broken
 */
async function checkPlugins(cradle: ServerCradle): Promise<boolean> {
  const failures = await cradle.importCheck.failures();
  let areGood = true;
  for (const entry of cradle.registry.all) {
    const failure = failures.get(entry.id);
    const problem =
      failure === undefined
        ? await problemOfExample(entry, cradle)
        : `cannot be imported, ${describeFailure(failure)}`;
    if (problem !== undefined) areGood = false;
    console.log(`  ${entry.id}: ${problem ?? stateOf(entry)}`);
    if (problem !== undefined || lacksPackage(entry)) console.log(`    in ${dirname(entry.file)}`);
    if (entry.warning !== undefined) console.log(`    warning: ${entry.warning}`);
  }
  for (const { kind = 'unknown', name, file, reason, message = reason } of cradle.registry.broken) {
    console.log(`  ${kind}/${name}: broken, ${message}`);
    console.log(`    in ${file}`);
  }
  return areGood && cradle.registry.broken.length === 0;
}

/** Whether it is unavailable and `npm install` has to be run in its folder. */
function lacksPackage({ manifest, missing }: PluginEntry): boolean {
  return missing.length > 0 && manifest.needs?.packages !== undefined;
}

function stateOf({ missing }: PluginEntry): string {
  return missing.length === 0 ? 'available' : `missing, ${missing.join('; ')}`;
}

/** The problem with running a plugin's example; `undefined` if it works, or cannot be run here. */
async function problemOfExample(entry: PluginEntry, cradle: ServerCradle): Promise<string | undefined> {
  if (entry.missing.length > 0) return undefined;
  try {
    const example = await exampleFor(entry, cradle);
    if (example === undefined) return undefined;
    await cradle.runner.run(example.task, Buffer.from(JSON.stringify(example.body)), new AbortController());
    return undefined;
  } catch (error) {
    if (isLacking(error)) return undefined;
    return `its example fails, ${causeOf(error, dirname(entry.file)) ?? reasonOf(error)}`;
  }
}

/** A plugin's own error, with the file and the line; `undefined` if the error is the server's. */
function causeOf(error: unknown, folder: string): string | undefined {
  const { cause } = error as { readonly cause?: unknown };
  const thrown = cause instanceof Error ? cause.stack : undefined;
  if (thrown === undefined) return undefined;
  const [line = ''] = thrown.split('\n', 1);
  const place = placeIn(thrown, folder);
  return place === undefined ? line : `${line} (${place})`;
}
