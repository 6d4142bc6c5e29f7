import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { BY_CHARACTERS, type CliOptions, gated, runCli, startCli } from '../../support/cli.ts';
import { pluginsFolder } from '../../support/plugins.ts';
import { until } from '../../support/process.ts';
import { temporaryFolder } from '../../support/server.ts';

const SMALL = BY_CHARACTERS(4);
const lineOf = (text: string, id = text): string => `${JSON.stringify({ id, text })}\n`;

/** A folder, and the chunker `gated`, whose gate is in it. */
async function withGate(t: Test, files: Record<string, string> = {}) {
  const cwd = await temporaryFolder(t, files);
  const env = { PLUGINS_DIR: await pluginsFolder(t, gated(cwd)) };
  return { options: { cwd, env } satisfies CliOptions, open: () => writeFile(join(cwd, 'go'), '') };
}

t.test('lines for chunks, or for documents', async (t) => {
  const cwd = await temporaryFolder(t, { 'a.txt': 'abcdef', 'b.txt': 'gh' });
  const chunks = await runCli(t, ['chunk', '.', ...SMALL], { cwd });
  t.same(
    chunks.lines().map(({ text, document_id }) => [document_id, text]),
    [
      ['a.txt', 'abcd'],
      ['a.txt', 'ef'],
      ['b.txt', 'gh'],
    ],
  );
  const documents = await runCli(t, ['chunk', '.', ...SMALL, '--group', 'document'], { cwd });
  t.same(
    documents.lines<{ chunks: object[] }>().map((line) => line.chunks.length),
    [2, 1],
  );
  const few = await runCli(t, ['chunk', 'b.txt', ...SMALL, '--include', 'index'], { cwd });
  t.equal(few.stdout, '{"text":"gh","start_index":0,"end_index":2,"token_count":2,"index":0}\n');
});

t.test('what is done is written while standard input is still open', async (t) => {
  const { options, open } = await withGate(t);
  const run = startCli(t, ['chunk', '-', '--chunker', 'gated'], options);
  run.child.stdin?.write(lineOf('first'));
  await until(() => run.stdout().includes('"text":"first"'));
  run.child.stdin?.write(lineOf('wait') + lineOf('last'));
  run.child.stdin?.write('{"text":"half of a');
  await open();
  await until(() => run.stdout().includes('"text":"last"'));
  run.child.stdin?.end(' line"}');
  const { status, lines } = await run.ended();
  t.equal(status, 0);
  t.same(
    lines().map(({ text }) => text),
    ['first', 'wait', 'last', 'half of a line'],
  );
});

t.test('progress and summary are on standard error, as they are asked for', async (t) => {
  const cwd = await temporaryFolder(t, { 'a.txt': 'abcdef', 'b.txt': '' });
  const run = (...flags: string[]) => runCli(t, ['chunk', '.', ...SMALL, ...flags], { cwd });
  const [plain, none, json, bar] = await Promise.all([
    run(),
    run('--progress', 'none'),
    run('--json'),
    run('--progress', 'bar'),
  ]);
  t.match(plain.stderr, /^2 documents, 2 chunks, 0\.0 MB in [\d.]+ s \([\d.]+ MB\/s\)\n$/);
  t.equal(none.stderr, '');
  t.match(json.summary(), { documents: 2, failed: 0, skipped: 0, chunks: 2, bytes: 6, status: 0 });
  t.equal(json.stderr.split('\n').length, 2);
  t.match(bar.stderr, /2 documents, 2 chunks/);
  for (const { status, stdout } of [none, json, bar])
    t.match({ status, stdout }, { status: 0, stdout: plain.stdout });
});

t.test('a terminal gets a bar, and keeps the summary', async (t) => {
  const { options, open } = await withGate(t);
  await writeFile(join(options.cwd, 'in.jsonl'), lineOf('one') + lineOf('wait'));
  const run = startCli(t, ['chunk', 'in.jsonl', '--chunker', 'gated', '--workers', '1'], {
    ...options,
    shell: `printf -v command '%q ' "$@"; exec script -qec "stty cols 200; $command > out.jsonl" /dev/null`,
  });
  await until(() => /█.* 1 documents/.test(run.stdout()));
  await open();
  const { status, stdout } = await run.ended();
  t.equal(status, 0);
  t.match(stdout, /2 documents, 2 chunks, [^\r]*MB\/s\)\r\n/);
});

t.test('what fails does not stop the rest, unless that is asked for', async (t) => {
  const lines = [lineOf('fine'), lineOf('fail', 'x'), 'no JSON\n', lineOf('good')];
  const { options } = await withGate(t, { 'in.jsonl': lines.join('') });
  const chunk = ['chunk', 'in.jsonl', '--chunker', 'gated'];
  const shown = await runCli(t, chunk, options);
  t.equal(shown.status, 3);
  t.same(
    shown.lines().map(({ text }) => text),
    ['fine', 'good'],
  );
  t.match(shown.stderr, /^in\.jsonl, byte 28 \(x\): .*as it was asked to/);
  t.match(shown.stderr, /^4 documents, 2 failed, 2 chunks/m);
  const listed = await runCli(t, [...chunk, '--errors', 'errors.jsonl', '--json'], options);
  t.equal(listed.stdout, shown.stdout);
  t.match(listed.summary(), { documents: 4, failed: 2, chunks: 2, status: 3 });
  const errors = await runCli(t, [], { ...options, shell: 'cat errors.jsonl #' });
  t.match(errors.lines<object>(), [
    { source: 'in.jsonl', byte: 28, id: 'x', status: 500, detail: /as it was asked to/ },
    {
      source: 'in.jsonl',
      byte: 28 + lineOf('fail', 'x').length,
      status: 400,
      detail: /not a line of valid JSON/,
    },
  ]);
  for (const flags of [[], ['--out', 'out']]) {
    const stopped = await runCli(t, [...chunk, '--fail-fast', '--json', ...flags], options);
    t.equal(stopped.status, 1, stopped.stderr);
    t.match(stopped.summary(), { status: 1, error: String });
  }
});

t.test('a file that has gone since the beginning fails alone', async (t) => {
  const large = 'x'.repeat(300_000);
  const names = Array.from({ length: 40 }, (_, index) => `f${String(index).padStart(2, '0')}.txt`);
  const files = Object.fromEntries(names.map((name) => [name, large]));
  const { options, open } = await withGate(t, { ...files, 'f00.txt': 'done', 'f01.txt': 'wait' });
  const run = startCli(t, ['chunk', '.', '--chunker', 'gated', '--workers', '1'], options);
  await until(() => run.stdout().includes('done'));
  await runCli(t, [], { ...options, shell: 'rm f39.txt #' });
  await open();
  const { status, stderr, lines } = await run.ended();
  t.equal(status, 3, stderr);
  t.equal(lines().length, 39);
  t.match(stderr, /^f39\.txt: f39\.txt has changed, or has gone/m);
});
