import t from 'tap';
import { killWhileChunking, QUEUES } from '../soak/jobs.ts';
import { noPostgres } from '../support/postgres.ts';

const KILLS = 50;

/** `npm run test:soak -- jobs` does it more often. */
for (const queue of QUEUES) {
  const { name, share, isPostgres } = queue;
  t.test(
    `workers that are killed lose and double nothing: ${name}`,
    { skip: isPostgres && noPostgres },
    async (t) => {
      const { checks } = await killWhileChunking(t, queue, KILLS * share, Date.now() % 1_000_000);
      for (const { what, found, isKept } of checks) t.ok(isKept, `${what}; found ${found}`);
    },
  );
}
