import { flagName, type Machine, type Option, readMachine, type ValueOf, variableName } from './option.ts';
import { OPTION_ENTRIES, type OPTIONS, type OptionName, RETIRED_OPTIONS } from './options.ts';
import { parseValue } from './values.ts';

/** The configuration of a server: the values of all options, and settings that users cannot change. */
export type Config = { readonly [K in OptionName]: ValueOf[(typeof OPTIONS)[K]['type']] } & Unlisted;

interface Unlisted {
  /** Maximum product of an evaluation's document characters and its number of different ways to chunk. */
  readonly maxEvaluationCharacters: number;
  /** Maximum files in a shard of a job. */
  readonly bulkShardDocuments: number;
  /** Destination of the log instead of standard output: `stderr`, or the path of a file. */
  readonly logTo?: string;
}

const UNLISTED: Unlisted = { maxEvaluationCharacters: 10_000_000, bulkShardDocuments: 10_000 };

/** The flags of a command line: texts, or booleans for flags without a value. */
export type Flags = { readonly [K in OptionName]?: string | boolean | undefined };

export type Environment = Readonly<Record<string, string | undefined>>;

/** The configuration cannot be used. The message has a line for every problem. */
export class ConfigError extends Error {}

/** Reads flags, otherwise environment variables, otherwise defaults, for each option. @throws ConfigError */
export function readConfig(flags: Flags, env: Environment, machine: Machine = readMachine()): Config {
  const problems: string[] = [];
  const entries = OPTION_ENTRIES.map(([name, option]) => {
    const variable = variableName(name);
    const flag = flags[name];
    const [place, text] = flag === undefined ? [variable, env[variable]] : [flagName(name), String(flag)];
    if (text === undefined || (text === '' && option.isNeverEmpty !== true)) {
      return [name, defaultOf(option, machine)];
    }
    const parsed = parseValue(option, text);
    if ('value' in parsed) return [name, parsed.value];
    const got = option.isSecret === true ? '' : `, got ${JSON.stringify(text)}`;
    problems.push(`${place}: expected ${parsed.expected}${got}`);
    return [name, undefined];
  });
  const read: Config = { ...(Object.fromEntries(entries) as Config), ...UNLISTED };
  const isChosen = (flags.processes ?? env.PROCESSES ?? '') !== '';
  const config = read.store === 'memory' && !isChosen ? { ...read, processes: 1 } : read;
  if (config.store === 'memory' && config.processes > 1) {
    problems.push('--store memory: several processes do not share it; remove it, or set --processes 1');
  }
  if (config.store === 'memory' && (config.databaseUrl ?? '') !== '') {
    problems.push('--store memory: DATABASE_URL is set too; remove one of the two');
  }
  const problemOfJobs = problems.length > 0 ? undefined : problemOfRole(config);
  if (problemOfJobs !== undefined) problems.push(problemOfJobs);
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return config;
}

/** A warning for each retired option that is set. */
export function retiredIn(flags: Readonly<Record<string, unknown>>, env: Environment): string[] {
  const flagged = RETIRED_OPTIONS.filter((name) => flags[name] !== undefined).map(flagName);
  const variables = RETIRED_OPTIONS.map(variableName).filter((name) => env[name] !== undefined);
  return [...flagged, ...variables].map((name) => `${name} no longer has an effect; remove it`);
}

/** The given values, and the defaults of all other options, for an app that mounts the service. */
export function configOf(given: Partial<Config> = {}, machine: Machine = readMachine()): Config {
  const defaults = OPTION_ENTRIES.map(([name, option]) => [name, defaultOf(option, machine)]);
  return { ...(Object.fromEntries(defaults) as Config), ...UNLISTED, ...given };
}

/** Whether a server accepts jobs. It does if a folder or a connection is configured. */
export function takesJobs({ bulkRoot, bulkConnections }: JobSettings): boolean {
  return bulkRoot !== '' || bulkConnections !== '';
}

type JobSettings = Pick<Config, 'bulkRoot' | 'bulkConnections'>;

/** The share of a process in what the processes of a server have together. */
export function shareOf(config: Config): Config {
  const { processes, workers, bulkConcurrency, queueSize, maxBytesInFlight } = config;
  const share = (of: number) => Math.ceil(of / processes);
  return {
    ...config,
    workers: share(workers),
    bulkConcurrency: share(bulkConcurrency),
    queueSize: share(queueSize),
    maxBytesInFlight: share(maxBytesInFlight),
  };
}

function problemOfRole(config: Config): string | undefined {
  const { role, store } = config;
  if (role === 'worker' && !takesJobs(config)) {
    return '--role worker: there are no jobs without --bulk-root or --bulk-connections; set one of them';
  }
  if (role !== 'all' && store === 'memory' && takesJobs(config)) {
    return `--role ${role}: with --store memory no other process sees the jobs; remove one of the two`;
  }
  return undefined;
}

function defaultOf({ default: value }: Option, machine: Machine) {
  return typeof value === 'function' ? value(machine) : value;
}
