import t from 'tap';
import { BY_CHARACTERS, type CliResult, runCli } from '../../support/cli.ts';
import { needs } from '../../support/here.ts';
import { chunker, pluginsFolder, WHOLE_TEXT } from '../../support/plugins.ts';
import { startServer, temporaryFolder } from '../../support/server.ts';

const TEXT = 'one two three four';
const cwd = await temporaryFolder(t, { 'a.txt': TEXT });
const chunk = (args: readonly string[], env = {}): Promise<CliResult> =>
  runCli(t, ['chunk', 'a.txt', ...args], { cwd, env });

t.test('options of the chunker are flags, and its schema checks them', async (t) => {
  const good = await chunk([...BY_CHARACTERS(9), '--chunk-overlap', '2']);
  t.equal(good.status, 0, good.stderr);
  t.same(
    good.lines().map(({ text }) => text),
    ['one two t', ' three fo', 'four'],
  );
  const wrong = await chunk([...BY_CHARACTERS(9), '--chunk-overlap', 'x']);
  t.equal(wrong.status, 2);
  t.match(wrong.stderr, /^--chunk-overlap: expected an integer of at least 0, got "x"\n$/);
  t.equal(wrong.stdout, '');
});

t.test('wrong flags, names and values have status 2, and say what to do', async (t) => {
  const cases: [args: readonly string[], says: RegExp][] = [
    [['chunk', 'a.txt', '--chunker', 'token', '--chunk-sze', '9'], /Did you mean --chunk-size/],
    [['chunk', 'a.txt', '--chunker', 'tokn'], /no chunker "tokn"; known are .*token/],
    [['chunk', 'a.txt', '--chunker', 'token', '--progress', 'loud'], /auto, bar, plain, json, none/],
    [['chunk', '--chunker', 'token'], /missing required argument 'paths'/],
    [['chunk', 'no.txt', '--chunker', 'token'], /no\.txt cannot be read: there is no such file or folder/],
    [['chunk', 'a.txt', '-', '--chunker', 'token'], /standard input is read alone/],
    [
      ['chunk', '-', '--chunker', 'token', '--format', 'parquet'],
      /Parquet cannot be read from standard input/,
    ],
    [['chunk', 'a.txt', '--chunker', 'token', '--resume'], /--resume: name the folder of the run with --out/],
    [['chunk', 'a.txt', '--chunker', 'token', '--pipeline', 'p'], /--pipeline: not with --chunker/],
    [['chunk', 'a.txt', '--chunker', 'token', '--errors', 'no/errors'], /^no\/errors: .*cannot be written/],
    [['chunk', 'a.txt', '--chunker', 'token', '--since', 'none'], /^--since none: .*not what an earlier run/],
    [['chnk'], /Did you mean chunk/],
  ];
  await Promise.all(
    cases.map(async ([args, says]) => {
      const { status, stdout, stderr } = await runCli(t, args, { cwd });
      t.equal(status, 2, args.join(' '));
      t.match(stderr, says);
      t.equal(stdout, '');
    }),
  );
});

t.test('the help has the flags of the chunker, with what they take by default', async (t) => {
  const { status, stdout } = await chunk([...BY_CHARACTERS(9), '--help']);
  t.equal(status, 0);
  t.match(stdout, /^Usage: chunksmith chunk \[options\] <paths\.\.\.>/);
  t.match(stdout, /Options of token:\n(.*\n)*\s+--chunk-size <integer>.*default: 512/);
  const top = await runCli(t, ['--help'], { cwd });
  t.equal(top.status, 0);
  for (const name of ['chunk', 'pipelines', 'jobs', 'evaluate']) t.match(top.stdout, `  ${name} `);
  t.equal((await runCli(t, ['--version'], { cwd })).status, 0);
});

const OPTIONS = {
  type: 'object',
  properties: {
    inner: { type: 'object', properties: { deep_one: { type: 'integer' } } },
    marks: { type: 'array', items: { type: 'string' } },
    needed: { type: 'string' },
  },
  required: ['needed'],
};

t.test('nested, repeated and required options', async (t) => {
  const tell = 'throw Object.assign(new Error(JSON.stringify(options)), { expose: true });';
  const plugins = await pluginsFolder(t, chunker('telling', tell, { options: OPTIONS }));
  const env = { PLUGINS_DIR: plugins };
  const flags = ['--chunker', 'telling', '--inner.deep-one', '5', '--marks', 'a', '--marks', 'b'];
  const missing = await chunk(flags, env);
  t.equal(missing.status, 2);
  t.match(missing.stderr, /^--needed: missing/);
  const whole = await chunk([...flags, '--needed', '7'], env);
  t.equal(whole.status, 3);
  t.match(whole.stderr, '{"inner":{"deep_one":5},"marks":["a","b"],"needed":"7"}');
});

t.test('a chunker that lacks something fails with the remedy', async (t) => {
  const plugins = await pluginsFolder(
    t,
    chunker('lacking', WHOLE_TEXT, { needs: { env: ['KEY_OF_LACKING'] } }),
  );
  const { status, stderr } = await chunk(['--chunker', 'lacking'], { PLUGINS_DIR: plugins });
  t.equal(status, 1);
  t.match(stderr, /KEY_OF_LACKING/);
});

t.test(
  'without --chunker, one that chooses is taken',
  needs('chunker/auto', 'chunker/markdown'),
  async (t) => {
    const files = await temporaryFolder(t, { 'a.md': '# Title\n\nText.\n' });
    const { status, stdout } = await runCli(t, ['chunk', 'a.md'], { cwd: files });
    t.equal(status, 0);
    t.match(stdout, /"chunker":"markdown"/);
  },
);

t.test('a pipeline from a file, or from the store by its name', async (t) => {
  const steps = [{ type: 'chunk', chunker: 'token', config: { tokenizer: 'character', chunk_size: 4 } }];
  const dataDir = await temporaryFolder(t);
  const folder = await temporaryFolder(t, {
    'a.txt': 'abcdef',
    'p.json': JSON.stringify({ steps }),
    'wrong.json': '{"step": []}',
    'bad.json': JSON.stringify({ steps: [{ ...steps[0], config: { chunk_size: 'x' } }] }),
  });
  const run = (name: string) =>
    runCli(t, ['chunk', 'a.txt', '--pipeline', name], { cwd: folder, env: { DATA_DIR: dataDir } });
  const texts = async (name: string) => (await run(name)).lines().map(({ text }) => text);
  t.same(await texts('p.json'), ['abcd', 'ef']);
  t.match(await run('wrong.json'), { status: 2, stderr: /expected \{"steps"/ });
  t.match(await run('bad.json'), { status: 2, stderr: /steps\[0\].*chunk_size/ });
  t.match(await run('kept'), { status: 2, stderr: /no such file, and no pipeline of this name/ });
  const server = await startServer(t, { dataDir });
  await server.post('/v1/pipelines', { name: 'kept', steps });
  t.same(await texts('kept'), ['abcd', 'ef']);
});
