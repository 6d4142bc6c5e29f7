import type { ShardAnswer } from '../../server/jobs/shard-answer.ts';
import { chunkInto, linesOf, startFleet, untilOver } from '../support/job-fleet.ts';
import { postgresPlace } from '../support/job-stores.ts';
import { chunker, pluginsFolder, WHOLE_TEXT } from '../support/plugins.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { until } from '../support/process.ts';
import { type Cleanup, temporaryFolder } from '../support/server.ts';
import type { Mode } from './mode.ts';

/** Seconds of a lease, and those within which others must have taken the shard. */
const LEASES = [
  [30, 45],
  [15, 20],
] as const;
const QUEUES = ['lease', 'pg-boss'] as const;

/** A worker that is killed: how long it takes until another one has its shard. */
export const takeover: Mode = {
  title: 'takeover: a worker is killed, and another one does its shard',
  defaults: { seconds: 0, count: 1 },
  async run(t, { count }) {
    const server = await startPostgres(t);
    const cases = LEASES.flatMap(([lease, most]) => QUEUES.map((queue) => ({ lease, most, queue })));
    const checks = cases.map(async ({ lease, most, queue }) => {
      const times = Array.from({ length: count }, () => takeOver(t, server, queue, lease));
      const longest = Math.max(...(await Promise.all(times)));
      return {
        what: `${queue}, lease of ${lease} s: within ${most} s`,
        found: `${longest.toFixed(1)} s`,
        isKept: longest <= most,
      };
    });
    return { figures: [], checks: await Promise.all(checks) };
  },
};

/** Takes as long as a text says the first time, in a thread that can be killed. */
const WAITING = chunker('waiting', `await new Promise((done) => setTimeout(done, 3000)); ${WHOLE_TEXT}`);

/** Kills a worker in the middle of a shard. @returns seconds until another worker has begun with it */
export async function takeOver(
  t: Cleanup,
  server: Postgres,
  queue: (typeof QUEUES)[number],
  lease: number,
): Promise<number> {
  const root = await temporaryFolder(t, { 'in.jsonl': linesOf(1) });
  const plugins = [await pluginsFolder(t, WAITING)];
  const fleet = await startFleet(t, postgresPlace(server), { root, queue, lease, plugins });
  const first = fleet.worker();
  const steps = [{ type: 'chunk', chunker: 'waiting' }];
  const id = await chunkInto(fleet, 'in.jsonl', 'out', { steps });
  const shard = async () => {
    const answer = await fleet.api.get(`/v1/jobs/${id}/shards`);
    return answer.json<ShardAnswer[]>()[0];
  };
  await until(async () => (await shard())?.state === 'running');
  await fleet.worker().listening();
  const begin = performance.now();
  first.child.kill('SIGKILL');
  await until(async () => ((await shard())?.attempt ?? 0) > 1, 2 * lease * 1000);
  const seconds = (performance.now() - begin) / 1000;
  const { state } = await untilOver(fleet, id);
  if (state !== 'done') throw new Error(`it is ${state}`);
  return seconds;
}
