import t from 'tap';
import { monitorOf } from '../../../../server/store/jobs/pg-boss-tickets.ts';
import { openOnSqlite, SETTINGS } from '../../../support/job-stores.ts';
import { largeJobCases } from './large-job-cases.ts';
import { stateCases } from './state-cases.ts';
import { wholeJobCases } from './whole-job-cases.ts';

/** Jobs on SQLite; `processes/postgres.test.ts` has the same on PostgreSQL. */
for (const cases of [stateCases, wholeJobCases, largeJobCases]) await cases(t, openOnSqlite);

t.test('a lost worker is noticed within the time of its lease', async (t) => {
  const latest = (leaseSeconds: number) =>
    Math.max(10, leaseSeconds) + 2 * monitorOf({ ...SETTINGS, leaseSeconds });
  t.ok(latest(30) <= 45 - 1, 'by default, with a second to ask for work');
  t.ok(latest(10) <= 15 - 1, 'at the least');
});
