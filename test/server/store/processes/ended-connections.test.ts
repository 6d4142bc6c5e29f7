import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import t from 'tap';
import { JOB, openOnPostgres } from '../../../support/job-stores.ts';
import { noPostgres, startPostgres } from '../../../support/postgres.ts';
import { failure, openStore } from '../../../support/stores.ts';

/** More than the pool of a store has connections: each of them used to be lost with a transaction that was ended. */
const ENDED = 40;
const END_ALL = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and application_name <> 'admin' and state <> 'idle'`;

const skip = noPostgres;

t.test('connections that PostgreSQL ends in transactions are not lost', { skip }, async (t) => {
  const { store, settings } = await openOnPostgres(await startPostgres(t))(t);
  const pipelines = await openStore(t, settings);
  const admin = new pg.Client({ connectionString: settings.databaseUrl, application_name: 'admin' });
  await admin.connect();
  t.teardown(() => admin.end());

  let isOver = false;
  const outcomes = new Set<string>();
  const work = Array.from({ length: 4 }, async () => {
    while (!isOver) outcomes.add(await failure(store.create(JOB)));
  });
  let ended = 0;
  for (const last = Date.now() + 60_000; ended < ENDED && Date.now() < last; await sleep(5)) {
    ended += (await admin.query(END_ALL)).rowCount ?? 0;
  }
  isOver = true;
  await Promise.all(work);
  t.ok(ended >= ENDED, `${ended} connections were ended`);
  t.ok(outcomes.delete('nothing'), 'work goes on meanwhile');
  outcomes.delete('store_unavailable');
  t.same([...outcomes], []);
  t.ok((await store.create(JOB)).isNew, 'and afterwards');
  t.same((await pipelines.list({ limit: 1 })).pipelines, []);
  await pipelines.ping();
});
