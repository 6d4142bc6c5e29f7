import t from 'tap';
import { needs } from '../../../support/here.ts';
import { chunker, pluginsFolder, WHOLE_TEXT } from '../../../support/plugins.ts';
import { startServer, temporaryFolder } from '../../../support/server.ts';
import { BY_CHARACTERS, type CliResult } from '../../cli/cli.ts';
import { checkFailures, runHere } from '../../cli/command.ts';

const TEXT = 'one two three four';
const cwd = await temporaryFolder(t, { 'a.txt': TEXT, 'p.json': '[{"chunker":"token"}]' });
const run = (...args: string[]): Promise<CliResult> => runHere(t, args, { cwd });
const chunk = (args: readonly string[], env = {}): Promise<CliResult> =>
  runHere(t, ['chunk', 'a.txt', ...args], { cwd, env });

t.test('options of the chunker are flags, and its schema checks them', async (t) => {
  const good = await chunk([...BY_CHARACTERS(9), '--chunk-overlap', '2']);
  t.equal(good.status, 0, good.stderr);
  t.same(good.texts(), ['one two t', ' three fo', 'four']);
});

t.test('wrong flags, names and values have status 2, and say what to do', (t) =>
  checkFailures(t, run, [
    [
      'chunk a.txt --chunker token --chunk-overlap x',
      /^--chunk-overlap: expected an integer of at least 0, got "x"\n$/,
    ],
    ['chunk a.txt --chunker token --chunk-sze 9', /Did you mean --chunk-size/],
    ['chunk a.txt --chunker tokn', /no chunker "tokn"; available: .*token/],
    ['chunk a.txt --chunker token --progress loud', /auto, bar, plain, json, none/],
    ['chunk --chunker token', /missing required argument 'paths'/],
    ['chunk no.txt --chunker token', /no\.txt cannot be read: there is no such file or folder/],
    ['chunk a.txt - --chunker token', /standard input cannot be combined/],
    ['chunk - --chunker token --format parquet', /Parquet cannot be read from standard input/],
    ['chunk a.txt --chunker token --text-field x', /^--text-field: each file is one text .*--format csv/],
    ['chunk a.txt --chunker token --resume', /--resume: name the folder of the run with --out/],
    [
      'chunk a.txt --chunker token --pipeline p',
      /'--pipeline <file or name>' cannot be used with option '--chunker <name>'/,
    ],
    [
      'chunk a.txt --pipeline p.json --chunk-size 9',
      /unknown option '--chunk-size'\n\(options of a step are set in the pipeline, or in a preset by --set <step>.<option>=<value>\)\n$/,
    ],
    ['chunk a.txt --chunker token --errors no/errors', /^no\/errors: .*cannot be written/],
    ['chunk a.txt --chunker token --since none', /^--since none: .*not written by an earlier run/],
    ['chnk', /Did you mean chunk/],
    ['srve', /Did you mean serve\?/],
  ]),
);

const OF_PRESET = needs('chunker/recursive', 'refinery/context', 'refinery/embeddings', 'tokenizer/tiktoken');

t.test('a preset is changed by --set and --without, here and on a service', OF_PRESET, async (t) => {
  const { url } = await startServer(t);
  const set = ['recursive.chunk_size=2', 'context.template=of {filename}'].flatMap((one) => ['--set', one]);
  const given = ['--preset', 'prose', ...set, '--without', 'embeddings'];
  const here = await chunk([...given, '--include', 'id']);
  t.equal(here.status, 0, here.stderr);
  t.match(here.lines()[0], { text: 'one ', context: 'of a.txt', embedding: null });
  t.equal((await chunk([...given, '--include', 'id', '--server', url])).stdout, here.stdout);
  for (const place of [[], ['--server', url]])
    await checkFailures(t, (...args) => chunk(['--preset', ...args, ...place]), [
      ['prose --chunker token', /'--preset <name>' cannot be used with option '--chunker <name>'/],
      ['prose --pipeline p.json', /'--preset <name>' cannot be used with option '--pipeline/],
      ['prose --set template=x', /^--set template=x: expected <step>\.<option>=<value>, such as/],
      [
        'prose --without embeddings --set embeddings.embed=text',
        /^--without embeddings: its options are changed/,
      ],
      ['prose --chunk-size 9', /unknown option '--chunk-size'\n.*in a preset by --set/],
    ]);
  await checkFailures(t, (...args) => chunk([...args, '--server', url]), [
    ['--preset pose', /no preset "pose"; available: prose, docs/, 1],
    ['--preset prose --set contxt.template=x', /override\.contxt: unknown step, did you mean "context"/, 1],
    ['--preset prose --without recursive', /override\.recursive: the chunker cannot be removed/, 1],
  ]);
  await checkFailures(t, (...args) => chunk(args), [
    ['--set context.template=x', /^--set: changes a preset; name one with --preset\n$/],
    ['--jsonl', /^error: unknown option '--jsonl': use --format jsonl\n/],
    ['--json', /^error: unknown option '--json': use --progress json\n/],
    ['--chunker token --without embeddings', /cannot be used with option '--chunker/],
    ['--preset pose', /^--preset: unknown preset "pose", did you mean "prose"\?\n$/],
    ['--preset prose --set contxt.template=x', /^--set contxt: unknown step, did you mean "context"\?\n$/],
    ['--preset prose --set context.tmplate=x', /^--set context\.tmplate: .*did you mean "template"\?\n$/],
    ['--preset prose --without recursive', /^--without recursive: the chunker cannot be removed\n$/],
  ]);
});

t.test('the help has the flags of the chunker, with what they take by default', async (t) => {
  const { status, stdout } = await chunk([...BY_CHARACTERS(9), '--help']);
  t.equal(status, 0);
  t.match(stdout, /^Usage: chunksmith chunk \[options\] <paths\.\.\.>/);
  t.match(stdout, /Options of token:\n(.*\n)*\s+--chunk-size <integer>.*default: 512/);
  const top = await run('--help');
  t.equal(top.status, 0);
  for (const name of ['chunk', 'pipelines', 'jobs', 'evaluate']) t.match(top.stdout, `  ${name} `);
  t.equal((await run('--version')).status, 0);
});

const properties = {
  inner: { type: 'object', properties: { deep_one: { type: 'integer' } } },
  marks: { type: 'array', items: { type: 'string' } },
  needed: { type: 'string' },
};
const OPTIONS = { type: 'object', properties, required: ['needed'] };

t.test('nested, repeated and required options', async (t) => {
  const tell = 'throw Object.assign(new Error(JSON.stringify(options)), { expose: true });';
  const plugins = await pluginsFolder(t, chunker('telling', tell, { options: OPTIONS }));
  const env = { PLUGINS_DIR: plugins };
  const flags = ['--chunker', 'telling', '--inner.deep-one', '5', '--marks', 'a', '--marks', 'b'];
  t.match(await chunk(flags, env), { status: 2, stderr: /^--needed: missing/ });
  const stderr = '{"inner":{"deep_one":5},"marks":["a","b"],"needed":"7"}';
  t.match(await chunk([...flags, '--needed', '7'], env), { status: 3, stderr });
});

t.test('a chunker that lacks something fails with the remedy', async (t) => {
  const lacking = chunker('lacking', WHOLE_TEXT, { needs: { env: ['KEY_OF_LACKING'] } });
  const env = { PLUGINS_DIR: await pluginsFolder(t, lacking) };
  t.match(await chunk(['--chunker', 'lacking'], env), { status: 1, stderr: /KEY_OF_LACKING/ });
});

const OF_AUTO = needs('chunker/auto', 'chunker/markdown');
t.test('without --chunker, one that chooses is taken', OF_AUTO, async (t) => {
  const files = await temporaryFolder(t, { 'a.md': '# Title\n\nText.\n' });
  const chosen = await runHere(t, ['chunk', 'a.md'], { cwd: files });
  t.match(chosen, { status: 0, stdout: /"chunker":"markdown"/ });
});

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
    runHere(t, ['chunk', 'a.txt', '--pipeline', name], { cwd: folder, env: { DATA_DIR: dataDir } });
  t.same((await run('p.json')).texts(), ['abcd', 'ef']);
  await checkFailures(t, run, [
    ['wrong.json', /expected \{"steps"/],
    ['bad.json', /steps\[0\].*chunk_size/],
    ['kept', /neither a file nor a stored pipeline of this name/],
  ]);
  const server = await startServer(t, { dataDir });
  await server.post('/v1/pipelines', { name: 'kept', steps });
  t.same((await run('kept')).texts(), ['abcd', 'ef']);
});
