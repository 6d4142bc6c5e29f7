import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { needs } from '../../../../../support/here.ts';
import { startNode } from '../../../../../support/process.ts';
import { temporaryFolder } from '../../../../../support/server.ts';
import { until } from '../../../../../support/until.ts';

/** `tune` in a process of its own, with threads, that is interrupted in the middle. */

const OF_MODEL = needs(
  'embedding/static',
  'tokenizer/tiktoken',
  'tokenizer/huggingface',
  'chunker/auto',
  'refinery/context',
  'refinery/embeddings',
);
const MAIN = join(import.meta.dirname, '../../../../../../server/cli/main.ts');
const SECTIONS = Array.from({ length: 150 }, (_, at) => {
  const [one, other] = [at * 7919, at * 104_729].map((number) => number.toString(36));
  return `## Part ${one}\n\nThe part ${one} belongs to ${other} and to nothing else. It is ${at} long. Nobody has ${other} of them.`;
});

t.test('Ctrl-C ends with 130, and what is resumed ends as what was not interrupted', OF_MODEL, async (t) => {
  const cwd = await temporaryFolder(t, { 'docs/a.md': SECTIONS.join('\n\n') });
  const run = (...flags: string[]) =>
    startNode(t, [MAIN, 'tune', 'docs', ...flags], { cwd, env: { WORKERS: '1' } });
  const state = async () => (await readFile(join(cwd, 'docs/.chunksmith/tune.jsonl'), 'utf8')).split('\n');
  const whole = run('--out', 'whole.json', '--json');
  t.same(await whole.end, [0, null], whole.stderr());
  const all = await state();
  const stopped = run('--out', 'tuned.json');
  await until(() => stopped.stderr().split('\n').length > 5);
  stopped.child.kill('SIGINT');
  t.same(await stopped.end, [130, null]);
  t.match(stopped.stderr(), /interrupted; --resume continues\n$/);
  t.equal(stopped.stdout(), '');
  const kept = await state();
  t.ok(kept.length > 3 && kept.length < all.length, `${kept.length} of ${all.length} lines`);
  const resumed = run('--out', 'tuned.json', '--json', '--resume');
  t.same(await resumed.end, [0, null], resumed.stderr());
  t.equal(resumed.stdout(), whole.stdout());
  t.same((await state()).slice(0, kept.length - 1), kept.slice(0, -1));
  const files = await Promise.all(
    ['whole.json', 'tuned.json'].map((file) => readFile(join(cwd, file), 'utf8')),
  );
  t.equal(files[1], files[0]);
  await writeFile(join(cwd, 'docs/b.md'), 'More.');
  const changed = run('--resume', '--time', '0s');
  t.same(await changed.end, [0, null], changed.stderr());
  t.equal((await state()).length, all.length + 1, 'what was done is not that of other files');
});
