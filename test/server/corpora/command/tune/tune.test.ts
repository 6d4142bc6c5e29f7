import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { needs } from '../../../../support/here.ts';
import { temporaryFolder } from '../../../../support/server.ts';
import { until } from '../../../../support/until.ts';
import { runHere, startCommand } from '../../../cli/command.ts';

/** What `tune` prints and writes, and how it ends. */

const OF_MODEL = needs('embedding/static', 'tokenizer/huggingface', 'chunker/auto', 'refinery/context');
const WORDS =
  'amber birch cedar delta ember fjord grove heron ivory jetty kelp lotus maple north otter pearl'.split(' ');
const paragraph = (at: number) => {
  const [one, other] = [WORDS[at % 16], WORDS[(at * 7 + 3) % 16]];
  return `The ${one} of number ${at} is near the ${other}. It is known for its ${other} and ${one}. Nobody has seen ${at} of them.`;
};
const page = (from: number) =>
  `# Page ${from}\n\n${Array.from({ length: 20 }, (_, at) => paragraph(from + at)).join('\n\n')}\n`;
const PAGES = { 'docs/a.md': page(0), 'docs/b.md': page(20), 'docs/c.md': page(40), 'docs/d.md': page(60) };

const tune = (t: Test, cwd: string, ...flags: string[]) =>
  runHere(t, ['tune', 'docs', '--budget', '300', ...flags], { cwd });

t.test('derived questions: a result, a page, and a pipeline that runs', OF_MODEL, async (t) => {
  const cwd = await temporaryFolder(t, PAGES);
  const { status, stdout, stderr } = await tune(
    t,
    cwd,
    '--json',
    '--out',
    'tuned.json',
    '--report',
    'r.html',
  );
  t.equal(status, 0, stderr);
  const result = JSON.parse(stdout);
  t.match(result, { documents: 4, derived: true, of: 24, verdict: /^By derived questions, / });
  t.ok(result.questions >= 60 && result.candidates.length === 3 * result.tried);
  t.match(await readFile(join(cwd, 'r.html'), 'utf8'), /<svg class="plot"/);
  const chunked = await runHere(t, ['chunk', 'docs', '--pipeline', 'tuned.json'], { cwd });
  t.equal(chunked.status, 0, chunked.stderr);
  t.ok(chunked.lines().length > 4);
});

t.test('an interrupted run continues, with the same result as one that was not', OF_MODEL, async (t) => {
  const cwd = await temporaryFolder(t, PAGES);
  await tune(t, cwd, '--out', 'whole.json');
  const args = ['tune', 'docs', '--budget', '300', '--out', 'tuned.json'];
  const run = startCommand(t, args, { cwd });
  await until(() => run.stderr().includes('auto 128'));
  run.interrupt('SIGINT');
  const stopped = await run.ended();
  t.match(stopped, { status: 130, stdout: '' });
  const state = join(cwd, 'docs/.chunksmith/tune.jsonl');
  const kept = (await readFile(state, 'utf8')).split('\n').length;
  const resumed = await tune(t, cwd, '--out', 'tuned.json', '--resume');
  t.equal(resumed.status, 0, resumed.stderr);
  const lines = (await readFile(state, 'utf8')).split('\n').length;
  t.ok(kept > 1 && lines > kept, 'only the rest was evaluated');
  t.equal(await readFile(join(cwd, 'tuned.json'), 'utf8'), await readFile(join(cwd, 'whole.json'), 'utf8'));
  await writeFile(join(cwd, 'docs/a.md'), page(100));
  await tune(t, cwd, '--resume');
  t.equal(
    (await readFile(state, 'utf8')).split('\n').length - 1,
    2 * (lines - 1),
    'a changed file is another hash',
  );
});

t.test('own questions, their problems, and time that is over', OF_MODEL, async (t) => {
  const line = (...answer: (string | object)[]) =>
    JSON.stringify({ question: 'Where?', file: 'a.md', answer });
  const cwd = await temporaryFolder(t, {
    ...PAGES,
    'q.jsonl': line('Nobody has seen 7 of them.', { start_index: 0, end_index: 8 }),
    'bad.jsonl': `${line('none')}\n${line({ start_index: 8, end_index: 8 })}`,
  });
  const late = await tune(t, cwd, '--questions', 'q.jsonl', '--time', '0s', '--json');
  t.match(JSON.parse(late.stdout), { derived: false, questions: 1, tried: 1, of: 24, is_better: false });
  const bad = await tune(t, cwd, '--questions', 'bad.jsonl');
  t.match(bad, { status: 2, stdout: '', stderr: 'bad.jsonl:1: answer: "none" does not occur in a.md' });
  t.match(bad.stderr, 'bad.jsonl:2: start_index, end_index: 8 to 8 is not a stretch of a.md');
  await mkdir(join(cwd, 'few'));
  await writeFile(join(cwd, 'few/a.txt'), 'Short.');
  const none = await runHere(t, ['tune', 'few'], { cwd });
  t.match(none, { status: 2, stderr: /no questions can be derived/ });
  await writeFile(join(cwd, 'docs/e.pdf'), '%PDF-1.4 broken');
  const failed = await tune(t, cwd, '--time', '0s');
  t.match(failed, { status: 3, stdout: /e\.pdf: / });
});
