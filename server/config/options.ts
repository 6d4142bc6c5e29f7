import type { Option, Read } from './option.ts';
import { readDatabaseUrl, readOrigin, readServiceUrl } from './urls.ts';
import { writeSize } from './values.ts';

/** Longest time in seconds that a Node timer supports. */
const LONGEST_WAIT = 2_000_000;

/** Bodies may take a share of the memory: processing a body takes several times its size. */
const LEAST_BYTES_IN_FLIGHT = 104_857_600;

/**
 * The one table of the server's options, in the order of the help. The flags, the environment variables, the type of
 * the configuration, the help and the table of OPTIONS.md are derived from it.
 */
export const OPTIONS = {
  host: { type: 'text', default: '0.0.0.0', description: 'Address to listen on.' },
  port: {
    type: 'integer',
    default: 8000,
    description: 'Port to listen on; 0 picks a free one.',
    minimum: 0,
    maximum: 65_535,
  },
  reload: {
    type: 'boolean',
    default: false,
    description: 'Restart when a source file or a plugin changes (development only).',
  },
  logLevel: {
    type: 'text',
    default: 'info',
    description: 'Lowest level to log.',
    choices: ['debug', 'info', 'warning', 'error'],
    synonyms: { warn: 'warning' },
  },
  logFormat: {
    type: 'text',
    default: 'auto',
    description: 'JSON lines, or lines for people; auto is pretty on a terminal and json elsewhere.',
    choices: ['auto', 'json', 'pretty'],
  },
  logTo: {
    type: 'text',
    default: 'stdout',
    description: 'Where the log is written.',
    choices: ['stdout', 'stderr'],
  },
  dataDir: { type: 'text', default: 'data', description: 'Folder of the database and of models.' },
  store: {
    type: 'text',
    default: 'database',
    description:
      'Where pipelines are stored. `database` is that of DATABASE_URL, or a file in the data folder; `memory` writes nothing, and they are lost when the server stops.',
    choices: ['database', 'memory'],
  },
  modelsDir: {
    type: 'text',
    default: '',
    description:
      'Folder of tokenizers and models, which must exist unless --allow-downloads creates it; by default `models` in the data folder.',
  },
  plugins: {
    type: 'list',
    default: [],
    description: 'Plugins to load, such as `token,recursive`; by default all that are found.',
  },
  pluginsDir: {
    type: 'list',
    default: [],
    description: 'Additional folders of plugins, separated by commas.',
  },
  pluginsFrom: {
    type: 'list',
    default: [],
    description:
      'npm packages with plugins, such as `chunksmith-plugin-a,@acme/chunkers`, found from the working directory.',
    read: readPackageName,
  },
  tolerateBrokenPlugins: {
    type: 'boolean',
    default: false,
    description: 'Start without broken plugins, and list them as broken; by default one stops the start.',
  },
  allowDownloads: {
    type: 'boolean',
    default: false,
    description: 'Fetch tokenizers and models that are not on disk from the hub.',
  },
  workers: {
    type: 'integer',
    default: ({ cores }) => cores,
    description: 'Worker threads for large requests; 0 runs them inline.',
    minimum: 0,
    maximum: 1024,
    shownDefault: 'number of cores',
  },
  inlineBytes: {
    type: 'size',
    default: 4096,
    description: 'Largest body that is processed without a worker thread.',
    minimum: 0,
  },
  queueSize: {
    type: 'integer',
    default: 256,
    description: 'Requests that may wait for a worker; more are answered with 503.',
    minimum: 0,
  },
  maxBodyBytes: {
    type: 'size',
    default: 104_857_600,
    description: 'Largest request body.',
    minimum: 1,
  },
  maxAnswerBytes: {
    type: 'size',
    default: 1_073_741_824,
    description: 'Largest answer.',
    minimum: 1,
  },
  maxBytesInFlight: {
    type: 'size',
    default: ({ memoryBytes }) => Math.max(LEAST_BYTES_IN_FLIGHT, Math.floor(memoryBytes / 16)),
    description:
      'Total bytes of request bodies, answers and documents of jobs in flight at the same time; a body over 4 KiB that would exceed it is answered with 503.',
    minimum: 1,
    shownDefault: `1/16 of the memory, at least ${writeSize(LEAST_BYTES_IN_FLIGHT)}`,
  },
  maxDocuments: {
    type: 'integer',
    default: 10_000,
    description: 'Maximum texts, documents or lists of chunks per request.',
    minimum: 1,
  },
  maxMetadataBytes: {
    type: 'size',
    default: 16_384,
    description: 'Largest metadata of a document; each of its chunks gets a copy.',
    minimum: 2,
  },
  maxPlaces: {
    type: 'integer',
    default: 200_000,
    description: 'Maximum places of a document.',
    minimum: 1,
  },
  maxCharacters: {
    type: 'integer',
    default: 100_000_000,
    description: 'Longest text in characters (UTF-16 code units).',
    minimum: 1,
  },
  maxChunks: {
    type: 'integer',
    default: 1_000_000,
    description: 'Maximum chunks per request to a refinery.',
    minimum: 1,
  },
  maxEvaluationCharacters: {
    type: 'integer',
    default: 10_000_000,
    description:
      'Maximum characters that a request to evaluate embeds: its documents count once for each different candidate.',
    minimum: 1,
  },
  maxDelimiters: {
    type: 'integer',
    default: 100,
    description: "Maximum entries of a list in a request's options, such as delimiters.",
    minimum: 1,
  },
  maxDelimiterCharacters: {
    type: 'integer',
    default: 100,
    description: 'Longest entry of such a list in characters (UTF-16 code units).',
    minimum: 1,
  },
  maxSteps: { type: 'integer', default: 100, description: 'Maximum steps of a pipeline.', minimum: 1 },
  requestTimeout: {
    type: 'integer',
    default: 300,
    description: 'Seconds that a request may take after its last byte has arrived.',
    minimum: 1,
    maximum: LONGEST_WAIT,
  },
  shutdownGrace: {
    type: 'integer',
    default: 30,
    description: 'Seconds that requests in flight have to finish after SIGTERM.',
    minimum: 1,
    maximum: LONGEST_WAIT,
  },
  workerMemoryMb: {
    type: 'integer',
    default: 0,
    description: "Heap of a worker thread in MB; 0 uses Node's default.",
    minimum: 0,
    shownDefault: "0: depends on the machine's memory",
  },
  bulkRoot: {
    type: 'text',
    default: '',
    description: 'Folder inside which jobs read and write files; by default they may not use the disk.',
  },
  bulkConnections: {
    type: 'text',
    default: '',
    description:
      'JSON file of the buckets that jobs may use, by name, see [Buckets](CORPORA.md#buckets); read at the start.',
  },
  role: {
    type: 'text',
    default: 'all',
    description:
      'Role of the process: `api` answers requests and leaves jobs to others; `worker` runs jobs and answers only requests for operators.',
    choices: ['all', 'api', 'worker'],
  },
  bulkLease: {
    type: 'integer',
    default: 30,
    description: "Seconds without a sign of life after which another worker takes over a worker's work.",
    minimum: 1,
    maximum: 3600,
  },
  bulkKeep: {
    type: 'integer',
    default: 168,
    description: 'Hours that a job and its output are kept after it ends.',
    minimum: 1,
    maximum: 87_600,
  },
  bulkConcurrency: {
    type: 'integer',
    default: ({ cores }) => cores,
    description: 'Worker threads that jobs may use at once; requests always come first.',
    minimum: 1,
    maximum: 1024,
    shownDefault: 'number of cores',
  },
  bulkShardBytes: {
    type: 'size',
    default: 33_554_432,
    description: "Largest shard of a job's source: the unit of work that is retried if its worker is lost.",
    minimum: 1,
  },
  bulkShardDocuments: {
    type: 'integer',
    default: 10_000,
    description: 'Maximum files per shard.',
    minimum: 1,
  },
  bulkCallbackPrivate: {
    type: 'boolean',
    default: false,
    description: 'Allow callbacks of jobs to private and loopback addresses too.',
  },
  bulkCallbackSecret: {
    type: 'text',
    default: '',
    description:
      'Secret that signs the callbacks of jobs, see [Callbacks](CORPORA.md#callbacks); without it callbacks are off.',
    isVariableOnly: true,
    isSecret: true,
    pattern: /^[\x21-\x7e]{16,}$/,
    expected: 'at least 16 ASCII letters, digits and punctuation characters',
  },
  corsOrigins: {
    type: 'list',
    default: [],
    description: 'Origins of web pages that may call the service; `*` allows all.',
    read: readOrigin,
  },
  rateLimit: {
    type: 'integer',
    default: 0,
    description: 'Requests per minute and client; more are answered with 429. 0 turns the limit off.',
    minimum: 0,
  },
  trustProxy: {
    type: 'boolean',
    default: false,
    description: 'Take the address of a client from X-Forwarded-For, behind a proxy that sets it.',
  },
  check: {
    type: 'boolean',
    default: false,
    description: 'Check configuration, port, plugins and store, print what is missing, and exit.',
  },
  playground: {
    type: 'boolean',
    default: true,
    description: 'Serve `/playground`, a page to try and compare settings; `--no-playground` turns it off.',
  },
  docsNeedKey: {
    type: 'boolean',
    default: false,
    description:
      'Require a key for `/docs`, `/redoc`, `/playground` and `/openapi.json` too, if keys are set.',
  },
  apiKeysFile: {
    type: 'text',
    default: '',
    description: 'File with the keys, one per line, instead of `API_KEYS`; read at the start.',
  },
  apiKeys: {
    type: 'text',
    default: '',
    description:
      'Keys, separated by commas; requests must carry one as `Authorization: Bearer`. By default none is required.',
    isVariableOnly: true,
    isSecret: true,
    isNeverEmpty: true,
    pattern: /[^\s,]/,
    expected: 'a key, or several separated by commas; unset the variable to require none',
  },
  modelAliases: {
    type: 'pairs',
    default: {},
    description:
      'Aliases of embedding models, such as `minishlab/potion-base-8M=chunksmith/static-en-256`, separated by commas.',
    shownDefault: '',
  },
  idNamespace: {
    type: 'text',
    default: '',
    description: 'Namespace of chunk ids for requests that give none; ids differ between namespaces.',
    pattern: /^.{0,512}$/su,
    expected: 'at most 512 characters',
  },
  maxModels: {
    type: 'integer',
    default: 4,
    description: 'Embedding models that each worker thread keeps open.',
    minimum: 1,
  },
  maxModelBytes: {
    type: 'size',
    default: 1_073_741_824,
    description: 'Memory that the open models of a worker thread may use.',
    minimum: 1,
  },
  databaseUrl: {
    type: 'text',
    default: '',
    description:
      'Keep pipelines in this PostgreSQL, `postgresql://user:password@host/database`, whose database must exist; by default they are in the data folder.',
    isVariableOnly: true,
    isSecret: true,
    read: readDatabaseUrl,
  },
  hfEndpoint: {
    type: 'text',
    default: 'https://huggingface.co',
    description: 'Base URL of the hub.',
    isVariableOnly: true,
    read: readServiceUrl,
  },
  hfToken: {
    type: 'text',
    default: '',
    description: 'Access token for the hub.',
    isVariableOnly: true,
    isSecret: true,
  },
  hfRevision: {
    type: 'text',
    default: 'main',
    description: 'Branch, tag or commit to take from the hub and from its local cache.',
    isVariableOnly: true,
    // What git refuses as a branch name is refused here too, so that it can never be a path.
    pattern: /^(?!.*\.\.)[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/,
    expected: 'a branch, tag or commit of at most 100 letters, digits, ".", "_" and "-"',
  },
  hfHubCache: {
    type: 'text',
    default: '',
    description: "The hub's local cache; by default `hub` in HF_HOME, or ~/.cache/huggingface/hub.",
    isVariableOnly: true,
  },
  hfHome: { type: 'text', default: '', description: "Home of the hub's clients.", isVariableOnly: true },
} as const satisfies Readonly<Record<string, Option>>;

export type OptionName = keyof typeof OPTIONS;

/** The options as pairs, from which the rest is derived. */
export const OPTION_ENTRIES = Object.entries(OPTIONS) as readonly (readonly [OptionName, Option])[];

const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/** Parses the name of an npm package, without a version. */
function readPackageName(text: string): Read<string> {
  if (NAME.test(text)) return { value: text };
  return { expected: 'the name of an npm package; for a folder use --plugins-dir' };
}
