import { flagName, type Option, type OptionType, optionOf, type Read, variableName } from './option.ts';
import { readDatabaseUrl, readOrigin, readServiceUrl, writeSize } from './values.ts';

/** Maximum seconds of a timeout: Node's timers end at about 2 147 483 s. */
const MAX_WAIT = 2_000_000;

/** Minimum default of the bytes in flight. With more memory, the default is a share of the memory. */
const MIN_BYTES_IN_FLIGHT = 104_857_600;

/** Cores per process of a server by default: one process cannot feed more of them with requests of medium size. */
const CORES_PER_PROCESS = 4;

const text = optionOf('text');
const integer = optionOf('integer');
const size = optionOf('size');
const boolean = optionOf('boolean');
const list = optionOf('list');
const pairs = optionOf('pairs');
const proxies = optionOf('proxies');

/**
 * All options of the server, in the order of the help. This table defines the flags, environment variables,
 * the type of the configuration, the help and the table of OPTIONS.md.
 */
export const OPTIONS = {
  host: text('0.0.0.0', 'Address to listen on.'),
  port: integer(8000, 'Port to listen on; 0 picks a free one.', { minimum: 0, maximum: 65_535 }),
  reload: boolean(false, 'Restart when a source file or a plugin changes (development only).'),
  logLevel: text('info', 'Lowest level to log.', {
    choices: ['debug', 'info', 'warning', 'error'],
    synonyms: { warn: 'warning' },
  }),
  logFormat: text(
    'auto',
    'JSON lines, or lines for people; auto is pretty on a terminal and json elsewhere.',
    { choices: ['auto', 'json', 'pretty'] },
  ),
  dataDir: text('data', 'Folder of the database and of models.'),
  store: text(
    'database',
    'Where pipelines are stored. `database` is that of DATABASE_URL, or a file in the data folder; `memory` writes nothing, and they are lost when the server stops.',
    { choices: ['database', 'memory'] },
  ),
  modelsDir: text(
    '',
    'Folder of tokenizers and models, which must exist unless --allow-downloads creates it; by default `models` in the data folder.',
  ),
  plugins: list([], 'Plugins to load, such as `token,recursive`; by default all that are found.'),
  pluginsDir: list([], 'Additional folders of plugins, separated by commas.'),
  pluginsFrom: list(
    [],
    'npm packages with plugins, such as `chunksmith-plugin-a,@acme/chunkers`, found from the working directory.',
    { read: readPackageName },
  ),
  tolerateBrokenPlugins: boolean(
    false,
    'Start without broken plugins, and list them as broken; by default one stops the start.',
  ),
  allowDownloads: boolean(false, 'Fetch tokenizers and models that are not on disk from the hub.'),
  workers: integer(({ cores }) => cores, 'Worker threads for large requests; 0 runs them inline.', {
    minimum: 0,
    maximum: 1024,
    shownDefault: 'number of cores',
  }),
  processes: integer(
    ({ cores }) => Math.max(1, Math.floor(cores / CORES_PER_PROCESS)),
    'Processes that answer requests, and share worker threads, queue and bytes in flight; one of them feeds about 4 cores with requests of 256 KB. With `--store memory` it is 1.',
    { maximum: 256, shownDefault: `number of cores / ${CORES_PER_PROCESS}, at least 1` },
  ),
  inlineBytes: size(4096, 'Largest body that is processed without a worker thread.', { minimum: 0 }),
  queueSize: integer(256, 'Requests that may wait for a worker; more are answered with 503.', { minimum: 0 }),
  maxBodyBytes: size(104_857_600, 'Largest request body.'),
  maxAnswerBytes: size(1_073_741_824, 'Largest answer.'),
  maxBytesInFlight: size(
    ({ memoryBytes }) => Math.max(MIN_BYTES_IN_FLIGHT, Math.floor(memoryBytes / 16)),
    'Total bytes of request bodies, answers and documents of jobs in flight at the same time; a body over 4 KiB that would exceed it is answered with 503.',
    { shownDefault: `1/16 of the memory, at least ${writeSize(MIN_BYTES_IN_FLIGHT)}` },
  ),
  maxDocuments: integer(10_000, 'Maximum texts, documents or lists of chunks per request.'),
  maxCharacters: integer(100_000_000, 'Longest text in characters (UTF-16 code units).'),
  maxChunks: integer(1_000_000, 'Maximum chunks per request to a refinery.'),
  requestTimeout: integer(300, 'Seconds that a request may take after its last byte has arrived.', {
    maximum: MAX_WAIT,
  }),
  readerSeconds: integer(
    30,
    'Seconds that reading a file in a thread may take, such as a PDF or an Office file, besides those for its size.',
    { maximum: MAX_WAIT },
  ),
  readerSecondsPerMb: integer(
    30,
    'Seconds that it may take for each MB of the file; never more than `--request-timeout`.',
    { minimum: 0, maximum: MAX_WAIT },
  ),
  shutdownGrace: integer(30, 'Seconds that requests in flight have to finish after SIGTERM.', {
    maximum: MAX_WAIT,
  }),
  workerMemoryMb: integer(0, "Heap of a worker thread in MB; 0 uses Node's default.", {
    minimum: 0,
    shownDefault: "0: depends on the machine's memory",
  }),
  bulkRoot: text(
    '',
    'Folder inside which jobs read and write files, and keep chunksmith-jobs/<id>/ where they have no target folder; by default they may not use the disk.',
  ),
  bulkConnections: text(
    '',
    'JSON file of the buckets that jobs may use, by name, see [Buckets](CORPORA.md#buckets); read at the start.',
  ),
  role: text(
    'all',
    'Role of the process: `api` answers requests and leaves jobs to others; `worker` runs jobs and answers only requests for operators.',
    { choices: ['all', 'api', 'worker'] },
  ),
  bulkLease: integer(
    30,
    "Seconds without a sign of life after which another worker takes over a worker's work.",
    { maximum: 3600 },
  ),
  bulkKeep: integer(168, 'Hours that a job and its output are kept after it ends.', { maximum: 87_600 }),
  bulkConcurrency: integer(
    ({ cores }) => cores,
    'Worker threads that jobs may use at once; requests always come first.',
    { maximum: 1024, shownDefault: 'number of cores' },
  ),
  bulkShardBytes: size(
    33_554_432,
    "Largest shard of a job's source: the unit of work that is retried if its worker is lost.",
  ),
  bulkCallbackPrivate: boolean(false, 'Allow callbacks of jobs to private and loopback addresses too.'),
  bulkCallbackSecret: text(
    '',
    'Secret that signs the callbacks of jobs, see [Callbacks](CORPORA.md#callbacks); without it callbacks are off.',
    {
      isSecret: true,
      pattern: /^[\x21-\x7e]{16,}$/,
      expected: 'at least 16 ASCII letters, digits and punctuation characters',
    },
  ),
  corsOrigins: list([], 'Origins of web pages that may call the service; `*` allows all.', {
    read: readOrigin,
  }),
  rateLimit: integer(
    0,
    'Requests per minute that each server answers to one address, or to one IPv6 network of 64 bits; more are answered with 429. 0 turns the limit off.',
    { minimum: 0 },
  ),
  failedKeyLimit: integer(
    0,
    'Wrong keys per minute that each server takes from one address or network, apart from `--rate-limit`; after them it answers the address with 429 wherever a key is needed.',
    { minimum: 0, shownDefault: '0: as `--rate-limit`' },
  ),
  trustProxy: proxies(
    0,
    'Proxies in front of the server, whose entries in X-Forwarded-For it believes: their number, or their addresses and networks. Without a value it is one. See [Behind a proxy](OPERATIONS.md#behind-a-proxy).',
    { shownDefault: 'false' },
  ),
  check: boolean(false, 'Check configuration, port, plugins and store, print what is missing, and exit.'),
  playground: boolean(
    true,
    'Serve `/playground`, a page to try and compare settings; `--no-playground` turns it off.',
  ),
  docsNeedKey: boolean(
    false,
    'Require a key for `/docs`, `/redoc`, `/playground` and `/openapi.json` too, if keys are set.',
  ),
  apiKeysFile: text('', 'File with the keys, one per line, instead of `API_KEYS`; read at the start.'),
  apiKeys: text(
    '',
    'Keys, separated by commas; requests must carry one as `Authorization: Bearer`. By default none is required.',
    {
      isSecret: true,
      isNeverEmpty: true,
      pattern: /[^\s,]/,
      expected: 'a key, or several separated by commas; unset the variable to require none',
    },
  ),
  modelAliases: pairs(
    {},
    'Aliases of embedding models, such as `minishlab/potion-base-8M=chunksmith/static-en-256`, separated by commas.',
    { shownDefault: '' },
  ),
  idNamespace: text(
    '',
    'Namespace of chunk ids for requests that give none; ids differ between namespaces.',
    { pattern: /^.{0,512}$/su, expected: 'at most 512 characters' },
  ),
  maxModels: integer(4, 'Embedding models that each worker thread keeps open.'),
  maxModelBytes: size(1_073_741_824, 'Memory that the open models of a worker thread may use.'),
  databaseUrl: text(
    '',
    'Keep pipelines in this PostgreSQL, `postgresql://user:password@host/database`, whose database must exist; by default they are in the data folder.',
    { isSecret: true, read: readDatabaseUrl },
  ),
  hfEndpoint: text('https://huggingface.co', 'Base URL of the hub.', {
    isVariableOnly: true,
    read: readServiceUrl,
  }),
  hfToken: text('', 'Access token for the hub.', { isSecret: true }),
  // Accepts only valid names of git branches, so that the value cannot be used as a path.
  hfRevision: text('main', 'Branch, tag or commit to take from the hub and from its local cache.', {
    isVariableOnly: true,
    pattern: /^(?!.*\.\.)[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/,
    expected: 'a branch, tag or commit of at most 100 letters, digits, ".", "_" and "-"',
  }),
  hfHubCache: text('', "The hub's local cache; by default `hub` in HF_HOME, or ~/.cache/huggingface/hub.", {
    isVariableOnly: true,
  }),
  hfHome: text('', "Home of the hub's clients.", { isVariableOnly: true }),
};

export type OptionName = keyof typeof OPTIONS;

/** Options of version 1.0 whose values are fixed now. A server that is given one starts, and warns. */
export const RETIRED_OPTIONS = [
  'maxPlaces',
  'maxMetadataBytes',
  'maxDelimiters',
  'maxDelimiterCharacters',
  'maxSteps',
  'maxEvaluationCharacters',
  'bulkShardDocuments',
  'logTo',
];

export const OPTION_ENTRIES = Object.entries(OPTIONS) as readonly (readonly [OptionName, Option])[];

const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

function readPackageName(text: string): Read<string> {
  if (NAME.test(text)) return { value: text };
  return { expected: 'the name of an npm package; for a folder use --plugins-dir' };
}

export interface OptionRow {
  readonly type: OptionType;
  /** Empty if the option has no flag. */
  readonly flag: string;
  readonly variable: string;
  readonly shown: string;
  readonly description: string;
}

/** Removes links: `[Buckets](CORPORA.md#buckets)` becomes `Buckets in server/CORPORA.md`. */
export function withoutLinks(description: string): string {
  return description.replace(/\[([^\]]+)\]\(([^)#]+)[^)]*\)/g, '$1 in server/$2');
}

export function describeOptions(): OptionRow[] {
  return OPTION_ENTRIES.map(([name, option]) => {
    const { type, isVariableOnly = false, isSecret = false, choices, description } = option;
    const value = type === 'size' ? writeSize(option.default as number) : String(option.default);
    return {
      type,
      flag: isVariableOnly || isSecret ? '' : flagName(name),
      variable: variableName(name),
      shown: option.shownDefault ?? value,
      description: choices === undefined ? description : `${description} One of ${choices.join(', ')}.`,
    };
  });
}
