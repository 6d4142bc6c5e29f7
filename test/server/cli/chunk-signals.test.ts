import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { BY_CHARACTERS, gated, runCli, startCli } from '../../support/cli.ts';
import { pluginsFolder } from '../../support/plugins.ts';
import { until } from '../../support/process.ts';
import { temporaryFolder } from '../../support/server.ts';

const lineOf = (text: string): string => `${JSON.stringify({ id: text, text })}\n`;

/** A run of which the first document is done. */
async function started(t: Test, { input, flags = [] }: { input: string; flags?: readonly string[] }) {
  const cwd = await temporaryFolder(t);
  const env = { PLUGINS_DIR: await pluginsFolder(t, gated(cwd)) };
  const run = startCli(t, ['chunk', '-', '--chunker', 'gated', ...flags], { cwd, env });
  run.child.stdin?.write(lineOf('first') + input);
  await until(() => run.stdout().includes('first'));
  return run;
}

t.test('Ctrl-C and SIGTERM end it with whole lines, whatever it waits for', async (t) => {
  const cases = [
    ['SIGINT', 130, ''],
    ['SIGTERM', 143, ''],
    ['SIGINT', 130, lineOf('wait')],
  ] as const;
  for (const [signal, expected, input] of cases) {
    const run = await started(t, { input });
    run.child.kill(signal);
    const { status, lines, stderr } = await run.ended();
    t.equal(status, expected);
    t.equal(lines().length, 1);
    t.match(stderr, /^interrupted\n1 document, 1 chunk, /);
  }
});

t.test('a second Ctrl-C ends it at once', async (t) => {
  const run = await started(t, { input: lineOf('deaf, wait') });
  const workers = await started(t, { input: '', flags: ['--workers', '0'] });
  for (const one of [run, workers]) {
    one.child.stdin?.write(lineOf('deaf, wait'));
    one.child.kill('SIGINT');
    await until(() => one.stderr().includes('interrupted'));
    one.child.kill('SIGINT');
    t.equal((await one.ended()).status, 130);
  }
});

t.test('a document that fails ends it with --fail-fast, though more may come', async (t) => {
  const run = await started(t, { input: lineOf('fail'), flags: ['--fail-fast'] });
  t.match(await run.ended(), { status: 1, stderr: /-, byte 30 \(fail\): .*as it was asked to/ });
});

t.test('output that nobody reads on ends it quietly; output that cannot be written does not', async (t) => {
  const cwd = await temporaryFolder(t);
  await writeFile(join(cwd, 'large.txt'), 'text '.repeat(400_000));
  const chunk = ['chunk', 'large.txt', ...BY_CHARACTERS(50)];
  const head = await runCli(t, chunk, { cwd, shell: 'set -o pipefail; "$@" | head -n 1' });
  t.equal(head.status, 0);
  t.equal(head.lines().length, 1);
  t.equal(head.stderr, '');
  const full = await runCli(t, chunk, { cwd, shell: '"$@" > /dev/full' });
  t.equal(full.status, 1);
  t.match(full.stderr, /^standard output cannot be written: ENOSPC/m);
});
