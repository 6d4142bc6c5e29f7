import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { acquireFileLock } from '../../../server/hub/file-lock.ts';

const MINUTE = 60;

t.test('of many that find a stale lock at once, one has it at a time', async (t) => {
  const target = join(t.testdir(), 'owner', 'model.onnx');
  await mkdir(dirname(target));
  await writeFile(`${target}.lock`, 'of a holder that was killed');
  const past = Date.now() / 1000 - MINUTE;
  await utimes(`${target}.lock`, past, past);
  let holders = 0;
  let most = 0;
  const use = async () => {
    const lock = await acquireFileLock(target);
    most = Math.max(most, ++holders);
    await sleep(10);
    holders--;
    t.notOk(lock?.lost.aborted);
    await lock?.release();
  };
  await Promise.all(Array.from({ length: 12 }, use));
  t.equal(most, 1);
  t.same(await readdir(dirname(target)), [], 'nothing is left beside the target');
});

t.test('whoever waits for a lock is told that the file has been written', async (t) => {
  const target = join(t.testdir(), 'owner', 'model.onnx');
  const lock = await acquireFileLock(target);
  const waiting = acquireFileLock(target);
  await writeFile(target, 'content');
  t.equal(await waiting, undefined);
  await lock?.release();
  t.same(await readdir(dirname(target)), ['model.onnx']);
});

t.test('a release leaves neither the lock nor the folders that it took', async (t) => {
  const root = t.testdir();
  const lock = await acquireFileLock(join(root, 'models', 'owner', 'model.onnx'));
  t.same(await readdir(join(root, 'models', 'owner')), ['model.onnx.lock']);
  await lock?.release();
  t.same(await readdir(root), []);
});
