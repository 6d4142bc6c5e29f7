import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobAnswer } from '../../server/corpora/jobs/answers.ts';
import { OWNER } from '../servers/environment.ts';
import { noServers } from '../servers/servers.ts';
import { sqlitePlace } from '../support/job-stores.ts';
import { startPostgres } from '../support/postgres.ts';
import { createRandom } from '../support/random.ts';
import { type Cleanup, temporaryFolder } from '../support/server.ts';
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { openGate } from './gate.ts';
import { corpusOf, STEPS } from './job-results.ts';
import type { Stored } from './kill-writer.ts';
import { attempt, joinReports, type Mode, type Report } from './mode.ts';
import { noSink, type RouteServer, startBucket, startSink } from './routes.ts';
import { CORPUS, openSite, type Site } from './site.ts';
import { DEADLINE } from './tally.ts';

/** Something that a fleet needs is away for a while, in the middle of a job and of requests. */
interface Fault {
  readonly what: string;
  readonly times: number;
  /** Where in a job it begins; by default in the middle. */
  readonly isMet?: (job: JobAnswer) => boolean;
  begin(site: Site): Promise<unknown>;
  end(site: Site): Promise<unknown>;
}

/** A fleet, and what happens to it. */
interface Scene {
  readonly name: string;
  /** @returns why it cannot be played here, if it cannot */
  open(t: Cleanup, count: number): Promise<Opened | string>;
}

interface Opened {
  readonly site: Site;
  readonly faults: readonly Fault[];
  /** Requests of which some must have met a fault. */
  readonly refused?: readonly string[];
}

/** Milliseconds of a fault. */
const [MIN_LENGTH, MAX_LENGTH] = [500, 3000];
const WORKERS = 2;
/** Killed processes have no such deadline: a thread of a busy machine may take that long to start. */
const TIMELY = ['--request-timeout', String(DEADLINE)];
/** Writes of 20 KB after which a disk must be full. */
const MAX_FILLING = 3000;

/** What the service needs is ended, refuses, or is full: requests are refused in time, and all goes on afterwards. */
export const faults: Mode = {
  title:
    'faults: databases, disks, sinks and buckets fail in the middle of jobs and requests (count of each)',
  defaults: { seconds: 0, count: 20 },
  async run(t, { count, seed, only = '' }) {
    const reports: Report[] = [];
    for (const scene of SCENES.filter(({ name }) => name.includes(only)))
      reports.push(await attempt(scene.name, () => play(t, scene, count, seed)));
    return joinReports(reports);
  },
};

async function play(t: Cleanup, { name, open }: Scene, count: number, seed: number): Promise<Report> {
  const missing = name === 'SQLite' ? false : name === 'Chroma' ? noSink : noServers;
  const opened = missing === false ? await open(t, count) : missing;
  if (typeof opened === 'string') return { figures: [[name, `SKIPPED: ${opened}`]], checks: [] };
  const { site, faults, refused = [] } = opened;
  const { fleet, tally } = site;
  const random = createRandom(seed);
  const workers = Array.from({ length: WORKERS }, () => fleet.worker());
  await site.start();
  for (const { what, times, isMet = isInTheMiddle, begin, end } of faults) {
    for (let time = 0; time < times; time++) {
      await site.untilJob(isMet);
      await begin(site);
      await sleep(MIN_LENGTH + random() * (MAX_LENGTH - MIN_LENGTH));
      await end(site);
      await site.recover();
      tally.note(tally.done, what);
    }
  }
  await site.stop();
  for (const { child, stderr, stdout } of [fleet.server.current(), ...workers]) {
    if (child.exitCode !== null) tally.wrong.push(`a process ended: ${child.exitCode} ${stderr()}`);
    tally.wrong.push(...(stdout().match(/.*"level":"fatal".*/g) ?? []));
    child.kill('SIGKILL');
  }
  const kinds = new Map(faults.map(({ what, times }) => [what, times]));
  for (const what of refused) {
    kinds.set(`refused: ${what}`, 1);
    for (const reason of tally.reasons.keys())
      if (reason.startsWith(what)) tally.note(tally.done, `refused: ${what}`);
  }
  return tally.report(name, kinds);
}

const isInTheMiddle = ({ state, shards }: JobAnswer) => state === 'running' && shards.done > 0;

const SCENES: readonly Scene[] = [
  { name: 'SQLite', open: openSqlite },
  { name: 'PostgreSQL', open: openPostgres },
  { name: 'Chroma', open: async (t, count) => openKilled(t, await startSink(t), count) },
  { name: 'S3', open: async (t, count) => openKilled(t, await startBucket(t, corpusOf(CORPUS)), count) },
];

/** Its database, the source and the output are on one disk. */
async function openSqlite(t: Cleanup) {
  const folder = await temporaryFolder(t);
  const disk = mountSmallDisk(t, folder, '64m');
  if (disk === undefined) return 'no small disk can be mounted here';
  const place = { dataDir: join(folder, 'data'), databaseUrl: '' };
  const site = await openSite(t, place, { root: folder, flags: TIMELY });
  const places: Readonly<Record<string, (job: JobAnswer) => boolean>> = {
    'when a job is made': ({ finished_at }) => finished_at !== null,
    'while it is planned': ({ state }) => state === 'planning',
    'while it is chunked': isInTheMiddle,
    'while it is finished': ({ state }) => state === 'finishing',
  };
  const faults = Object.entries(places).map(([where, isMet]) => ({
    what: `disk filled ${where}`,
    times: 1,
    isMet,
    begin: (site: Site) => fillUnderLoad(site, disk),
    end: (site: Site) => makeRoom(site, disk),
  }));
  const refused = ['POST /v1/jobs:', 'POST /v1/pipelines:', 'PUT /v1/pipelines/', 'DELETE /v1/pipelines/'];
  return { site, faults, refused };
}

/** Fills a disk, and what the database has kept of it for later. */
async function fillUnderLoad(site: Site, disk: SmallDisk): Promise<void> {
  await disk.fill();
  const description = 'x'.repeat(20_000);
  for (let count = 0; count < MAX_FILLING; count++) {
    const name = `filler ${performance.now()}`;
    if ((await site.ask('POST', '/v1/pipelines', { name, description, steps: [] })) !== undefined) continue;
    const documents = [{ text: 'x'.repeat(500_000) }];
    const made = await site.ask('POST', '/v1/jobs', { source: { documents }, steps: STEPS });
    if (made === undefined) return;
    // It fitted into what a checkpoint has given back.
    site.others.add(made.json<JobAnswer>().id);
  }
  site.tally.wrong.push('the disk did not become full');
}

/** Removes what a disk was filled with. */
async function makeRoom(site: Site, disk: SmallDisk): Promise<void> {
  await disk.free();
  const stored = (await site.surely('GET', '/v1/pipelines?limit=1000')).json<Stored[]>();
  for (const { id, name } of stored)
    if (name.startsWith('filler')) await site.surely('DELETE', `/v1/pipelines/${id}`);
}

async function openPostgres(t: Cleanup, times: number) {
  let disk: SmallDisk | undefined;
  const prepare = async (folder: string) => {
    disk = mountSmallDisk(t, folder, '192m', OWNER);
  };
  const server = await startPostgres(t, { prepare });
  const url = new URL(await server.newDatabase());
  const gate = await openGate(t, Number(url.port));
  url.port = String(gate.port);
  const site = await openSite(t, { dataDir: '', databaseUrl: url.href }, { lease: 10, flags: TIMELY });
  let restarts = 0;
  const faults: Fault[] = [
    {
      what: 'restarted',
      times,
      begin: () => server.stop(restarts++ % 2 === 0 ? 'fast' : 'immediate'),
      end: server.start,
    },
    { what: 'failed over', times, begin: gate.shut, end: gate.open },
  ];
  if (disk === undefined) return { site, faults };
  const { free } = disk;
  const full: Fault = {
    what: 'disk filled',
    times: 1,
    begin: () => fillUnderLoad(site, disk as SmallDisk),
    async end(site) {
      await free();
      if (!server.isRunning()) await server.start();
      await makeRoom(site, disk as SmallDisk);
    },
  };
  return { site, faults: [...faults, full] };
}

/** @param server is killed and started again */
async function openKilled(t: Cleanup, server: RouteServer, times: number) {
  const site = await openSite(t, await sqlitePlace(t), { server, flags: TIMELY });
  const begin = () => server.running().stop('SIGKILL');
  return { site, faults: [{ what: 'killed', times, begin, end: server.start }] };
}
