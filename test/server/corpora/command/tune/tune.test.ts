import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { TuneResult } from '../../../../../server/corpora/command/tune/result.ts';
import { needs } from '../../../../support/here.ts';
import { startServer, temporaryFolder } from '../../../../support/server.ts';
import { checkFailures, runHere } from '../../../cli/command.ts';

/** What `tune` prints and writes, and how it ends. */

const OF_MODEL = needs(
  'embedding/static',
  'tokenizer/tiktoken',
  'tokenizer/huggingface',
  'chunker/auto',
  'chunker/recursive',
  'chunker/sentence',
  'refinery/context',
  'refinery/embeddings',
);
const WORDS =
  'amber birch cedar delta ember fjord grove heron ivory jetty kelp lotus maple north otter pearl'.split(' ');
const paragraph = (at: number) => {
  const [one, other] = [WORDS[at % 16], WORDS[(at * 7 + 3) % 16]];
  return `The ${one} of number ${at} is near the ${other}. It is known for its ${other} and ${one}. Nobody has seen ${at} of them.`;
};
const page = (from: number) =>
  `# Page ${from}\n\n${Array.from({ length: 20 }, (_, at) => paragraph(from + at)).join('\n\n')}\n`;
const PAGES = { 'docs/a.md': page(0), 'docs/b.md': page(20), 'docs/c.md': page(40), 'docs/d.md': page(60) };
const GRID = JSON.stringify([
  { chunker: 'token', config: { chunk_size: 60, tokenizer: 'cl100k_base' } },
  { preset: 'docs', override: { auto: { chunk_size: 40 } }, name: 'short' },
]);

const tune = (t: Test, cwd: string, ...flags: string[]) =>
  runHere(t, ['tune', 'docs', '--budget', '300', ...flags], { cwd });
const resultOf = ({ stdout }: { readonly stdout: string }) => JSON.parse(stdout) as TuneResult;
const question = (more: object) => JSON.stringify({ question: 'Where?', file: 'a.md', ...more });

t.test('derived questions: a result, and a pipeline that runs and is stored', OF_MODEL, async (t) => {
  const cwd = await temporaryFolder(t, PAGES);
  const flags = ['--json', '--out', 'tuned.json'];
  const run = await tune(t, cwd, ...flags);
  t.equal(run.status, 0, run.stderr);
  const result = resultOf(run);
  t.match(result, { documents: 4, derived: true, of: 24, verdict: /^By \d+ derived questions, / });
  t.ok(result.questions >= 60 && result.candidates.length === 3 * result.tried);
  const chunked = await runHere(t, ['chunk', 'docs', '--pipeline', 'tuned.json'], { cwd });
  t.equal(chunked.status, 0, chunked.stderr);
  t.ok(chunked.lines().length > 4);
  const { post } = await startServer(t);
  const stored = await post('/v1/pipelines', await readFile(join(cwd, 'tuned.json'), 'utf8'));
  t.equal(stored.status, 201, stored.bytes.toString());
});

t.test('evaluate compares what is named, and keeps nothing', OF_MODEL, async (t) => {
  const steps = [{ type: 'chunk', chunker: 'token', config: { chunk_size: 60, tokenizer: 'cl100k_base' } }];
  const cwd = await temporaryFolder(t, { ...PAGES, 'small.json': JSON.stringify({ steps }) });
  const evaluate = (...args: string[]) =>
    runHere(t, ['evaluate', 'docs', '--budget', '300', ...args], { cwd });
  const run = await evaluate('docs', 'small.json', '--json');
  t.equal(run.status, 0, run.stderr);
  const { tried, of, baseline, candidates } = resultOf(run);
  t.match({ tried, of, baseline }, { tried: 2, of: 2, baseline: { name: /^docs \(.*, dense$/ } });
  t.equal(candidates.filter(({ name }) => name.startsWith('small (token 60)')).length, 3);
  t.notOk(existsSync(join(cwd, 'docs/.chunksmith')));
  const printed = await evaluate('prose', 'small.json');
  t.match(
    printed.stdout,
    /\n {2}candidate .*[\s\S]*\n[* ] small \(token 60\), bm25 .*[\s\S]*\nBy \d+ derived questions, /,
  );
  await checkFailures(t, evaluate, [
    ['prose prosa', /^prosa: there is neither a file nor a preset of this name; presets: prose, /],
    ['--json', /missing required argument 'candidates'/],
  ]);
});

t.test('a server makes the same choice with the same recalls', OF_MODEL, async (t) => {
  const cwd = await temporaryFolder(t, { ...PAGES, 'grid.json': GRID });
  const { url } = await startServer(t);
  const here = resultOf(await tune(t, cwd, '--json', '--grid', 'grid.json'));
  const there = await tune(t, cwd, '--json', '--grid', 'grid.json', '--server', url);
  t.equal(there.status, 0, there.stderr);
  t.same(resultOf(there), here);
  const closed = await tune(t, cwd, '--server', 'http://127.0.0.1:1');
  t.match(closed, { status: 1, stdout: '' });
});

t.test('a grid and a baseline of its own', OF_MODEL, async (t) => {
  const own = {
    steps: [
      { type: 'chunk', chunker: 'token', config: { chunk_size: 50, tokenizer: 'cl100k_base' } },
      { type: 'refine', refinery: 'embeddings', config: { embedding_model: 'chunksmith/static-en-256' } },
    ],
  };
  const cwd = await temporaryFolder(t, { ...PAGES, 'grid.json': GRID, 'own.json': JSON.stringify(own) });
  const run = await tune(
    t,
    cwd,
    '--baseline',
    'own.json',
    '--retriever',
    'bm25',
    '--grid',
    'grid.json',
    '--json',
  );
  const { baseline, candidates, factors, tried, of, pipeline } = resultOf(run);
  t.equal(baseline.name, 'own (token 50), bm25', run.stderr);
  t.match({ tried, of }, { tried: 3, of: 3 });
  const names = ['own (token 50)', 'token 60', 'short'].flatMap((one) =>
    ['dense', 'bm25', 'hybrid'].map((retriever) => `${one}, ${retriever}`),
  );
  t.same(candidates.map(({ name }) => name).sort(), names.sort());
  t.same(
    factors.map(({ name }) => name),
    ['chunking', 'retriever'],
  );
  const models = pipeline.steps.map(({ config }) => config.embedding_model).filter(Boolean);
  t.ok(
    models.every((model) => model === 'chunksmith/static-en-256'),
    'the model of the baseline is that of all',
  );
});

t.test('the time is over before all is tried', OF_MODEL, async (t) => {
  const cwd = await temporaryFolder(t, PAGES);
  const { status, stdout } = await tune(t, cwd, '--time', '0s');
  t.match(
    { status, stdout },
    { status: 0, stdout: /1 of 24 ways to chunk were tried\.[\s\S]*The time was over/ },
  );
  const less = await tune(t, cwd, '--time', '0s', '--budget', '5');
  t.match(less.stdout, /No chunk fits into 5 tokens/);
  t.match(stdout, /, has \d+ tokens: a budget of fewer than \d+ also measures how well chunks fill it/);
});

t.test('one file, Chinese, own questions, and files that fail', OF_MODEL, async (t) => {
  const chinese = `# 茶\n\n${'泡茶的时间取决于茶的种类和水的温度，红茶和绿茶都需要先看一看包装上的说明。红茶需要三分钟，绿茶只需要两分钟。水不要太热，否则茶会变苦。最后把茶倒进杯子里，慢慢享用。'}\n`;
  const cwd = await temporaryFolder(t, { 'docs/茶.md': chinese, 'more/a.md': page(0) });
  const one = resultOf(await tune(t, cwd, '--time', '0s', '--json'));
  t.match(one, {
    documents: 1,
    questions: 1,
    derived: true,
    candidates: [{ recall: 1 }, { recall: 1 }, { recall: 1 }],
  });
  await writeFile(join(cwd, 'docs/a.md'), page(0));
  const answer = ['Nobody has seen 7 of them.', { start_index: 0, end_index: 8 }];
  await writeFile(join(cwd, 'docs/questions.jsonl'), question({ answer }));
  const own = await tune(t, cwd, '--time', '0s', '--json');
  t.match(resultOf(own), { documents: 2, derived: false, questions: 1, is_better: false });
  t.match(resultOf(own).verdict, /^By 1 question, nothing is better than .*\. Ask at least 6\.$/);
  await writeFile(join(cwd, 'docs/e.pdf'), '%PDF-1.4 broken');
  t.match(await tune(t, cwd, '--time', '0s'), { status: 3, stdout: /e\.pdf: / });
});

t.test('what is wrong is said with its place, before anything is evaluated', OF_MODEL, async (t) => {
  const questions = [
    question({ answer: 'Nobody has seen 7 of them.' }),
    question({ answer: 'none' }),
    question({ answer: 'It is known' }),
    question({ file: 'z.md', answer: 'x' }),
    question({ start_index: 5, end_index: 1e6 }),
    question({}),
    question({ answer: [{ start_index: 8, end_index: 8 }] }),
    question({ answer: [] }),
    'no JSON',
  ];
  const cwd = await temporaryFolder(t, {
    ...PAGES,
    'bad.jsonl': questions.join('\n\n'),
    'few/a.txt': 'Short.',
    'nothing/.keep': '',
    'object.json': '{}',
    'null.json': '[null]',
    'name.json': '[{"preset": "docs"}, {"chunker": "tokn"}]',
    'how.json': '[{"chunker": "token", "retriever": "bm25"}]',
    'no-steps.json': 'null',
  });
  const run = (...args: string[]) => runHere(t, ['tune', ...args], { cwd });
  const bad = await run('docs', '--questions', 'bad.jsonl');
  t.match(bad, { status: 2, stdout: '' });
  t.match(bad.stderr.trim().split('\n'), [
    'bad.jsonl:3: answer: "none" does not occur in a.md',
    /^bad\.jsonl:5: answer: "It is known" occurs in a\.md more than once/,
    'bad.jsonl:7: file: there is no "z.md" in the folder',
    /^bad\.jsonl:9: start_index, end_index: 5 to 1000000 is not/,
    /^bad\.jsonl:11: expected an answer/,
    'bad.jsonl:13: start_index, end_index: 8 to 8 is not a stretch of a.md',
    'bad.jsonl:15: answer: expected at least one',
    /^bad\.jsonl:17: .*JSON/,
  ]);
  await checkFailures(t, run, [
    ['few', /no questions can be derived/],
    ['nothing', /no document could be read/, 1],
    ['missing', /^missing: there is no such folder/],
    ['docs/a.md', /^docs\/a\.md: there is no such folder/],
    ['docs --questions missing.jsonl', /^--questions missing\.jsonl: /],
    ['docs --time soon', /expected a duration/],
    ['docs --server nowhere', /expected a URL/],
  ]);
  await checkFailures(t, run, [
    ['docs --baseline dcos', /^--baseline dcos: there is neither a file nor a preset/],
    ['docs --baseline no-steps.json', /^--baseline no-steps\.json: expected \{"steps"/],
    ['docs --grid object.json', /^--grid object\.json: expected a JSON list of candidates/],
    ['docs --grid null.json', /^--grid null\.json: \[0\]: expected an object/],
    ['docs --grid name.json', /^--grid name\.json: \[1\]\.chunker: there is no chunker "tokn"/],
    ['docs --grid how.json', /^--grid how\.json: \[0\]: .*every retriever/],
  ]);
});
