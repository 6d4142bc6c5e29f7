import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ShardAnswer } from '../../server/corpora/jobs/answers.ts';
import { BY_CHARACTERS, type CliResult, contentOf } from '../server/cli/cli.ts';
import { runCli, startCli } from '../server/cli/processes/cli-process.ts';
import { noPgBouncer, startPgBouncer } from '../server/store/pgbouncer.ts';
import { postgresPlace, sqlitePlace } from '../support/job-stores.ts';
import { noPostgres, startPostgres } from '../support/postgres.ts';
import type { ServerProcess } from '../support/process.ts';
import { createRandom } from '../support/random.ts';
import { type Cleanup, temporaryFolder } from '../support/server.ts';
import { type Database, openStore } from '../support/stores.ts';
import { type Struck, strike } from './job-fleet.ts';
import { writeCorpus } from './job-results.ts';
import { attempt, joinReports, type Mode, type Report } from './mode.ts';
import { noSink, type RouteServer, startSink } from './routes.ts';
import { CORPUS, openSite, type Site } from './site.ts';
import { Tally } from './tally.ts';

type Victim = 'worker' | 'server' | 'sink' | 'command line';
type Signal = 'SIGKILL' | 'SIGTERM' | 'SIGSTOP';

/** Over which store how many of a hundred kills are. */
export interface Session {
  readonly name: string;
  readonly share: number;
  readonly skip?: string | false;
  readonly isOnPostgres?: boolean;
  readonly isPooled?: boolean;
  readonly victims: readonly Victim[];
}

const both: readonly Victim[] = ['worker', 'server'];
const postgres = { isOnPostgres: true, victims: both, skip: noPostgres };

export const SESSIONS: readonly Session[] = [
  { name: 'SQLite', share: 30, victims: both },
  { name: 'PostgreSQL', share: 30, ...postgres },
  { name: 'PostgreSQL, pgbouncer', share: 20, ...postgres, isPooled: true, skip: noPostgres || noPgBouncer },
  { name: 'Chroma', share: 10, victims: ['worker', 'sink'], skip: noSink },
  { name: 'chunk --resume', share: 10, victims: ['command line'] },
];

/** How the kills of a session are shared by its victims, and which signals follow each other. */
const WEIGHTS: Readonly<Record<Victim, number>> = { worker: 3, server: 1, sink: 1, 'command line': 1 };
const CYCLE: readonly Signal[] = ['SIGKILL', 'SIGSTOP', 'SIGTERM', 'SIGKILL', 'SIGKILL'];

/** Seconds of a lease; on PostgreSQL no worker is taken for lost before ten. */
const [LEASE, LEASE_ON_POSTGRES] = [2, 10];
const WORKERS = 2;
/** The share of workers that are struck at any moment, also while they start; the others once they have a shard. */
const ANY_MOMENT = 0.25;
/** Most milliseconds between two strikes, or that a worker with a shard lives on. */
const [MAX_LENGTH, SHORT] = [1500, 200];
/** Milliseconds after which a worker is struck that had no shard. */
const MAX_WAITING = 30_000;
/** Exit codes of a command that is done, with some documents that failed, and that was asked to end. */
const DONE_BUT_SOME = 3;
const ENDED = [130, 143];

/** Processes are killed, asked to end, and stopped for longer than their leases: others go on, and nothing is lost. */
export const kills: Mode = {
  title: 'kills: workers, servers, sinks and command lines are killed, ended and stopped (count of all)',
  defaults: { seconds: 0, count: 100 },
  async run(t, { count, seed, only = '' }) {
    const reports: Report[] = [];
    for (const session of SESSIONS.filter(({ name }) => name.includes(only))) {
      const kills = Math.round((count * session.share) / 100);
      reports.push(await attempt(`${session.name}: ${kills}`, () => killIn(t, session, kills, seed)));
    }
    return joinReports(reports);
  },
};

/** Kills so many, at moments that follow from the seed. */
export async function killIn(t: Cleanup, session: Session, count: number, seed: number): Promise<Report> {
  const { name, skip = false, victims } = session;
  if (skip !== false) return { figures: [[name, `SKIPPED: ${skip}`]], checks: [] };
  const weights = victims.reduce((sum, victim) => sum + WEIGHTS[victim], 0);
  const signals = victims.map((victim) => {
    const length = Math.max(1, Math.round((count * WEIGHTS[victim]) / weights));
    return [victim, Array.from({ length }, (_, at) => CYCLE[at % CYCLE.length] as Signal)] as const;
  });
  const planned = new Map<string, number>();
  for (const [victim, all] of signals)
    for (const signal of all)
      planned.set(`${victim} ${signal}`, (planned.get(`${victim} ${signal}`) ?? 0) + 1);
  const plan: Plan = { ...(Object.fromEntries(signals) as unknown as Plan), random: createRandom(seed) };
  const isAlone = victims.includes('command line');
  const tally = await (isAlone ? strikeCommandLine(t, plan) : strikeSite(t, session, plan));
  planned.set('shards begun again', Math.floor((planned.get('worker SIGKILL') ?? 0) / 10));
  tally.done.set('shards begun again', tally.counts.again);
  return tally.report(name, planned);
}

/** The signals that each victim is still sent. */
type Plan = { [one in Victim]: Signal[] } & { readonly random: () => number };

/** Notes what came of a signal. */
function judge(tally: Tally, what: string, struck: Struck, fine: readonly Struck[] = [0, null]): void {
  tally.note(tally.done, what);
  if (struck === 'it did not end') tally.stuck.push(what);
  else if (struck !== 'it lives' && !fine.includes(struck)) tally.wrong.push(`${what}: ended with ${struck}`);
}

async function strikeSite(
  t: Cleanup,
  { isOnPostgres = false, isPooled, victims }: Session,
  plan: Plan,
): Promise<Tally> {
  const place = isOnPostgres ? await placeOn(t, isPooled) : await sqlitePlace(t);
  const sink = victims.includes('sink') ? await startSink(t) : undefined;
  const lease = isOnPostgres ? LEASE_ON_POSTGRES : LEASE;
  const standstill = lease * 1200 + 500;
  const site = await openSite(t, place, { lease, ...(sink && { server: sink }) });
  const first = site.fleet.worker();
  await site.start();
  first.child.kill('SIGKILL');
  const striking = Array.from({ length: WORKERS }, () => strikeWorkers(site, plan, standstill));
  if (sink === undefined) striking.push(strikeServer(site, plan, standstill));
  else striking.push(strikeSink(site, sink, plan, standstill));
  await Promise.all(striking);
  await site.stop();
  if (!isOnPostgres) checkWhole(site.tally, place);
  return site.tally;
}

async function placeOn(t: Cleanup, isPooled = false): Promise<Database> {
  const place = await postgresPlace(await startPostgres(t));
  // A pgbouncer does not make a database.
  if (isPooled) await openStore(t, place);
  return isPooled ? { ...place, databaseUrl: await startPgBouncer(t, place.databaseUrl) } : place;
}

function checkWhole(tally: Tally, { dataDir }: Database): void {
  const database = new DatabaseSync(join(dataDir, 'chunksmith.db'), { readOnly: true });
  const found = JSON.stringify(database.prepare('pragma integrity_check').all());
  database.close();
  if (found !== '[{"integrity_check":"ok"}]') tally.lost.push(`the database: ${found}`);
}

/** Has one worker after the other struck, and leaves the last one alive. */
async function strikeWorkers(
  site: Site,
  { worker: signals, random }: Plan,
  standstill: number,
): Promise<void> {
  let worker = site.fleet.worker();
  for (let signal = signals.pop(); signal !== undefined; signal = signals.pop()) {
    const isAnyMoment = random() < ANY_MOMENT;
    if (!isAnyMoment) await untilWorking(site, worker);
    await sleep(random() * (isAnyMoment ? MAX_LENGTH : SHORT));
    const struck = await strike(worker, signal, standstill);
    judge(site.tally, `worker ${signal}`, struck);
    if (struck !== 'it lives') worker = site.fleet.worker();
  }
}

/** Waits until a worker has a shard; those of others may be all that there are. */
async function untilWorking(site: Site, { child }: ServerProcess): Promise<void> {
  const isIts = ({ worker }: ShardAnswer) => worker?.endsWith(`/${child.pid}`);
  for (const end = performance.now() + MAX_WAITING; performance.now() < end; await sleep(50)) {
    const running = await site.ask('GET', `/v1/jobs/${site.job?.id}/shards?state=running`);
    if (running?.status === 200 && running.json<ShardAnswer[]>().some(isIts)) return;
  }
}

async function strikeServer(
  { fleet, tally }: Site,
  { server, random }: Plan,
  standstill: number,
): Promise<void> {
  for (let signal = server.pop(); signal !== undefined; signal = server.pop()) {
    await sleep(random() * MAX_LENGTH);
    judge(tally, `server ${signal}`, await fleet.server.strike(signal, standstill));
  }
}

async function strikeSink({ tally }: Site, server: RouteServer, { sink, random }: Plan, standstill: number) {
  for (let signal = sink.pop(); signal !== undefined; signal = sink.pop()) {
    await sleep(random() * MAX_LENGTH);
    const { child, stop } = server.running();
    // Chroma does not always end when it is asked to: this is about those who lose it.
    const ended = async () => {
      const later = setTimeout(() => child.kill('SIGKILL'), MAX_WAITING);
      await stop(signal);
      clearTimeout(later);
      return null;
    };
    const struck = await strike({ child, ended }, signal, standstill);
    judge(tally, `sink ${signal}`, struck);
    if (struck !== 'it lives') await server.start();
  }
}

/** The command goes on until it is done, and then begins anew. */
async function strikeCommandLine(t: Cleanup, { 'command line': signals, random }: Plan): Promise<Tally> {
  const tally = new Tally();
  const cwd = await temporaryFolder(t);
  await writeCorpus(join(cwd, 'in.jsonl'), CORPUS);
  const options = { cwd, env: { WORKERS: '1' } };
  const into = (out: string) => [
    'chunk',
    'in.jsonl',
    ...BY_CHARACTERS(60),
    '--out',
    out,
    '--progress',
    'json',
  ];
  const undisturbed = countsOf(await runCli(t, into('whole'), options));
  const whole = await contentOf(join(cwd, 'whole'));
  for (let out = 'out-1'; signals.length > 0; out = `out-${tally.counts.jobs + 1}`) {
    for (let status: Struck = null; status !== DONE_BUT_SOME; ) {
      const { child, ended } = startCli(t, [...into(out), '--resume'], options);
      const result = ended();
      const end = result.then(({ status }) => status);
      await Promise.race([end, sleep(random() * MAX_LENGTH)]);
      const signal = child.exitCode === null ? signals.pop() : undefined;
      if (signal !== undefined) {
        const struck = await strike({ child, ended: () => end }, signal, SHORT);
        judge(tally, `command line ${signal}`, struck, [null, DONE_BUT_SOME, ...ENDED]);
      }
      status = await end;
      if (status === DONE_BUT_SOME && countsOf(await result) !== undisturbed)
        tally.wrong.push(`counts of ${out}`);
    }
    tally.compare(out, await contentOf(join(cwd, out)), whole);
    tally.counts.jobs++;
  }
  return tally;
}

/** What the last line of a command counts, however often it was begun. */
function countsOf(result: CliResult): string {
  const { documents, failed, skipped, chunks, bytes } = result.summary();
  return JSON.stringify({ documents, failed, skipped, chunks, bytes });
}
