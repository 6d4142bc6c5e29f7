import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { configOf, readConfig } from '../../../server/config/config.ts';
import { describeOptions, helpText } from '../../../server/config/help.ts';
import { hubSettingsOf } from '../../../server/config/hub-settings.ts';
import { readMachine } from '../../../server/config/machine.ts';
import { startServer } from '../../support/server.ts';

const ROOT = join(import.meta.dirname, '../../..');

const problemsOf = (args: string[], env: Record<string, string> = {}): string[] => {
  try {
    readConfig(args, env);
    return [];
  } catch (error) {
    return (error as Error).message.split('\n');
  }
};

t.test('the defaults are those of the interface', async (t) => {
  const config = readConfig([], {});
  t.match(config, { host: '0.0.0.0', port: 8000, reload: false, logLevel: 'info' });
  t.match(config, { dataDir: 'data', plugins: [], pluginsDir: [], allowDownloads: false });
  t.equal(config.workers, availableParallelism());
  t.same(configOf(), config, 'an app that mounts the service begins with the same');
  t.same(configOf({ port: 1 }), { ...config, port: 1 });
});

t.test('defaults follow the machine', async (t) => {
  const large = { cores: 3, memoryBytes: 64e9 };
  t.match(readConfig([], {}, large), { workers: 3, maxBytesInFlight: 4e9 });
  t.match(configOf({}, large), { workers: 3, maxBytesInFlight: 4e9 });
  t.equal(configOf({}, { ...large, memoryBytes: 1e9 }).maxBytesInFlight, 104_857_600, 'a body fits in');
  const { cores, memoryBytes } = readMachine();
  t.equal(cores, availableParallelism());
  t.ok(memoryBytes > 0 && memoryBytes <= totalmem());
});

t.test('--model-aliases refuses what is no pair, a name twice, and aliases of aliases', async (t) => {
  for (const [text, expected] of [
    ['a', /expected name=name, several of them separated by commas, got "a"/],
    ['a=b,c', /expected name=name/],
    ['=b', /expected name=name/],
    ['a=', /expected name=name/],
    ['a=b=c', /expected name=name/],
    ['a=b,a=c', /expected each name once on the left/],
    ['a=a', /an alias stands for a model, not for an alias/],
    ['a=b,b=c', /an alias stands for a model, not for an alias/],
    ['a=b,b=a', /an alias stands for a model, not for an alias/],
  ] as const) {
    t.match(problemsOf(['--model-aliases', text])[0], expected, text);
    t.match(problemsOf([], { MODEL_ALIASES: text })[0], expected, text);
  }
  const pairs = readConfig(['--model-aliases', '__proto__=a'], {}).modelAliases;
  t.same(Object.entries(pairs), [['__proto__', 'a']]);
});

t.test('a secret of callbacks is long, and is not shown', async (t) => {
  const secret = '0123456789abcdef';
  t.equal(readConfig([], { BULK_CALLBACK_SECRET: secret }).bulkCallbackSecret, secret);
  t.equal(readConfig([], { BULK_CALLBACK_SECRET: '' }).bulkCallbackSecret, '');
  const expected = ['BULK_CALLBACK_SECRET: expected at least 16 ASCII letters, digits and signs'];
  for (const bad of ['short', `${secret} \n`])
    t.same(problemsOf([], { BULK_CALLBACK_SECRET: bad }), expected);
  t.match(problemsOf(['--bulk-callback-secret', secret]), [/unknown flag/]);
});

t.test('every flag is read, as --flag value and as --flag=value', async (t) => {
  const given: [flag: string, name: string, text: string, value: unknown][] = [
    ['host', 'host', '127.0.0.1', '127.0.0.1'],
    ['port', 'port', '0', 0],
    ['log-level', 'logLevel', 'warning', 'warning'],
    ['log-format', 'logFormat', 'json', 'json'],
    ['data-dir', 'dataDir', '/x', '/x'],
    ['store', 'store', 'memory', 'memory'],
    ['models-dir', 'modelsDir', 'm', 'm'],
    ['plugins', 'plugins', 'token, lines,', ['token', 'lines']],
    ['plugins-dir', 'pluginsDir', 'a,b', ['a', 'b']],
    ['plugins-from', 'pluginsFrom', 'a,@acme/b', ['a', '@acme/b']],
    ['workers', 'workers', '3', 3],
    ['inline-bytes', 'inlineBytes', '0', 0],
    ['queue-size', 'queueSize', '5', 5],
    ['model-aliases', 'modelAliases', 'a/b=c/d, x=c/d,', { 'a/b': 'c/d', x: 'c/d' }],
    ['max-models', 'maxModels', '2', 2],
    ['max-model-bytes', 'maxModelBytes', '5000', 5000],
    ['max-body-bytes', 'maxBodyBytes', '1000', 1000],
    ['max-answer-bytes', 'maxAnswerBytes', '2000', 2000],
    ['max-bytes-in-flight', 'maxBytesInFlight', '2001', 2001],
    ['max-documents', 'maxDocuments', '2002', 2002],
    ['max-metadata-bytes', 'maxMetadataBytes', '20KiB', 20_480],
    ['id-namespace', 'idNamespace', 'kb: 漢', 'kb: 漢'],
    ['max-characters', 'maxCharacters', '2003', 2003],
    ['max-chunks', 'maxChunks', '2004', 2004],
    ['max-evaluation-characters', 'maxEvaluationCharacters', '2007', 2007],
    ['max-delimiters', 'maxDelimiters', '2005', 2005],
    ['max-delimiter-characters', 'maxDelimiterCharacters', '2006', 2006],
    ['max-steps', 'maxSteps', '7', 7],
    ['request-timeout', 'requestTimeout', '8', 8],
    ['shutdown-grace', 'shutdownGrace', '9', 9],
    ['worker-memory-mb', 'workerMemoryMb', '512', 512],
    [
      'cors-origins',
      'corsOrigins',
      'https://a.example,https://b.example',
      ['https://a.example', 'https://b.example'],
    ],
    ['rate-limit', 'rateLimit', '60', 60],
    ['api-keys-file', 'apiKeysFile', '/run/secrets/keys', '/run/secrets/keys'],
    ['bulk-root', 'bulkRoot', '/corpora', '/corpora'],
    ['bulk-connections', 'bulkConnections', 'buckets.json', 'buckets.json'],
    ['bulk-concurrency', 'bulkConcurrency', '3', 3],
    ['bulk-keep', 'bulkKeep', '24', 24],
    ['bulk-lease', 'bulkLease', '15', 15],
    ['bulk-queue', 'bulkQueue', 'lease', 'lease'],
    ['bulk-shard-bytes', 'bulkShardBytes', '1MB', 1_000_000],
    ['bulk-shard-documents', 'bulkShardDocuments', '50', 50],
    ['log-to', 'logTo', 'stderr', 'stderr'],
    ['role', 'role', 'api', 'api'],
  ];
  for (const [flag, name, text, value] of given) {
    t.match(readConfig([`--${flag}`, text], {}), { [name]: value });
    t.match(readConfig([`--${flag}=${text}`], {}), { [name]: value });
    t.match(readConfig([], { [flag.replaceAll('-', '_').toUpperCase()]: text }), { [name]: value });
  }
  const switches = [
    'bulk-callback-private',
    'reload',
    'allow-downloads',
    'trust-proxy',
    'check',
    'docs-need-key',
    'playground',
    'tolerate-broken-plugins',
  ];
  const flags = describeOptions().flatMap(({ flag }) => (flag === '' ? [] : [flag.slice(2)]));
  t.same([...given.map(([flag]) => flag), ...switches].sort(), flags.sort(), 'none is left out here');
});

t.test('switches', async (t) => {
  for (const [args, value] of [
    [['--allow-downloads'], true],
    [['--allow-downloads=true'], true],
    [['--allow-downloads=1'], true],
    [['--allow-downloads=false'], false],
    [['--no-allow-downloads'], false],
    [['--no-allow-downloads', '--allow-downloads'], true],
    [[], false],
  ] as const) {
    t.equal(readConfig(args, {}).allowDownloads, value, args.join(' '));
  }
  for (const text of ['true', 'TRUE', '1']) t.equal(readConfig([], { RELOAD: text }).reload, true);
  for (const text of ['false', '0', '']) t.equal(readConfig([], { RELOAD: text }).reload, false);
  t.equal(readConfig(['--no-reload'], { RELOAD: '1' }).reload, false);
});

t.test('flags go before variables, and variables before defaults', async (t) => {
  const env = { PORT: '9000', HOST: '::1', PLUGINS: 'token,lines' };
  t.match(readConfig(['--port', '9001'], env), { port: 9001, host: '::1', plugins: ['token', 'lines'] });
  t.match(readConfig(['--plugins', 'words'], env), { plugins: ['words'] });
  t.equal(readConfig(['--port=1', '--port=2'], {}).port, 2, 'the last one counts');
  t.same(
    readConfig(['--plugins-dir=a', '--plugins-dir', 'b,c'], {}).pluginsDir,
    ['a', 'b', 'c'],
    'lists add up',
  );
  t.equal(readConfig([], { PORT: '' }).port, 8000, 'an empty variable is none');
  t.equal(readConfig([], { port: '9000' }).port, 8000, 'variables are in capitals');
});

t.test('a value that cannot be used is refused by name, value and what was expected', async (t) => {
  const refused: [args: string[], env: Record<string, string>, problem: RegExp][] = [
    [['--port', 'abc'], {}, /^--port: expected an integer from 0 to 65535, got "abc"$/],
    [['--port=65536'], {}, /^--port: .* got "65536"$/],
    [['--port=-1'], {}, /^--port: .* got "-1"$/],
    [['--port=80.5'], {}, /^--port: /],
    [['--port=0x50'], {}, /^--port: /],
    [['--port= 80'], {}, /^--port: /],
    [[], { PORT: '1e3' }, /^PORT: expected an integer from 0 to 65535, got "1e3"$/],
    [
      ['--log-level=verbose'],
      {},
      /^--log-level: expected one of debug, info, warning, error, got "verbose"$/,
    ],
    [[], { RELOAD: 'yes' }, /^RELOAD: expected true or false, got "yes"$/],
    [['--reload=maybe'], {}, /^--reload: expected true or false, got "maybe"$/],
    [['--max-body-bytes=0'], {}, /^--max-body-bytes: expected a size of at least 1 in bytes/],
    [['--plugins-from=./x'], {}, /^--plugins-from: expected the name of an npm package; .*--plugins-dir/],
    [['--workers=5000'], {}, /^--workers: expected an integer from 0 to 1024/],
    ...['..', '.x', '-x', 'a..b', 'a/b', 'refs/pr/1', 'a b', 'a%2fb', 'a\n', 'ä', 'x'.repeat(101)].map(
      (revision): [string[], Record<string, string>, RegExp] => [
        [],
        { HF_REVISION: revision },
        /^HF_REVISION: expected a branch, tag or commit/,
      ],
    ),
    [['--port'], {}, /^--port: a value is missing$/],
    [['8000'], {}, /^8000: not a flag; flags begin with --$/],
  ];
  for (const [args, env, problem] of refused) {
    const problems = problemsOf(args, env);
    t.equal(problems.length, 1, problems.join(' | '));
    t.match(problems[0], problem);
  }
});

t.test('an unknown flag is refused and the nearest is named', async (t) => {
  for (const [flag, near] of [
    ['--prot', '--port'],
    ['--loglevel', '--log-level'],
    ['--plugin', '--plugins'],
    ['--no-relaod', '--reload'],
    ['--plugin-dir=x', '--plugins-dir'],
  ] as const) {
    t.match(problemsOf([flag]), [new RegExp(`: unknown flag, did you mean ${near}\\?$`)], flag);
  }
  t.match(problemsOf(['--zzzzzzzzzzzzzzzz']), [/^--zzzzzzzzzzzzzzzz: unknown flag; --help lists them$/]);
  t.match(problemsOf(['--hf-token=secret']), [/^--hf-token: unknown flag/], 'secrets are no flags');
});

t.test('sizes in bytes may have a unit', async (t) => {
  for (const [text, bytes] of [
    ['1048576', 1_048_576],
    ['10MB', 10_000_000],
    ['10 mb', 10_000_000],
    ['512KiB', 524_288],
    ['512Ki', 524_288],
    ['1GB', 1e9],
    ['1.5GiB', 1_610_612_736],
    ['2g', 2e9],
    ['1TB', 1e12],
    ['7B', 7],
  ] as const) {
    for (const name of ['max-body-bytes', 'max-answer-bytes', 'max-bytes-in-flight', 'max-model-bytes']) {
      const variable = name.replaceAll('-', '_').toUpperCase();
      const values = Object.values(readConfig([`--${name}`, text], {}));
      t.ok(values.includes(bytes), `--${name} ${text}`);
      t.same(readConfig([], { [variable]: text }), readConfig([`--${name}`, text], {}));
    }
  }
  t.equal(readConfig(['--inline-bytes', '0'], {}).inlineBytes, 0);
  for (const text of ['-1', '1.5', 'MB', '10 M B', '1e6', '10XB', '1,5MB', '9999999TB']) {
    const problem =
      /^--max-body-bytes: expected a size of at least 1 in bytes, such as 1048576, 10MB or 512KiB, got /;
    t.match(problemsOf([`--max-body-bytes=${text}`]), [problem], text);
  }
});

t.test('log levels may be in upper case, and warn is warning', async (t) => {
  for (const [text, level] of [
    ['INFO', 'info'],
    ['Debug', 'debug'],
    ['WARNING', 'warning'],
    ['WARN', 'warning'],
    ['warn', 'warning'],
  ] as const) {
    t.equal(readConfig([], { LOG_LEVEL: text }).logLevel, level);
    t.equal(readConfig(['--log-level', text], {}).logLevel, level);
  }
});

t.test('URLs that are none stop the start', async (t) => {
  for (const text of ['not-a-url', 'app.example', 'https://app.example/path', 'https://', 'https://a b']) {
    const problem =
      /^--cors-origins: expected origins such as https:\/\/app\.example, without a path, or \*, got /;
    t.match(problemsOf(['--cors-origins', `https://good.example,${text}`]), [problem], text);
  }
  t.same(
    readConfig(
      ['--cors-origins', 'https://App.example:443/,http://localhost:5173,chrome-extension://abc,*'],
      {},
    ).corsOrigins,
    ['https://app.example', 'http://localhost:5173', 'chrome-extension://abc', '*'],
    'as browsers write them',
  );
  for (const text of ['foo', 'localhost:8080', 'ftp://hub.test'])
    t.match(
      problemsOf([], { HF_ENDPOINT: text }),
      [/^HF_ENDPOINT: expected a URL such as https:\/\/host /],
      text,
    );
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
    ['not-a-url', /such as postgresql:/],
  ] as const) {
    t.match(problemOf(url), [problem]);
    t.match(problemOf(url), [/^DATABASE_URL: expected a? ?(URL of PostgreSQL|URL such as|postgresql:)/]);
    t.notMatch(problemOf(url).join(), /s3cret/, 'a password is not shown');
  }
  for (const url of ['postgres://db/x', 'postgresql://me:s3cret@db:5432/x?sslmode=require'])
    t.equal(readConfig([], { DATABASE_URL: url }).databaseUrl, url);
  const both = { DATABASE_URL: 'postgresql://db/x' };
  t.match(problemsOf(['--store', 'memory'], both), [/--store memory: DATABASE_URL is set too/]);
});

t.test('all problems are reported, not only the first', async (t) => {
  const problems = problemsOf(['--port=x', '--prot=1', 'stray'], { LOG_LEVEL: 'loud', WORKERS: '-1' });
  for (const start of ['--port:', '--prot:', 'stray:', 'LOG_LEVEL:', 'WORKERS:']) {
    t.ok(
      problems.some((problem) => problem.startsWith(start)),
      start,
    );
  }
  t.equal(problems.length, 5);
});

t.test('the hub sees its part of the settings', async (t) => {
  const settings = (env: Record<string, string>, args: string[] = []) =>
    hubSettingsOf(readConfig(args, env), '/home/me');
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

t.test('the help has every option with its default', async (t) => {
  const lines = helpText().split('\n');
  for (const { flag, variable, shown, description } of describeOptions()) {
    const line = lines.find((one) => one.startsWith(`  ${flag || variable} `)) ?? '';
    t.ok(line.includes(description), flag || variable);
    t.ok(line.includes(shown));
  }
  t.match(helpText(), /--help .*\n.*--version /);
});

t.test('PLUGINS and PLUGINS_DIR reach the server', async (t) => {
  const folder = join(import.meta.dirname, '../..', 'fixtures', 'plugins');
  const { plugins, pluginsDir } = readConfig(['--plugins', 'paragraph'], { PLUGINS_DIR: folder });
  const client = await startServer(t, { plugins, pluginsDir });
  t.equal((await client.post('/v1/chunk/paragraph', { text: 'a' })).status, 200);
  t.equal((await client.post('/v1/chunk/token', { text: 'a' })).status, 404);
});

t.test('the table of OPTIONS.md is the table of the options', async (t) => {
  const page = readFileSync(join(ROOT, 'server/OPTIONS.md'), 'utf8');
  const table = /<!-- options -->\n([\s\S]*?)<!-- \/options -->/.exec(page)?.[1] ?? '';
  const cellsOf = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.replaceAll('`', '').trim());
  const rows = table.trim().split('\n').slice(2).map(cellsOf);
  const options = describeOptions().map(({ flag, variable, shown, description }) => [
    flag,
    variable,
    shown,
    description.replaceAll('`', ''),
  ]);
  t.same(rows, options, 'columns: flag, variable, default, meaning');
});
