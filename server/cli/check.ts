import { dirname } from 'node:path';
import { type Kind, type Manifest, NO_OPTIONS } from '../../core/contracts/manifest.ts';
import { reasonOf } from '../../core/errors.ts';
import { isLacking, needsKey } from '../../core/hosting/plugin-error.ts';
import { ownersOf, type PluginEntry } from '../../core/hosting/registry.ts';
import { describeAccess } from '../config/access.ts';
import type { Config } from '../config/config.ts';
import { createLog } from '../config/log.ts';
import { flagName } from '../config/option.ts';
import { OPTION_ENTRIES } from '../config/options.ts';
import { writeSize } from '../config/values.ts';
import { createServerContainer, disposeInOrder, type ServerCradle } from '../container.ts';
import type { Task } from '../engine/tasks.ts';
import { importFactory, withLine } from '../plugins/loader/import-factory.ts';
import { databaseOf, nameOf } from '../store/database.ts';
import { createDatabase, createPipelineStore } from '../store/stores.ts';
import { tryToListen } from './listening.ts';

/** Log settings of this command: only warnings and errors. The command prints its results without the log. */
const WARNINGS = { logLevel: 'warn', logFormat: 'pretty' };
/** Log settings while the store is opened: no warnings, because this command prints the store's faults. */
const QUIET = { logLevel: 'error', logFormat: 'json' };

/**
 * Prints which plugins, models and store a server with this configuration has or lacks, who may call the
 * server, and what jobs may use. An unavailable plugin is not a failure: the server starts without it.
 *
 * @param corpora lines that say what jobs may use
 * @throws ConfigError if configured keys cannot be used
 * @returns the exit code: 0 if the server would work; 1 if a plugin cannot be imported or its example fails;
 *   2 if the store of pipelines cannot be opened or the address is in use
 */
export async function check(config: Config, corpora: readonly string[]): Promise<number> {
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

const MAX_SECONDS = 60;

function forExamples(config: Config): Config {
  return {
    ...config,
    workers: Math.min(config.workers, 1),
    requestTimeout: Math.min(config.requestTimeout, MAX_SECONDS),
  };
}

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
 * Runs the example request of every plugin that can run here, and prints a line for each plugin.
 *
 * @returns true if no plugin is broken, and the examples of all available plugins succeed
 */
async function checkPlugins(cradle: ServerCradle): Promise<boolean> {
  let areGood = true;
  for (const entry of cradle.registry.all) {
    const problem = entry.missing.length > 0 ? undefined : await problemOf(entry, cradle);
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

/** Whether a plugin is unavailable and needs npm packages, which the user installs in the plugin's folder. */
function lacksPackage({ manifest, missing }: PluginEntry): boolean {
  return missing.length > 0 && manifest.needs?.packages !== undefined;
}

function stateOf({ missing }: PluginEntry): string {
  return missing.length === 0 ? 'available' : `missing, ${missing.join('; ')}`;
}

/** Why a plugin's import or example fails; `undefined` if both succeed or there is no example to run here. */
async function problemOf(entry: PluginEntry, cradle: ServerCradle): Promise<string | undefined> {
  const folder = dirname(entry.file);
  try {
    await importFactory(entry);
  } catch (error) {
    return `cannot be imported, ${causeOf(error, folder) ?? reasonOf(error)}`;
  }
  try {
    const example = await exampleFor(entry, cradle);
    if (example === undefined) return undefined;
    await cradle.runner.run(example.task, Buffer.from(JSON.stringify(example.body)), new AbortController());
    return undefined;
  } catch (error) {
    if (isLacking(error)) return undefined;
    return `its example fails, ${causeOf(error, folder) ?? reasonOf(error)}`;
  }
}

/** The error that the plugin's own code threw, with file and line; `undefined` if the server threw it. */
function causeOf(error: unknown, folder: string): string | undefined {
  const { cause } = error as { readonly cause?: unknown };
  return cause === undefined ? undefined : withLine(String(cause), cause, folder);
}

interface Example {
  readonly task: Task;
  readonly body: object;
}

type Sources = Pick<ServerCradle, 'registry' | 'host'>;

/**
 * The example request that runs a plugin. For a tokenizer or embedding plugin, this is the example of
 * another plugin, with the first listed tokenizer or model. `undefined` if there is no offline example.
 *
 * @throws the error of a tokenizer or embedding plugin that cannot be created or cannot list its names
 */
export async function exampleFor(entry: PluginEntry, sources: Sources): Promise<Example | undefined> {
  const { kind, name } = entry.manifest;
  if (needsKey(entry.manifest)) return undefined;
  if (kind === 'chunker' || kind === 'refinery') {
    return callsNetwork(entry, sources) ? undefined : ownExample(entry.manifest, {});
  }
  if (kind === 'reader' || kind === 'sink') return undefined;
  const option = kind === 'tokenizer' ? 'tokenizer' : 'embedding_model';
  const listed = await firstName(kind, name, sources);
  const user = listed === undefined ? undefined : userOf(kind, sources);
  return user === undefined ? undefined : ownExample(user.manifest, { [option]: listed });
}

function ownExample({ kind, name, example }: Manifest, more: object): Example | undefined {
  if (example === undefined) return undefined;
  return { task: { run: kind === 'chunker' ? 'chunk' : 'refine', name }, body: { ...example, ...more } };
}

async function firstName(
  kind: 'tokenizer' | 'embedding',
  name: string,
  { host }: Sources,
): Promise<string | undefined> {
  if (kind === 'tokenizer') return (await (await host.get(kind, name)).names())[0];
  return (await (await host.get(kind, name)).list())[0]?.name;
}

function userOf(kind: Kind, { registry }: Sources): PluginEntry | undefined {
  return registry.all.find(
    ({ manifest, missing }) =>
      missing.length === 0 && manifest.uses?.includes(kind) === true && manifest.example !== undefined,
  );
}

function callsNetwork(entry: PluginEntry, { registry }: Sources): boolean {
  const { options = NO_OPTIONS, example, uses = [] } = entry.manifest;
  if (!uses.includes('embedding')) return false;
  const schemas = Object.entries(options.properties) as [string, { readonly default?: unknown }][];
  const defaults = Object.fromEntries(schemas.map(([name, schema]) => [name, schema.default]));
  const asked: Readonly<Record<string, unknown>> = { ...defaults, ...(example as object | undefined) };
  const owners = ownersOf(registry, 'embedding', asked.embedding_model as string);
  return owners.some((owner) => needsKey(owner.manifest));
}
