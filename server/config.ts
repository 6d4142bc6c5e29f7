import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Settings } from '../core/contracts.ts';
import { nearest } from './nearest.ts';

const MEMORY_BYTES = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());

/** A share of the memory that this process may use; work on a body takes several times its size. */
function bytesInFlight(least: number): number {
  return Math.max(least, Math.floor(MEMORY_BYTES / 16));
}

/**
 * The one table of the server's options: it is the flags, the environment variables, the types, the
 * help and the table of the README. An option without `flag` is read from the environment only.
 */
export const OPTIONS = {
  host: option('text', '0.0.0.0', 'Address to listen on.'),
  port: option('integer', 8000, 'Port to listen on; 0 takes a free one.', { minimum: 0, maximum: 65_535 }),
  reload: option('boolean', false, 'Start again when a source file or a plugin changes (development only).'),
  logLevel: option('text', 'info', 'Least severe level to log.', {
    choices: ['debug', 'info', 'warning', 'error'],
  }),
  dataDir: option('text', 'data', 'Folder of the database and of models.'),
  modelsDir: option('text', '', 'Folder of tokenizers and models; by default `models` in the data folder.'),
  plugins: option('list', [], 'Plugins to load, such as `token,recursive`; by default all that are found.'),
  pluginsDir: option('list', [], 'Further folders of plugins, separated by commas.'),
  allowDownloads: option('boolean', false, 'Fetch tokenizers and models that are not on disk from the hub.'),
  workers: option('integer', availableParallelism(), 'Worker threads for large requests; 0 works inline.', {
    minimum: 0,
    maximum: 1024,
    shownDefault: 'number of cores',
  }),
  inlineBytes: option('integer', 4096, 'Largest body in bytes that is worked on without a worker thread.', {
    minimum: 0,
  }),
  queueSize: option('integer', 256, 'Requests that may wait for a worker; more are answered with 503.', {
    minimum: 0,
  }),
  maxBodyBytes: option('integer', 104_857_600, 'Largest request body in bytes.', { minimum: 1 }),
  maxAnswerBytes: option('integer', 1_073_741_824, 'Largest answer in bytes.', { minimum: 1 }),
  maxBytesInFlight: option(
    'integer',
    bytesInFlight(104_857_600),
    'Bytes of request bodies that are read and worked on at the same time; more are answered with 503.',
    { minimum: 1, shownDefault: '1/16 of the memory, at least 104857600' },
  ),
  maxDocuments: option('integer', 10_000, 'Most texts, or lists of chunks, of a request.', { minimum: 1 }),
  maxCharacters: option('integer', 100_000_000, 'Longest text in characters (UTF-16 code units).', {
    minimum: 1,
  }),
  maxChunks: option('integer', 1_000_000, 'Most chunks of a request to a refinery.', { minimum: 1 }),
  maxDelimiters: option('integer', 100, 'Most entries of a list in the options of a request.', {
    minimum: 1,
  }),
  maxDelimiterCharacters: option('integer', 100, 'Longest entry of such a list, in characters.', {
    minimum: 1,
  }),
  maxSteps: option('integer', 100, 'Most steps of a pipeline.', { minimum: 1 }),
  requestTimeout: option('integer', 300, 'Seconds that a request may take, from its last byte on.', {
    minimum: 1,
    maximum: 2_000_000,
  }),
  shutdownGrace: option('integer', 30, 'Seconds that requests in flight have to finish after SIGTERM.', {
    minimum: 1,
    maximum: 2_000_000,
  }),
  workerMemoryMb: option('integer', 0, 'Heap of a worker thread in MB; 0 leaves it to Node.', {
    minimum: 0,
    shownDefault: '0: by the memory of the machine',
  }),
  corsOrigins: option('list', [], 'Origins of web pages that may call the service; `*` is all.'),
  rateLimit: option('integer', 0, 'Requests per minute and client; more are answered with 429. 0 is off.', {
    minimum: 0,
  }),
  trustProxy: option(
    'boolean',
    false,
    'Take the address of a client from X-Forwarded-For, behind a proxy that sets it.',
  ),
  check: option('boolean', false, 'Check configuration, plugins and store, print what is missing, and exit.'),
  apiKeys: variable(
    '',
    'Keys, separated by commas, of which requests must carry one as `Authorization: Bearer`; by default none.',
  ),
  maxModels: option('integer', 4, 'Embedding models that each worker thread keeps open.', { minimum: 1 }),
  maxModelBytes: option(
    'integer',
    1_073_741_824,
    'Memory in bytes that the open models of a worker thread may take.',
    { minimum: 1 },
  ),
  databaseUrl: variable(
    '',
    'Keep pipelines in this PostgreSQL, `postgresql://user:password@host/database`; by default in the data folder.',
  ),
  hfEndpoint: variable('https://huggingface.co', 'Base URL of the hub.'),
  hfToken: variable('', 'Access token for the hub.'),
  hfRevision: variable('main', 'Branch, tag or commit to take from the hub and from its local cache.', {
    // What git refuses in the name of a branch is refused here too, so that it can never be a path.
    pattern: /^(?!.*\.\.)[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/,
    expected: 'a branch, tag or commit of at most 100 letters, digits, ".", "_" and "-"',
  }),
  hfHubCache: variable(
    '',
    "The hub's local cache; by default `hub` in HF_HOME, or ~/.cache/huggingface/hub.",
  ),
  hfHome: variable('', "Home of the hub's clients."),
} as const;

type OptionName = keyof typeof OPTIONS;

/** The configuration of a server. */
export type Config = { readonly [K in OptionName]: Widened<(typeof OPTIONS)[K]['default']> };

type Widened<T> = T extends boolean
  ? boolean
  : T extends number
    ? number
    : T extends string
      ? string
      : readonly string[];
type Value = string | number | boolean | readonly string[];
type Environment = Readonly<Record<string, string | undefined>>;

interface Option<T extends Value = Value> {
  readonly type: 'text' | 'integer' | 'boolean' | 'list';
  readonly default: T;
  readonly description: string;
  readonly hasFlag: boolean;
  readonly choices?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: RegExp;
  /** What the pattern stands for, in words. */
  readonly expected?: string;
  readonly shownDefault?: string;
}

/** A configuration that cannot be used; the message has a line for every problem. */
export class ConfigError extends Error {}

/**
 * Reads the configuration: flags first, then the environment, then the defaults.
 *
 * @throws ConfigError
 */
export function readConfig(args: readonly string[], env: Environment): Config {
  const problems: string[] = [];
  const flags = parseFlags(args, problems);
  const entries = Object.entries(OPTIONS).map(([name, option]) => {
    const given = flags.get(name) ?? env[variableName(name)];
    const place = flags.has(name) ? flagName(name) : variableName(name);
    return [
      name,
      given === undefined || given === '' ? option.default : parse(option, given, place, problems),
    ];
  });
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return Object.fromEntries(entries) as unknown as Config;
}

/** The configuration with nothing set but what is given, for an app that mounts the service. */
export function configOf(given: Partial<Config> = {}): Config {
  const defaults = Object.fromEntries(
    Object.entries(OPTIONS).map(([name, option]) => [name, option.default]),
  );
  return { ...(defaults as unknown as Config), ...given };
}

/** The part of the configuration that plugins see. */
export function settingsOf(config: Config, home: string): Settings {
  const hubHome = config.hfHome || join(home, '.cache', 'huggingface');
  return {
    modelsDir: config.modelsDir || join(config.dataDir, 'models'),
    hubCacheDir: config.hfHubCache || join(hubHome, 'hub'),
    allowDownloads: config.allowDownloads,
    hubEndpoint: config.hfEndpoint.replace(/\/+$/, ''),
    hubToken: config.hfToken,
    hubRevision: config.hfRevision,
    memoryBytes: MEMORY_BYTES,
  };
}

/** The text of `--help`. */
export function helpText(): string {
  const rows = describeOptions().map(({ flag, variable, shown, description }) => {
    return `  ${(flag || variable).padEnd(20)} ${description}${shown === '' ? '' : ` (${shown})`}`;
  });
  return [
    'chunksmith: splits text into chunks over HTTP',
    '',
    'Usage: npm start -- [options]',
    '',
    ...rows,
    `  ${'--help'.padEnd(20)} Show this text and exit.`,
    `  ${'--version'.padEnd(20)} Show the version and exit.`,
    '',
    'Every flag can be set by the environment variable of its name in capitals: --log-level is LOG_LEVEL.',
  ].join('\n');
}

/** The options as rows of the README's table. */
export function describeOptions() {
  return Object.entries(OPTIONS).map(([name, option]: [string, Option]) => ({
    flag: option.hasFlag ? flagName(name) : '',
    variable: variableName(name),
    shown: option.shownDefault ?? String(option.default),
    description: option.choices
      ? `${option.description} One of ${option.choices.join(', ')}.`
      : option.description,
  }));
}

function option<const T extends Value>(
  type: Option['type'],
  value: T,
  description: string,
  more: Omit<Partial<Option>, 'default'> = {},
): Option<T> {
  return { type, default: value, description, hasFlag: true, ...more };
}

function variable(
  value: string,
  description: string,
  more: Pick<Option, 'pattern' | 'expected'> = {},
): Option<string> {
  return { type: 'text', default: value, description, hasFlag: false, ...more };
}

function flagName(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function variableName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

function parseFlags(args: readonly string[], problems: string[]): Map<string, string> {
  const known = new Map(
    Object.entries(OPTIONS)
      .filter(([, option]) => option.hasFlag)
      .map(([name, option]) => [flagName(name).slice(2), { name, option }]),
  );
  const options = Object.fromEntries(
    [...known].map(([flag, { option }]) => [
      flag,
      option.type === 'boolean' ? { type: 'boolean' as const } : { type: 'string' as const, multiple: true },
    ]),
  );
  const { tokens } = parseArgs({
    args: [...args],
    options,
    strict: false,
    tokens: true,
    allowNegative: true,
  });
  const values = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind === 'positional') problems.push(`${token.value}: not a flag; flags begin with --`);
    if (token.kind !== 'option') continue;
    const negated = token.rawName.startsWith('--no-');
    const flag = negated ? token.rawName.slice('--no-'.length) : token.name;
    const entry = known.get(flag);
    if (entry === undefined) problems.push(unknownFlag(token.rawName, [...known.keys()]));
    else if (entry.option.type === 'boolean') values.set(entry.name, token.value ?? String(!negated));
    else if (token.value === undefined) problems.push(`${token.rawName}: a value is missing`);
    else if (entry.option.type === 'list')
      values.set(entry.name, append(values.get(entry.name), token.value));
    else values.set(entry.name, token.value);
  }
  return values;
}

function append(list: string | undefined, value: string): string {
  return list === undefined ? value : `${list},${value}`;
}

function unknownFlag(name: string, known: readonly string[]): string {
  const near = nearest(name.replace(/^-+(no-)?/, ''), known);
  return `${name}: unknown flag${near === undefined ? '; --help lists them' : `, did you mean --${near}?`}`;
}

function parse(option: Option, given: string, place: string, problems: string[]): Value {
  const refuse = (expected: string) => {
    problems.push(`${place}: expected ${expected}, got ${JSON.stringify(given)}`);
    return option.default;
  };
  if (option.type === 'list')
    return given
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  if (option.type === 'boolean') {
    if (!['true', 'false', '1', '0'].includes(given.toLowerCase())) return refuse('true or false');
    return ['true', '1'].includes(given.toLowerCase());
  }
  if (option.type === 'integer') {
    const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = option;
    const value = Number(given);
    const isFit = /^\d+$/.test(given) && value >= minimum && value <= maximum;
    return isFit ? value : refuse(`an integer from ${minimum} to ${maximum}`);
  }
  const { choices, pattern, expected = '' } = option;
  if (pattern?.test(given) === false) return refuse(expected);
  return choices === undefined || choices.includes(given) ? given : refuse(`one of ${choices.join(', ')}`);
}
