import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobAnswer } from '../../server/jobs/job-answer.ts';
import type { ShardAnswer } from '../../server/jobs/shard-answer.ts';
import {
  chunkInto,
  differences,
  digestsOf,
  type Fleet,
  startFleet,
  untilOver,
  writeCorpus,
} from '../support/job-fleet.ts';
import { postgresPlace, sqlitePlace } from '../support/job-stores.ts';
import { jobOf } from '../support/jobs.ts';
import { noPostgres, startPostgres } from '../support/postgres.ts';
import { type ServerProcess, until } from '../support/process.ts';
import { type Cleanup, temporaryFolder } from '../support/server.ts';
import type { Mode, Report } from './mode.ts';
import { createRandom } from './texts.ts';

/** Ways of handing out shards, and their shares of the kills: pg-boss takes a ticket for lost only after 10 s. */
export const QUEUES = [
  { name: 'SQLite', queue: 'lease', isPostgres: false, share: 0.4 },
  { name: 'PostgreSQL, lease', queue: 'lease', isPostgres: true, share: 0.4 },
  { name: 'PostgreSQL, pg-boss', queue: 'pg-boss', isPostgres: true, share: 0.2 },
] as const;

type Queue = (typeof QUEUES)[number];

const WORKERS = 2;
const SHARDS = 50;
const DOCUMENTS = 1000;
const WORDS = 700;
/** Most milliseconds that a worker lives, from its start or once it is up, if it has done a shard by then. */
const LIFE = 800;
/** How often more workers are killed because too few had a shard: pg-boss may have had none to hand out. */
const ROUNDS = 5;
/** The share of workers that are killed while they start. */
const EARLY = 0.2;
/** Seconds after which a job is stuck. */
const PATIENCE = 180;

/** Workers that are killed while they do jobs, and others that take their place. */
export const jobs: Mode = {
  title: 'jobs: workers are killed while they chunk, and others take their place',
  defaults: { seconds: 0, count: 1000 },
  async run(t, { count, seed }) {
    const reports: Report[] = [];
    for (const queue of QUEUES) {
      if (queue.isPostgres && noPostgres !== false) continue;
      reports.push(await killWhileChunking(t, queue, Math.round(count * queue.share), seed));
    }
    return {
      figures: reports.flatMap(({ figures }) => figures),
      checks: reports.flatMap(({ checks }) => checks),
    };
  },
};

/** What came of all jobs. */
interface Found {
  kills: number;
  jobs: number;
  /** Shards that were begun again. */
  again: number;
  /** Jobs that were opened again, because a shard had lost its workers too often. */
  retries: number;
  readonly problems: string[];
}

/** Kills workers at random moments, over as many jobs of 50 shards as that takes. */
export async function killWhileChunking(
  t: Cleanup,
  { name, queue, isPostgres }: Queue,
  count: number,
  seed: number,
): Promise<Report> {
  const root = await temporaryFolder(t);
  const size = await writeCorpus(join(root, 'in.jsonl'), { documents: DOCUMENTS, words: WORDS, seed });
  const place = isPostgres ? postgresPlace(await startPostgres(t)) : await sqlitePlace(t);
  const fleet = await startFleet(t, place, { queue, root, shardBytes: Math.ceil(size / SHARDS) });
  const expected = await doUndisturbed(fleet);
  const found: Found = { kills: 0, jobs: 0, again: 0, retries: 0, problems: [] };
  const random = createRandom(seed);
  const live: Live = async (worker) => {
    if (random() >= EARLY) await worker.listening();
    await sleep(random() * expected.life);
  };
  for (let round = 1; round <= ROUNDS && (round === 1 || !metShards(found, count)); round++) {
    const most = round * count;
    const killing = Array.from({ length: WORKERS }, () => killAgain(fleet, live, found, most));
    await doJobs(fleet, expected, found, most);
    for (const last of await Promise.all(killing)) last.child.kill('SIGKILL');
  }
  return reportOf(name, found, count);
}

/** What every job must come to. */
interface Expected {
  readonly files: Readonly<Record<string, string>>;
  readonly counts: Pick<JobAnswer, 'documents' | 'chunks' | 'bytes' | 'shards'>;
  /** Most milliseconds that a worker lives: until one that is up has done a shard, or longer. */
  readonly life: number;
}

async function doUndisturbed(fleet: Fleet): Promise<Expected> {
  const worker = fleet.worker();
  const id = await chunkInto(fleet, 'in.jsonl', 'expected');
  await worker.listening();
  const up = performance.now();
  await until(async () => (await jobOf(fleet.api, id)).shards.done > 0, PATIENCE * 1000);
  const life = Math.max(LIFE, performance.now() - up);
  const job = await untilOver(fleet, id, PATIENCE);
  worker.child.kill('SIGTERM');
  await worker.ended();
  const { documents, shards } = job;
  const failed = DOCUMENTS / 100;
  if (documents.done !== DOCUMENTS - failed || documents.failed !== failed || shards.total !== SHARDS) {
    throw new Error(`not as expected without a kill: ${JSON.stringify(job)}`);
  }
  return { files: await digestsOf(join(fleet.root, 'expected')), counts: countsOf(job), life };
}

const countsOf = ({ documents, chunks, bytes, shards }: JobAnswer): Expected['counts'] => ({
  documents,
  chunks,
  bytes,
  shards,
});

/** Waits while a worker lives. */
type Live = (worker: ServerProcess) => Promise<void>;

/** Has one worker after the other killed, and leaves the last one alive. */
async function killAgain(fleet: Fleet, live: Live, found: Found, count: number) {
  while (found.kills < count) {
    found.kills++;
    const worker = fleet.worker();
    await live(worker);
    worker.child.kill('SIGKILL');
    await worker.ended();
  }
  return fleet.worker();
}

async function doJobs(fleet: Fleet, expected: Expected, found: Found, count: number): Promise<void> {
  do {
    const target = `out-${found.jobs++}`;
    const id = await chunkInto(fleet, 'in.jsonl', target);
    let job = await untilOver(fleet, id, PATIENCE);
    for (; job.state === 'failed' && isOfKills(job); found.retries++) {
      await fleet.api.post(`/v1/jobs/${id}/retry`, '');
      job = await untilOver(fleet, id, PATIENCE);
    }
    const files = await digestsOf(join(fleet.root, target));
    if (job.state !== 'done') found.problems.push(`${target} is ${job.state}: ${JSON.stringify(job.error)}`);
    found.problems.push(...differences(`${target}, counts`, countsOf(job), expected.counts));
    found.problems.push(...differences(`${target}, files`, files, expected.files));
    found.again += await attemptsOf(fleet, id);
    await fleet.api.send(`/v1/jobs/${id}`, { method: 'DELETE' });
    if (existsSync(join(fleet.root, target))) found.problems.push(`${target} is left after its job`);
  } while (found.kills < count);
}

/** Whether all that went wrong is that workers were lost. */
const isOfKills = ({ error }: JobAnswer): boolean => /worker/.test(error?.detail ?? '');

const metShards = ({ again }: Found, count: number): boolean => again >= count / 10;

/** Attempts at shards after the first ones. */
async function attemptsOf({ api }: Fleet, id: string): Promise<number> {
  const shards = (await api.get(`/v1/jobs/${id}/shards?limit=${SHARDS}`)).json<ShardAnswer[]>();
  return shards.reduce((sum, { attempt }) => sum + attempt - 1, 0);
}

function reportOf(name: string, found: Found, count: number): Report {
  const { kills, jobs, again, retries, problems } = found;
  return {
    figures: [
      [`${name}: kills`, String(kills)],
      [`${name}: jobs of ${SHARDS} shards`, String(jobs)],
      [`${name}: shards that were begun again`, String(again)],
      [`${name}: jobs that were opened again, as a shard had lost 5 workers`, String(retries)],
    ],
    checks: [
      {
        what: `${name}: files or counts that differ from those without a kill: 0`,
        found: [problems.length, ...problems].join(', ').slice(0, 1000),
        isKept: problems.length === 0,
      },
      {
        what: `${name}: kills met shards under way`,
        found: String(again),
        isKept: metShards(found, count),
      },
    ],
  };
}
