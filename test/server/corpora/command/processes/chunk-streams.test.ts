import { once } from 'node:events';
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { temporaryFolder } from '../../../../support/server.ts';
import { until } from '../../../../support/until.ts';
import { BY_CHARACTERS, gatedFolder, lineOf, linesIn } from '../../../cli/cli.ts';
import { runCli, startCli } from '../../../cli/processes/cli-process.ts';

/** `chunk` with real signals, pipes, a terminal, a user and memory. */

/** A run of which the first document is done. */
async function started(t: Test, ...flags: string[]) {
  const { options } = await gatedFolder(t);
  const run = startCli(t, ['chunk', '-', '--chunker', 'gated', ...flags], options);
  run.child.stdin?.write(lineOf('first'));
  await until(() => run.stdout().includes('first'));
  return run;
}

t.test('Ctrl-C and SIGTERM end it with whole lines; a second Ctrl-C does at once', async (t) => {
  for (const [flags, input, signals, expected] of [
    [[], '', ['SIGINT'], 130],
    [[], '', ['SIGTERM'], 143],
    [[], lineOf('wait'), ['SIGINT'], 130],
    [[], lineOf('deaf, wait'), ['SIGINT', 'SIGINT'], 130],
    [['--workers', '0'], lineOf('deaf, wait'), ['SIGINT', 'SIGINT'], 130],
  ] as const) {
    const run = await started(t, ...flags);
    run.child.stdin?.write(input);
    for (const signal of signals) {
      run.child.kill(signal);
      await until(() => run.stderr().includes('interrupted'));
    }
    const { status, lines, stderr } = await run.ended();
    t.equal(status, expected);
    t.equal(lines().length, 1);
    if (signals.length === 1) t.match(stderr, /^interrupted\n1 document, 1 chunk, /m);
  }
});

t.test('output that nobody reads on ends it quietly; output that cannot be written does not', async (t) => {
  const cwd = await temporaryFolder(t, { 'large.txt': 'text '.repeat(400_000) });
  const chunk = ['chunk', 'large.txt', ...BY_CHARACTERS(50)];
  const head = await runCli(t, chunk, { cwd, shell: 'set -o pipefail; "$@" | head -n 1' });
  t.same([head.status, head.lines().length, head.stderr], [0, 1, '']);
  const check = await runCli(t, ['check'], { cwd, shell: 'set -o pipefail; "$@" | head -n 1' });
  t.same([check.status, check.stdout, check.stderr], [0, 'Plugins:\n', '']);
  // The reader ends before anything is printed.
  for (const args of [['serve', '--help'], ['--help'], ['chunk', '--help'], ['check']]) {
    const { status, stderr } = await runCli(t, args, { cwd, shell: 'set -o pipefail; "$@" | true' });
    t.same([status, stderr], [0, ''], args.join(' '));
  }
  const refused = await runCli(t, ['serve', '--nothing'], {
    cwd,
    shell: 'set -o pipefail; "$@" 2>&1 | true',
  });
  t.same([refused.status, refused.stderr], [2, '']);
  const full = await runCli(t, chunk, { cwd, shell: '"$@" > /dev/full' });
  t.match(full, { status: 1, stderr: /^standard output cannot be written: ENOSPC/m });
});

t.test('a terminal gets a bar, and keeps the summary', async (t) => {
  const { options, open } = await gatedFolder(t, { 'in.jsonl': lineOf('one') + lineOf('wait') });
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

t.test('a file that cannot be read is skipped in a folder, and refused where it is named', async (t) => {
  const cwd = await temporaryFolder(t, { 'a.txt': 'a', 'closed.txt': 'closed', 'z.txt': 'z' });
  await chmod(join(cwd, 'closed.txt'), 0);
  await chmod(cwd, 0o777);
  const user = process.getuid?.() === 0 ? { uid: 65_534 } : {};
  const options = { cwd, env: { HOME: cwd, TMPDIR: cwd }, ...user };
  const chunk = ['chunk', '.', ...BY_CHARACTERS(100)];
  const { status, texts, stderr } = await runCli(t, chunk, options);
  t.equal(status, 0, stderr);
  t.same(texts(), ['a', 'z']);
  t.match(stderr, '1 skipped: 1 lacks permission (closed.txt)\n');
  const folder = await runCli(t, [...chunk, '--out', 'out', '--errors', 'errors.jsonl'], options);
  t.equal(folder.status, 0, folder.stderr);
  const errors = linesIn(await readFile(join(cwd, 'errors.jsonl'), 'utf8'));
  t.match(errors, [{ source: 'closed.txt', skipped: 'unreadable', detail: /no permission/ }]);
  const named = await runCli(t, ['chunk', 'a.txt', 'closed.txt', ...BY_CHARACTERS(100)], options);
  t.same(
    [named.status, named.stdout, named.stderr],
    [2, '', 'closed.txt cannot be read: there is no permission to read it: grant it.\n'],
  );
});

const MB = 1e6;

/** The most memory in bytes that a run had which chunks so many bytes of standard input. */
async function peakOf(bytes: number): Promise<number> {
  const cwd = await temporaryFolder(t);
  const run = startCli(t, ['chunk', '-', ...BY_CHARACTERS(2000), '--workers', '2', '--progress', 'json'], {
    cwd,
    shell: 'exec "$@" > /dev/null',
  });
  const { stdin, pid } = run.child;
  let peak = 0;
  let id = 0;
  for (let sent = 0; sent < bytes; ) {
    const text = `some text of document ${id} `.repeat(400);
    const lines = Array.from({ length: 100 }, () => lineOf(text, `${id++}`)).join('');
    sent += lines.length;
    if (stdin?.write(lines) === false) await once(stdin, 'drain');
    if (id % 1000 === 0) peak = Math.max(peak, await peakNow(pid));
  }
  peak = Math.max(peak, await peakNow(pid));
  stdin?.end();
  const { status, summary } = await run.ended();
  t.equal(status, 0);
  t.equal(summary().documents, id);
  return peak;
}

async function peakNow(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) * 1024;
}

t.test('memory does not grow with the source', { skip: process.platform !== 'linux' }, async (t) => {
  const small = await peakOf(10 * MB);
  const large = await peakOf(120 * MB);
  t.ok(large < small + 150 * MB, `${Math.round(small / MB)} MB, then ${Math.round(large / MB)} MB`);
});
