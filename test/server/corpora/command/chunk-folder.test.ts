import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { temporaryFolder } from '../../../support/server.ts';
import { until } from '../../../support/until.ts';
import { BY_CHARACTERS, gatedFolder, lineOf } from '../../cli/cli.ts';
import { checkFailures, runHere, startCommand } from '../../cli/command.ts';

/** `chunk --out` holds its folder and goes on where it was interrupted; processes/chunk-kills.test.ts kills it. */

/** A run into a folder that waits in its middle. */
async function waiting(t: Test) {
  const { cwd, options, open } = await gatedFolder(t, { 'in.jsonl': lineOf('wait') + lineOf('x') });
  const args = ['chunk', 'in.jsonl', '--chunker', 'gated', '--out', 'out'];
  const run = startCommand(t, args, options);
  await until(() => existsSync(join(cwd, 'out/job.json')));
  const again = (...flags: string[]) => runHere(t, [...args, ...flags], options);
  return { cwd, run, again, open };
}

t.test('a folder belongs to one process at a time', async (t) => {
  const { run, again, open } = await waiting(t);
  for (const flags of [[], ['--resume']]) {
    t.match(await again(...flags), { status: 2, stderr: /another run is writing to this folder/ });
  }
  await open();
  t.equal((await run.ended()).status, 0, 'the first one does not notice');
  t.match(await again(), { status: 2, stderr: /it is not empty; resume with --resume/ });
});

t.test('what was interrupted goes on, but only as it was asked for', async (t) => {
  const { cwd, run, again, open } = await waiting(t);
  run.interrupt('SIGINT');
  t.equal((await run.ended()).status, 130);
  await open();
  t.match(await again('--resume', '--group', 'document'), {
    status: 2,
    stderr: /--resume: the run in this folder has --group chunk, not document/,
  });
  t.equal((await again('--resume')).status, 0);
  const part = await readFile(join(cwd, 'out/part-000000.jsonl'), 'utf8');
  t.equal(part.split('\n').length, 3);
  await writeFile(join(cwd, 'in.jsonl'), 'changed');
  t.match(await again('--resume'), {
    status: 2,
    stderr: /--resume: in\.jsonl was changed, added or removed since/,
  });
});

t.test('standard input and folders with something in them are refused', async (t) => {
  const cwd = await temporaryFolder(t, { 'a.txt': 'a', 'full/b.txt': 'b', file: '' });
  const into = (source = '', out = '') =>
    runHere(t, ['chunk', source, ...BY_CHARACTERS(9), '--out', out], { cwd });
  await checkFailures(t, into, [
    ['- out', /standard input cannot be read twice/],
    ['a.txt full', /it is not empty; choose an empty folder/],
    ['a.txt file', /^--out .*file: ENOTDIR/],
  ]);
});
