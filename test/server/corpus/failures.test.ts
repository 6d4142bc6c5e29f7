import t from 'tap';
import { ServiceError } from '../../../core/errors.ts';
import { attempt, storageFailed } from '../../../server/corpus/local/failures.ts';
import { failureOf } from './memory-storage.ts';

const systemError = (code: string, errno?: number) =>
  Object.assign(new Error(`${code}: open '/secret/path'`), {
    code,
    ...(errno === undefined ? {} : { errno }),
  });

t.test('what may pass is tried again, a few times', async (t) => {
  let tries = 0;
  const work = async () => {
    tries++;
    if (tries < 3) throw systemError('EMFILE');
    return 'read';
  };
  t.equal(await attempt('the folder', work), 'read');
  t.equal(tries, 3);
  const failing = async () => {
    tries++;
    throw systemError('EMFILE');
  };
  t.match(await failureOf(attempt('the folder', failing)), /storage_failed: .*too many files open/);
  t.ok(tries > 4 && tries < 10, `${tries} tries`);
});

t.test('what does not pass is not, and no message has a path of this machine', async (t) => {
  let tries = 0;
  const work = async () => {
    tries++;
    throw systemError('EACCES', -13);
  };
  t.equal(
    await failureOf(attempt('the folder', work)),
    'storage_failed: the folder cannot be used now: the server has no permission: grant it.',
  );
  t.equal(tries, 1);
  for (const error of [systemError('ENOTEMPTY', -39), systemError('EODD'), systemError('ENOSPC', -28)]) {
    t.notMatch(storageFailed('the folder', error).detail, /secret/);
  }
  const own = new ServiceError('source_changed', { source: 'a' });
  t.equal(storageFailed('the folder', own), own);
});
