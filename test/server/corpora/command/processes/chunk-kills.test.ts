import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { freePort, startProcess } from '../../../../support/process.ts';
import { temporaryFolder } from '../../../../support/server.ts';
import { until } from '../../../../support/until.ts';
import { BY_CHARACTERS, contentOf, gatedFolder, lineOf } from '../../../cli/cli.ts';
import { runCli, startCli } from '../../../cli/processes/cli-process.ts';

/** The disk of `chunk` is full, and the service that it asks is killed: it goes on. `test/soak/kills.ts` kills it itself. */

const mayMount = process.getuid?.() === 0 && process.platform === 'linux';

t.test('a full disk fails the run, which goes on when there is room', { skip: !mayMount }, async (t) => {
  const lines = Array.from({ length: 2000 }, (_, id) => lineOf('text '.repeat(400), `${id}`));
  const cwd = await temporaryFolder(t, { 'in.jsonl': lines.join(''), 'disk/.keep': '' });
  const mount = await runCli(t, [], { cwd, shell: 'mount -t tmpfs -o size=3m tmpfs disk #' });
  if (mount.status !== 0) return t.pass('no disk can be made here');
  t.teardown(() => runCli({ teardown() {} }, [], { cwd, shell: 'umount disk #' }));
  const args = ['chunk', 'in.jsonl', ...BY_CHARACTERS(500), '--workers', '0', '--out', 'disk/out'];
  const full = await runCli(t, args, { cwd });
  t.match(full, { status: 1, stderr: /no space left/ });
  await runCli(t, [], { cwd, shell: 'mount -o remount,size=100m disk #' });
  const resumed = await runCli(t, [...args, '--resume'], { cwd });
  t.equal(resumed.status, 0, resumed.stderr);
  await runCli(t, [...args.slice(0, -1), 'out'], { cwd });
  t.same(await contentOf(join(cwd, 'disk/out')), await contentOf(join(cwd, 'out')));
  await rm(join(cwd, 'out'), { recursive: true });
});

t.test('a service that is killed and started again goes on, and nothing is lost or doubled', async (t) => {
  const { options, open } = await gatedFolder(t);
  const port = String(await freePort());
  const start = () => startProcess(t, ['--host', '127.0.0.1', '--port', port], { env: options.env });
  const texts = Array.from({ length: 2000 }, (_, index) =>
    index === 1500 ? 'wait' : `text ${index} `.repeat(20),
  );
  const input = texts.map((text, id) => lineOf(text, `${id}`)).join('');
  const last = lineOf('last');
  const args = ['chunk', '-', '--chunker', 'gated'];
  let server = start();
  await server.listening();
  const run = startCli(t, [...args, '--server', `http://127.0.0.1:${port}`], options);
  run.child.stdin?.write(input);
  await until(() => run.stdout().includes('"text":"text 200 '));
  server.child.kill('SIGKILL');
  await server.ended();
  await open();
  server = start();
  await server.listening();
  await until(() => run.stdout().includes('"text":"text 1999 '));
  run.child.stdin?.end(last);
  const there = await run.ended();
  t.equal(there.status, 0, there.stderr);
  const here = await runCli(t, args, { ...options, input: input + last });
  t.ok(there.stdout === here.stdout);
});
