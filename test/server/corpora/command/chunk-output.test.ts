import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { estimator } from '../../../../server/corpora/command/progress.ts';
import { WINDOWED } from '../../../support/evaluation.ts';
import { needs } from '../../../support/here.ts';
import { pluginsFolder } from '../../../support/plugins.ts';
import { temporaryFolder } from '../../../support/server.ts';
import { until } from '../../../support/until.ts';
import { BY_CHARACTERS, gatedFolder, lineOf, linesIn } from '../../cli/cli.ts';
import { runHere, startCommand } from '../../cli/command.ts';

/** What `chunk` writes, where, and how it ends; signals and real streams are in processes/chunk-streams.test.ts. */

const SMALL = BY_CHARACTERS(4);
const GATED = ['chunk', '-', '--chunker', 'gated'];

/** A run of which the first document is done. */
async function started(t: Test, input: string, ...flags: string[]) {
  const { options, open } = await gatedFolder(t);
  const run = startCommand(t, [...GATED, ...flags], options);
  run.stdin.write(lineOf('first') + input);
  await until(() => run.stdout().includes('"text":"first"'));
  return { ...run, open };
}

t.test('lines for chunks, or for documents', async (t) => {
  const cwd = await temporaryFolder(t, { 'a.txt': 'abcdef', 'b.txt': 'gh' });
  const chunks = await runHere(t, ['chunk', '.', ...SMALL], { cwd });
  const written = chunks.lines().map(({ text, document_id }) => `${document_id} ${text}`);
  t.same(written, ['a.txt abcd', 'a.txt ef', 'b.txt gh']);
  const documents = await runHere(t, ['chunk', '.', ...SMALL, '--group', 'document'], { cwd });
  const counts = documents.lines<{ chunks: object[] }>().map((line) => line.chunks.length);
  t.same(counts, [2, 1]);
  const few = await runHere(t, ['chunk', 'b.txt', ...SMALL, '--include', 'index'], { cwd });
  t.equal(few.stdout, '{"text":"gh","start_index":0,"end_index":2,"token_count":2,"index":0}\n');
});

const LEXICAL = needs('chunker/semantic', 'embedding/static', 'tokenizer/huggingface');
t.test('texts with lexical vectors are counted in the summary', LEXICAL, async (t) => {
  const cwd = await temporaryFolder(t, { 'a.txt': '今天天气很好，我们去公园。数据库的索引可以加快查询。' });
  const lines = await runHere(t, ['chunk', '.', '--chunker', 'semantic'], { cwd });
  t.match(lines.stderr, /1 document, \d chunks?, 2 texts with lexical vectors, /);
  const folder = await runHere(
    t,
    ['chunk', '.', '--chunker', 'semantic', '--out', 'out', '--progress', 'json'],
    { cwd },
  );
  t.match(folder.summary(), { embedding_empty: 0, embedding_fallback: 2 });
});

t.test(
  'texts beyond the window of the model are counted in the summary',
  needs('chunker/semantic'),
  async (t) => {
    const cwd = await temporaryFolder(t, { 'a.txt': 'tea with milk. rain and sun. tea' });
    const env = { PLUGINS_DIR: await pluginsFolder(t, WINDOWED) };
    const flags = ['chunk', '.', '--chunker', 'semantic', '--embedding-model', 'narrow'];
    const lines = await runHere(t, flags, { cwd, env });
    t.match(lines.stderr, /1 document, \d chunks?, 2 texts longer than the model reads at once, /);
    const folder = await runHere(t, [...flags, '--out', 'out', '--progress', 'json'], { cwd, env });
    t.match(folder.summary(), { embedding_empty: 0, embedding_cut: 2 });
  },
);

t.test('what is done is written while standard input is still open', async (t) => {
  const run = await started(t, lineOf('wait') + lineOf('last'));
  run.stdin.write('{"text":"half of a');
  await run.open();
  await until(() => run.stdout().includes('"text":"last"'));
  run.stdin.end(' line"}');
  const { status, texts } = await run.ended();
  t.equal(status, 0);
  t.same(texts(), ['first', 'wait', 'last', 'half of a line']);
});

t.test('progress and summary are on standard error, as they are asked for', async (t) => {
  const cwd = await temporaryFolder(t, { 'a.txt': 'abcdef', 'b.txt': '' });
  const run = (...flags: string[]) => runHere(t, ['chunk', '.', ...SMALL, ...flags], { cwd });
  const [plain, none] = [await run(), await run('--progress', 'none')];
  const [json, bar] = [await run('--progress', 'json'), await run('--progress', 'bar')];
  const summary = /^2 documents, 2 chunks, 0\.0 MB in [\d.]+ s \([\d.]+ MB\/s\)\n1 is empty \(b\.txt\)\n$/;
  t.match(plain.stderr, summary);
  t.equal(none.stderr, '');
  t.match(json.summary(), { documents: 2, failed: 0, skipped: 0, chunks: 2, bytes: 6, status: 0 });
  t.equal(json.stderr.split('\n').length, 2);
  t.match(bar.stderr, /2 documents, 2 chunks/);
  for (const { status, stdout } of [none, json, bar])
    t.match({ status, stdout }, { status: 0, stdout: plain.stdout });
});

t.test('how long the rest takes is told once that means something', async (t) => {
  const timeLeft = estimator(1000);
  // Ten seconds until the first document is done.
  t.equal(timeLeft({ seconds: 10, bytes: 1 }), undefined);
  const left = (seconds: number, bytes: number) => timeLeft({ seconds: 10 + seconds, bytes: 1 + bytes });
  const told = [left(4, 900), left(6, 5), left(6, 100), left(10, 25)];
  t.same(told, [undefined, undefined, '54 s left', '6 min 30 s left']);
});

t.test('what fails does not stop the rest, unless that is asked for', async (t) => {
  const lines = [lineOf('fine'), lineOf('fail', 'x'), 'no JSON\n', lineOf('good')];
  const { options } = await gatedFolder(t, { 'in.jsonl': lines.join('') });
  const chunk = ['chunk', 'in.jsonl', '--chunker', 'gated'];
  const shown = await runHere(t, chunk, options);
  t.equal(shown.status, 3);
  t.same(shown.texts(), ['fine', 'good']);
  t.match(shown.stderr, /^in\.jsonl, byte 28 \(x\): .*as it was asked to/);
  t.match(shown.stderr, /^4 documents, 2 failed, 2 chunks/m);
  const listed = await runHere(t, [...chunk, '--errors', 'errors.jsonl', '--progress', 'json'], options);
  t.equal(listed.stdout, shown.stdout);
  t.match(listed.summary(), { documents: 4, failed: 2, chunks: 2, status: 3 });
  const byte = 28 + lineOf('fail', 'x').length;
  t.match(linesIn(await readFile(join(options.cwd, 'errors.jsonl'), 'utf8')), [
    { source: 'in.jsonl', byte: 28, id: 'x', status: 500, detail: /as it was asked to/ },
    { source: 'in.jsonl', byte, status: 400, detail: /not a line of valid JSON/ },
  ]);
  for (const flags of [[], ['--out', 'out']]) {
    const stopped = await runHere(t, [...chunk, '--fail-fast', '--progress', 'json', ...flags], options);
    t.equal(stopped.status, 1, stopped.stderr);
    t.match(
      stopped.summary(),
      { status: 1, error: /^((?!GET|max_errors).)*$/ },
      'in terms of this interface',
    );
  }
  const open = await started(t, lineOf('fail'), '--fail-fast');
  const failed = { status: 1, stderr: /-, byte 30 \(fail\): .*as it was asked to/ };
  t.match(await open.ended(), failed, 'more may come');
});

t.test('a file that has gone since the beginning fails alone', async (t) => {
  const large = 'x'.repeat(300_000);
  const names = Array.from({ length: 40 }, (_, index) => `f${String(index).padStart(2, '0')}.txt`);
  const files = Object.fromEntries(names.map((name) => [name, large]));
  const { options, open } = await gatedFolder(t, { ...files, 'f00.txt': 'done', 'f01.txt': 'wait' });
  const run = startCommand(t, ['chunk', '.', '--chunker', 'gated'], options);
  await until(() => run.stdout().includes('done'));
  await rm(join(options.cwd, 'f39.txt'));
  await open();
  const { status, stderr, lines } = await run.ended();
  t.equal(status, 3, stderr);
  t.equal(lines().length, 39);
  t.match(stderr, /^f39\.txt: f39\.txt was changed or removed/m);
});
