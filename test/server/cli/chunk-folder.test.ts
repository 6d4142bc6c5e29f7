import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { createRandom } from '../../soak/texts.ts';
import { BY_CHARACTERS, gated, runCli, startCli } from '../../support/cli.ts';
import { pluginsFolder } from '../../support/plugins.ts';
import { until } from '../../support/process.ts';
import { temporaryFolder } from '../../support/server.ts';

/** How often a run is killed. */
const KILLS = Number(process.env.KILLS ?? 20);
const SEED = Number(process.env.KILL_SEED ?? 18);

t.setTimeout(120_000 + KILLS * 10_000);

/** What a run leaves: the hashes of its files, but for the id of its job. */
async function contentOf(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).filter((name) => name !== '.chunksmith' && name !== 'job.json');
  const hashes = names.sort().map(async (name) => {
    const bytes = await readFile(join(folder, name));
    return [name, createHash('sha256').update(bytes).digest('hex')] as const;
  });
  return Object.fromEntries(await Promise.all(hashes));
}

/** Several megabytes of lines with some that fail, and a few files. */
function sourceOf(random: () => number): Record<string, string> {
  const lines = Array.from({ length: 4000 }, (_, index) => {
    const text = `${Math.floor(random() * 1e9)} `.repeat(150);
    return index % 500 === 7 ? '{"text": 1}' : JSON.stringify({ id: `line-${index}`, text });
  });
  return { 'src/a.txt': 'a', 'src/b.txt': 'b', 'src/lines.jsonl': lines.join('\n') };
}

t.test(`a run that is killed ${KILLS} times goes on, and leaves what an undisturbed one does`, async (t) => {
  const random = createRandom(SEED);
  const cwd = await temporaryFolder(t, sourceOf(random));
  const into = (out: string) => ['chunk', 'src', ...BY_CHARACTERS(300), '--out', out, '--json'];
  const begin = performance.now();
  const whole = await runCli(t, into('whole'), { cwd });
  const duration = performance.now() - begin;
  t.match(whole.summary(), { documents: 4002, failed: 8, status: 3 });
  let killed = 0;
  for (; killed < KILLS; killed++) {
    const run = startCli(t, [...into('killed'), '--resume'], { cwd });
    await wait(200 + random() * duration);
    run.child.kill('SIGKILL');
    await run.ended();
  }
  const last = await runCli(t, [...into('killed'), '--resume'], { cwd });
  t.equal(last.status, 3, last.stderr);
  const counts = ({ documents, failed, skipped, chunks, bytes }: Record<string, unknown>) => ({
    ...{ documents, failed, skipped, chunks, bytes },
  });
  t.same(counts(last.summary()), counts(whole.summary()));
  t.same(await contentOf(join(cwd, 'killed')), await contentOf(join(cwd, 'whole')), `seed ${SEED}`);
  const again = await runCli(t, [...into('whole'), '--resume'], { cwd });
  t.equal(again.status, 3, 'a run that is done stays so');
  t.same(counts(again.summary()), counts(whole.summary()));
});

/** A run into a folder that waits in its middle. */
async function waiting(t: Test) {
  const cwd = await temporaryFolder(t, { 'in.jsonl': '{"text":"wait","id":"1"}\n{"text":"x","id":"2"}\n' });
  const env = { PLUGINS_DIR: await pluginsFolder(t, gated(cwd)) };
  const args = ['chunk', 'in.jsonl', '--chunker', 'gated', '--out', 'out'];
  const run = startCli(t, args, { cwd, env });
  await until(() =>
    readFile(join(cwd, 'out/job.json')).then(
      () => true,
      () => false,
    ),
  );
  const again = (...flags: string[]) => runCli(t, [...args, ...flags], { cwd, env });
  return { cwd, run, again, open: () => writeFile(join(cwd, 'go'), '') };
}

t.test('a folder belongs to one process at a time', async (t) => {
  const { run, again, open } = await waiting(t);
  for (const flags of [[], ['--resume']]) {
    t.match(await again(...flags), { status: 2, stderr: /a run into this folder is going on/ });
  }
  await open();
  t.equal((await run.ended()).status, 0, 'the first one does not notice');
  t.match(await again(), { status: 2, stderr: /there is something in it; go on with --resume/ });
});

t.test('what was interrupted goes on, but only as it was asked for', async (t) => {
  const { cwd, run, again, open } = await waiting(t);
  run.child.kill('SIGINT');
  t.equal((await run.ended()).status, 130);
  await open();
  t.match(await again('--resume', '--group', 'document'), { status: 2, stderr: /has other options/ });
  t.equal((await again('--resume')).status, 0);
  const part = await readFile(join(cwd, 'out/part-000000.jsonl'), 'utf8');
  t.equal(part.split('\n').length, 3);
  await writeFile(join(cwd, 'in.jsonl'), 'changed');
  t.match(await again('--resume'), { status: 2, stderr: /its files have changed since/ });
});

t.test('standard input and folders with something in them are refused', async (t) => {
  const cwd = await temporaryFolder(t, { 'a.txt': 'a', 'full/b.txt': 'b', file: '' });
  const into = (source: string, out: string) =>
    runCli(t, ['chunk', source, ...BY_CHARACTERS(9), '--out', out], { cwd });
  t.match(await into('-', 'out'), { status: 2, stderr: /standard input cannot be read twice/ });
  t.match(await into('a.txt', 'full'), {
    status: 2,
    stderr: /there is something in it; choose an empty folder/,
  });
  t.match(await into('a.txt', 'file'), { status: 2, stderr: /^--out .*file: ENOTDIR/ });
});

const mayMount = process.getuid?.() === 0 && process.platform === 'linux';

t.test('a full disk fails the run, which goes on when there is room', { skip: !mayMount }, async (t) => {
  const lines = Array.from({ length: 2000 }, (_, id) =>
    JSON.stringify({ id: `${id}`, text: 'text '.repeat(400) }),
  );
  const cwd = await temporaryFolder(t, { 'in.jsonl': lines.join('\n'), 'disk/.keep': '' });
  const mount = await runCli(t, [], { cwd, shell: 'mount -t tmpfs -o size=3m tmpfs disk #' });
  if (mount.status !== 0) return t.pass('no disk can be made here');
  t.teardown(() => runCli({ teardown() {} }, [], { cwd, shell: 'umount disk #' }));
  const args = ['chunk', 'in.jsonl', ...BY_CHARACTERS(500), '--out', 'disk/out'];
  const full = await runCli(t, args, { cwd });
  t.equal(full.status, 1);
  t.match(full.stderr, /no space left/);
  await runCli(t, [], { cwd, shell: 'mount -o remount,size=100m disk #' });
  const resumed = await runCli(t, [...args, '--resume'], { cwd });
  t.equal(resumed.status, 0, resumed.stderr);
  await runCli(t, [...args.slice(0, -1), 'out'], { cwd });
  t.same(await contentOf(join(cwd, 'disk/out')), await contentOf(join(cwd, 'out')));
  await rm(join(cwd, 'out'), { recursive: true });
});
