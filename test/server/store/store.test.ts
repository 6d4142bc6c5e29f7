import t from 'tap';
import { openOrm } from '../../../server/store/open-database.ts';
import { createClock } from '../../../server/store/repository.ts';
import { quietLog } from '../../../server/testing/collaborators.ts';
import { sqlitePlace } from '../../support/job-stores.ts';
import { pipelineCases, TIME } from './pipeline-cases.ts';

await t.test('pipelines on SQLite', (t) => pipelineCases(t, () => sqlitePlace(t)));

t.test('what is answered is on disk', async (t) => {
  const orm = await openOrm(await sqlitePlace(t), quietLog);
  t.teardown(() => orm.close());
  const connection = orm.em.getConnection();
  t.match(await connection.execute('pragma journal_mode'), [{ journal_mode: 'wal' }]);
  t.match(await connection.execute('pragma synchronous'), [{ synchronous: 2 }], 'full');
});

t.test('times rise strictly, also when the clock stands still or is set back', async (t) => {
  let now = Date.parse('2026-01-02T03:04:05.123Z') + 0.456;
  const clock = createClock(() => now);
  t.equal(clock(), '2026-01-02T03:04:05.123456');
  t.equal(clock(), '2026-01-02T03:04:05.123457');
  now -= 5000;
  t.equal(clock(), '2026-01-02T03:04:05.123458');
  t.equal(clock('2026-01-02T03:04:05.999999'), '2026-01-02T03:04:06.000000');
  const real = createClock();
  const times = Array.from({ length: 10_000 }, () => real());
  t.same([...new Set(times)].sort(), times);
  t.ok(times.every((time) => TIME.test(time)));
});
