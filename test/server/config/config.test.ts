import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import t from 'tap';
import { withServerFlags } from '../../../server/cli/commands/serve.ts';
import { configOf, type Environment, readConfig, retiredIn, shareOf } from '../../../server/config/config.ts';
import { hubSettingsOf } from '../../../server/config/hub-settings.ts';
import { type Machine, readMachine } from '../../../server/config/option.ts';
import { describeOptions } from '../../../server/config/options.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** What `serve` reads of its arguments and of the variables. */
const read = (args: string[], env: Environment, machine?: Machine) =>
  readConfig(withServerFlags(new Command()).parse(args, { from: 'user' }).opts(), env, machine);

const problemsOf = (args: string[], env: Record<string, string> = {}): string[] => {
  try {
    read(args, env);
    return [];
  } catch (error) {
    return (error as Error).message.split('\n');
  }
};

t.test('the defaults are those of the interface', async (t) => {
  const config = read([], {});
  t.match(config, { host: '0.0.0.0', port: 8000, reload: false, logLevel: 'info' });
  t.match(config, { dataDir: 'data', plugins: [], pluginsDir: [], allowDownloads: false });
  t.equal(config.workers, availableParallelism());
  t.same(configOf(), config, 'an app that mounts the service begins with the same');
  t.same(configOf({ port: 1 }), { ...config, port: 1 });
});

t.test('retired options: a server with one starts with its defaults, and warns', async (t) => {
  const flags = withServerFlags(new Command())
    .parse(['--max-steps', '5', '--port', '1'], { from: 'user' })
    .opts();
  const env = { LOG_TO: 'stderr', LOG_LEVEL: 'warn' };
  t.same(readConfig(flags, env), configOf({ port: 1, logLevel: 'warning' }));
  t.same(
    retiredIn(flags, env),
    ['--max-steps', 'LOG_TO'].map((name) => `${name} no longer has an effect; remove it`),
  );
  t.same(retiredIn({}, {}), []);
});

t.test('defaults follow the machine', async (t) => {
  const large = { cores: 3, memoryBytes: 64e9 };
  for (const config of [read([], {}, large), configOf({}, large)])
    t.match(config, { workers: 3, maxBytesInFlight: 4e9 });
  t.equal(configOf({}, { ...large, memoryBytes: 1e9 }).maxBytesInFlight, 104_857_600, 'a body fits in');
  const { cores, memoryBytes } = readMachine();
  t.equal(cores, availableParallelism());
  t.ok(memoryBytes > 0 && memoryBytes <= totalmem());
});

/** Flags whose value is the number that is written. */
const NUMBERS = [
  'port workers processes queue-size max-models max-documents max-characters max-chunks',
  'request-timeout shutdown-grace worker-memory-mb',
  'reader-seconds reader-seconds-per-mb rate-limit failed-key-limit bulk-concurrency bulk-keep bulk-lease',
].flatMap((flags) => flags.split(' '));
const SIZES = [
  'inline-bytes max-model-bytes max-body-bytes max-answer-bytes max-bytes-in-flight',
  'bulk-shard-bytes',
].flatMap((flags) => flags.split(' '));
/** Flags whose value is the text itself, if it has no choices. */
const TEXTS = 'host data-dir models-dir api-keys-file bulk-root bulk-connections id-namespace'.split(' ');
const CHOICES = {
  'log-level': 'warning',
  'log-format': 'json',
  store: 'memory',
  role: 'api',
};
const LISTS = 'plugins plugins-dir plugins-from'.split(' ');
const SWITCHES = [
  'bulk-callback-private reload allow-downloads check docs-need-key playground',
  'tolerate-broken-plugins',
].flatMap((flags) => flags.split(' '));

t.test('every flag is read, as --flag value, as --flag=value and as a variable', async (t) => {
  const given: readonly (readonly [flag: string, text: string, value: unknown])[] = [
    ...NUMBERS.map((flag, index) => [flag, `${100 + index}`, 100 + index] as const),
    ...SIZES.map((flag, index) => [flag, `${9 + index}KB`, 9000 + 1000 * index] as const),
    ...TEXTS.map((flag) => [flag, 'kb: 漢', 'kb: 漢'] as const),
    ...Object.entries(CHOICES).map(([flag, text]) => [flag, text, text] as const),
    ...LISTS.map((flag) => [flag, 'token, @acme/b,', ['token', '@acme/b']] as const),
    ['cors-origins', 'https://a.example,https://b.example', ['https://a.example', 'https://b.example']],
    ['trust-proxy', '10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
    ['model-aliases', 'a/b=c/d, x=c/d,', { 'a/b': 'c/d', x: 'c/d' }],
  ];
  for (const [flag, text, value] of given) {
    const name = flag.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    const variable = flag.replaceAll('-', '_').toUpperCase();
    t.match(read([`--${flag}`, text], {}), { [name]: value }, flag);
    t.match(read([`--${flag}=${text}`], {}), { [name]: value }, flag);
    t.match(read([], { [variable]: text }), { [name]: value }, flag);
  }
  const flags = describeOptions().flatMap(({ flag }) => (flag === '' ? [] : [flag.slice(2)]));
  t.same([...given.map(([flag]) => flag), ...SWITCHES].sort(), flags.sort(), 'none is left out here');
  const pairs = read(['--model-aliases', '__proto__=a'], {}).modelAliases;
  t.same(Object.entries(pairs), [['__proto__', 'a']]);
  t.equal(read(['--inline-bytes', '0'], {}).inlineBytes, 0);
});

t.test('there is a process for every 4 cores, and one for a store in memory', async (t) => {
  const processesOf = (cores: number, args: string[] = []) =>
    read(args, {}, { cores, memoryBytes: 8e9 }).processes;
  t.same(
    [1, 2, 7, 8, 32].map((cores) => processesOf(cores)),
    [1, 1, 1, 2, 8],
  );
  t.equal(processesOf(32, ['--store', 'memory']), 1);
  t.throws(
    () => processesOf(2, ['--store', 'memory', '--processes', '2']),
    /--store memory: several processes/,
  );
  const whole = configOf({
    processes: 4,
    workers: 6,
    queueSize: 256,
    bulkConcurrency: 6,
    maxBytesInFlight: 1e9,
  });
  t.match(shareOf(whole), { workers: 2, queueSize: 64, bulkConcurrency: 2, maxBytesInFlight: 25e7 });
  t.equal(shareOf({ ...whole, workers: 0 }).workers, 0);
});

t.test('switches', async (t) => {
  const allows = (...args: string[]) => read(args, {}).allowDownloads;
  for (const flag of ['--allow-downloads', '--allow-downloads=true', '--allow-downloads=1'])
    t.equal(allows(flag), true, flag);
  for (const flag of ['--allow-downloads=false', '--no-allow-downloads']) t.equal(allows(flag), false, flag);
  t.equal(allows('--no-allow-downloads', '--allow-downloads'), true, 'the last one counts');
  for (const text of ['true', 'TRUE', '1']) t.equal(read([], { RELOAD: text }).reload, true);
  for (const text of ['false', '0', '']) t.equal(read([], { RELOAD: text }).reload, false);
  t.equal(read(['--no-reload'], { RELOAD: '1' }).reload, false);
});

t.test('proxies are a switch, a number, or addresses and networks', async (t) => {
  const trusted = (...args: string[]) => read(args, {}).trustProxy;
  t.equal(trusted(), 0);
  for (const args of [['--trust-proxy'], ['--trust-proxy=true'], ['--trust-proxy', '1']])
    t.equal(trusted(...args), 1, 'as a switch it is one proxy');
  for (const args of [['--no-trust-proxy'], ['--trust-proxy=false'], ['--trust-proxy', '0']])
    t.equal(trusted(...args), 0);
  t.equal(trusted('--trust-proxy', '--check'), 1, 'a flag after it is no value');
  t.equal(trusted('--trust-proxy', '2'), 2);
  t.same(trusted('--trust-proxy=LOOPBACK,fd00::/8'), ['loopback', 'fd00::/8']);
  for (const [text, value] of [
    ['1', 1],
    ['true', 1],
    ['3', 3],
    ['', 0],
    ['10.0.0.1', ['10.0.0.1']],
  ] as const)
    t.same(read([], { TRUST_PROXY: text }).trustProxy, value, text);
  const bad = [
    '-1',
    '1.5',
    '101',
    'proxy',
    '10.0.0',
    '10.0.0.0/33',
    '10.0.0.0/0',
    '::/129',
    '10.0.0.1:80',
    '10.0.0.1/8/8',
  ];
  for (const text of [...bad, '10.0.0.1,x', ',', 'all'])
    t.match(
      problemsOf([], { TRUST_PROXY: text }),
      [/^TRUST_PROXY: expected true for one proxy.*, got "/],
      text,
    );
});

t.test('flags go before variables, and variables before defaults', async (t) => {
  const env = { PORT: '9000', HOST: '::1', PLUGINS: 'token,lines' };
  t.match(read(['--port', '9001'], env), { port: 9001, host: '::1', plugins: ['token', 'lines'] });
  t.match(read(['--plugins', 'words'], env), { plugins: ['words'] });
  t.equal(read(['--port=1', '--port=2'], {}).port, 2, 'the last one counts');
  const { pluginsDir } = read(['--plugins-dir=a', '--plugins-dir', 'b,c'], {});
  t.same(pluginsDir, ['a', 'b', 'c'], 'lists add up');
  t.equal(read([], { PORT: '' }).port, 8000, 'an empty variable is none');
  t.equal(read([], { port: '9000' }).port, 8000, 'variables are in capitals');
});

const SECRET = '0123456789abcdef';
const SECRETS = ['short', `${SECRET} \n`];
const REVISIONS = ['..', '.x', '-x', 'a..b', 'a/b', 'refs/pr/1', 'a b', 'a%2fb', 'a\n', 'ä', 'x'.repeat(101)];
const ORIGINS = ['not-a-url', 'app.example', 'https://app.example/path', 'https://', 'https://a b'];
const NO_SIZES = ['0', '-1', '1.5', 'MB', '10 M B', '1e6', '10XB', '1,5MB', '9999999TB'];
const NO_SIZE = /^expected a size of at least 1 in bytes, such as 1048576, 10MB or 512KiB, got /;
const NO_ORIGIN = /^expected origins such as https:\/\/app\.example, without a path, or \*, got /;

/** Values of a flag or a variable that are refused, and what is said after its name. */
const REFUSED: readonly [name: string, texts: readonly string[], problem: RegExp][] = [
  ['--port', ['abc', '65536', '-1', '80.5', '0x50', ' 80'], /^expected an integer from 0 to 65535, got "/],
  ['PORT', ['1e3'], /^expected an integer from 0 to 65535, got "1e3"$/],
  ['--log-level', ['verbose'], /^expected one of debug, info, warning, error, got "verbose"$/],
  ['RELOAD', ['yes'], /^expected true or false, got "yes"$/],
  ['--reload', ['maybe'], /^expected true or false, got "maybe"$/],
  ['--max-body-bytes', NO_SIZES, NO_SIZE],
  ['--plugins-from', ['./x'], /^expected the name of an npm package; .*--plugins-dir/],
  ['--workers', ['5000'], /^expected an integer from 0 to 1024/],
  ['--model-aliases', ['a'], /^expected name=name, several of them separated by commas, got "a"/],
  ['--model-aliases', ['a=b,c', '=b', 'a=', 'a=b=c'], /^expected name=name/],
  ['--model-aliases', ['a=b,a=c'], /^expected each name once on the left/],
  ['MODEL_ALIASES', ['a=a', 'a=b,b=c', 'a=b,b=a'], /an alias names a model, not another alias/],
  ['--cors-origins', ORIGINS.map((origin) => `https://good.example,${origin}`), NO_ORIGIN],
  ['HF_ENDPOINT', ['foo', 'localhost:8080', 'ftp://hub.test'], /^expected a URL such as https:\/\/host /],
  ['HF_REVISION', REVISIONS, /^expected a branch, tag or commit/],
  [
    'BULK_CALLBACK_SECRET',
    SECRETS,
    /^expected at least 16 ASCII letters, digits and punctuation characters$/,
  ],
];

t.test('a value that cannot be used is refused by name, value and what was expected', async (t) => {
  for (const [name, texts, problem] of REFUSED) {
    for (const text of texts) {
      const isFlag = name.startsWith('--');
      const problems = isFlag ? problemsOf([`${name}=${text}`]) : problemsOf([], { [name]: text });
      t.equal(problems.length, 1, problems.join(' | '));
      const [said = '', start = `${name}: `] = problems;
      t.ok(said.startsWith(start), said);
      t.match(said.slice(start.length), problem, text);
    }
  }
  t.equal(read([], { BULK_CALLBACK_SECRET: SECRET }).bulkCallbackSecret, SECRET);
  t.equal(read([], { BULK_CALLBACK_SECRET: '' }).bulkCallbackSecret, '');
});

t.test('sizes in bytes may have a unit', async (t) => {
  const decimal = { 1048576: 1_048_576, '7B': 7, '10MB': 1e7, '10 mb': 1e7, '1GB': 1e9, '2g': 2e9 };
  const others = { '1TB': 1e12, '512KiB': 524_288, '512Ki': 524_288, '1.5GiB': 1_610_612_736 };
  for (const [text, bytes] of Object.entries({ ...decimal, ...others }))
    t.equal(read(['--max-body-bytes', text], {}).maxBodyBytes, bytes, text);
});

t.test('what is written in several ways is one value', async (t) => {
  const levels = { INFO: 'info', Debug: 'debug', WARNING: 'warning', WARN: 'warning', warn: 'warning' };
  for (const [text, level] of Object.entries(levels)) {
    t.equal(read([], { LOG_LEVEL: text }).logLevel, level);
    t.equal(read(['--log-level', text], {}).logLevel, level);
  }
  const origins = 'https://App.example:443/,http://localhost:5173,chrome-extension://abc,*';
  const written = ['https://app.example', 'http://localhost:5173', 'chrome-extension://abc', '*'];
  t.same(read(['--cors-origins', origins], {}).corsOrigins, written, 'as browsers write them');
});

t.test('DATABASE_URL is one of PostgreSQL, and the message says what to write instead', async (t) => {
  const problemOf = (url: string) => problemsOf([], { DATABASE_URL: url });
  for (const [url, problem] of [
    ['sqlite+aiosqlite:///./data/chonkie.db', /chunksmith\.db in the data folder: .* set DATA_DIR=\.\/data$/],
    ['sqlite:////var/lib/x.db', /set DATA_DIR=\/var\/lib$/],
    ['sqlite:///x.db', /set DATA_DIR=\.$/],
    ['sqlite://', /set STORE=memory$/],
    ['sqlite:///:memory:', /set STORE=memory$/],
    ['postgresql+asyncpg://me:s3cret@db/x', /without the driver in its scheme$/],
    ['mysql://me:s3cret@db/x', /such as postgresql:\/\/user:password@host:5432\/database$/],
    ['http://me:s3cret@db/x', /such as postgresql:/],
    ['sqlite+aiosqlite://me:s3cret@db/x.db', /and set DATA_DIR=/],
    ['not-a-url', /such as postgresql:/],
  ] as const) {
    t.match(problemOf(url), [problem]);
    t.match(problemOf(url), [/^DATABASE_URL: expected a? ?(URL of PostgreSQL|URL such as|postgresql:)/]);
    t.notMatch(problemOf(url).join(), /s3cret/, 'a password is not shown');
  }
  for (const url of ['postgres://db/x', 'postgresql://me:s3cret@db:5432/x?sslmode=require'])
    t.equal(read([], { DATABASE_URL: url }).databaseUrl, url);
  const both = problemsOf(['--store', 'memory'], { DATABASE_URL: 'postgresql://db/x' });
  t.match(both, [/--store memory: DATABASE_URL is set too/]);
});

t.test('the hub sees its part of the settings', async (t) => {
  const settings = (env: Record<string, string>, args: string[] = []) =>
    hubSettingsOf(read(args, env), '/home/me');
  t.same(settings({}), {
    modelsDir: join('data', 'models'),
    hubCacheDir: '/home/me/.cache/huggingface/hub',
    allowDownloads: false,
    hubEndpoint: 'https://huggingface.co',
    hubToken: '',
    hubRevision: 'main',
  });
  t.equal(settings({ DATA_DIR: '/d' }).modelsDir, '/d/models');
  t.equal(settings({ DATA_DIR: '/d' }, ['--models-dir=/m']).modelsDir, '/m');
  t.equal(settings({ HF_HOME: '/h' }).hubCacheDir, '/h/hub');
  t.equal(settings({ HF_HOME: '/h', HF_HUB_CACHE: '/c' }).hubCacheDir, '/c');
  t.equal(settings({ HF_ENDPOINT: 'http://hub.test/' }).hubEndpoint, 'http://hub.test');
  t.equal(settings({ HF_TOKEN: 'x' }).hubToken, 'x');
  for (const revision of ['v1.0', 'f'.repeat(40), '_a-b', 'x'.repeat(100)])
    t.equal(settings({ HF_REVISION: revision }).hubRevision, revision);
});

t.test('the table of OPTIONS.md is the table of the options', async (t) => {
  const page = readFileSync(join(ROOT, 'server/OPTIONS.md'), 'utf8');
  const table = /<!-- options -->\n([\s\S]*?)<!-- \/options -->/.exec(page)?.[1] ?? '';
  const plain = (cell: string) => cell.replaceAll('`', '').trim();
  const rows = table.trim().split('\n').slice(2);
  const shown = rows.map((row) => row.split('|').slice(1, -1).map(plain));
  const columns = ({ flag, variable, shown, description }: ReturnType<typeof describeOptions>[number]) =>
    [flag, variable, shown, description].map(plain);
  t.same(shown, describeOptions().map(columns), 'columns: flag, variable, default, meaning');
});
