import { fork } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { type Cleanup, temporaryFolder } from '../support/server.ts';
import { type Case, makeCases } from './cases.ts';
import type { HealthReport } from './health-process.ts';
import { forSeconds, sendWhile } from './load.ts';
import { type Mode, quantile, type Report } from './mode.ts';
import { MOST_OPEN, overloadReport, TIMES } from './overload-report.ts';
import { coreTimes, residentBytes, watchMemory } from './resources.ts';
import { createSender, type Outcome, type Sender } from './sender.ts';
import { startSoakServer } from './server.ts';
import { createRandom, pick } from './texts.ts';

const MEASURED_SECONDS = 10;
const CONNECTIONS = 16;
/** Seconds of arrivals that a client which was held up makes up for; it must not send in bursts. */
const MOST_BEHIND = 0.05;
/** Between the requests that tell how fast a quiet server is, before and after. */
const PAUSE_MS = 10;

interface Profile {
  readonly name: string;
  readonly sizes: readonly number[];
}

/** Tiny requests are worked on by the thread that reads the connections, the others by worker threads. */
const PROFILES: readonly Profile[] = [
  { name: 'large', sizes: [40_000, 200_000] },
  { name: 'small', sizes: [8000] },
  { name: 'tiny', sizes: [2000] },
];

/** Four times the requests that can be served: each gets its answer or an honest refusal. */
export const overload: Mode = {
  title: 'overload: four times as many requests as can be served',
  defaults: { seconds: 120, count: 0 },
  async run(t, { seconds, seed }) {
    const reports: Report[] = [];
    for (const profile of PROFILES) reports.push(await overloadWith(t, profile, seconds, seed));
    return {
      figures: reports.flatMap(({ figures }) => figures),
      checks: reports.flatMap(({ checks }) => checks),
    };
  },
};

async function overloadWith(t: Cleanup, profile: Profile, seconds: number, seed: number): Promise<Report> {
  const server = await startSoakServer(t, ['--data-dir', await temporaryFolder(t)]);
  const { port } = server.client;
  const sender = createSender(port);
  t.teardown(sender.close);
  const prober = fork(new URL('./health-process.ts', import.meta.url), [String(port)], { execArgv: [] });
  t.teardown(() => prober.kill());
  const [loadBefore = 0] = loadavg();
  const cases = await makeCases(server.client, profile.sizes, seed);
  const capacity = await capacityOf(sender, cases, seed);
  const probe = cases[0] as Case;
  const quiet = await timesOf(sender, probe, 50);
  const quietBytes = residentBytes(server.pid);

  const memory = watchMemory(server.pid);
  const coreShares = coreTimes(server.pid);
  prober.send('begin');
  const arrivals = await arrive(sender, cases, TIMES * capacity, seconds, seed);
  const shares = coreShares();
  const recovery = await recoveryMs(sender, probe, 3 * quantile(quiet, 0.5));
  prober.send('end');
  const [health] = (await once(prober, 'message')) as [HealthReport];
  memory.stop();
  const outcomes = await Promise.all(arrivals.outcomes);
  await server.kill('SIGTERM');

  const offered = (outcomes.length + arrivals.unsent) / seconds;
  const peakBytes = memory.peak();
  const { unsent } = arrivals;
  return overloadReport(profile.name, {
    loadBefore,
    capacity,
    quietBytes,
    peakBytes,
    shares,
    health,
    recovery,
    outcomes,
    unsent,
    offered,
  });
}

/** Right answers in a second, once all is warm. */
async function capacityOf(sender: Sender, cases: readonly Case[], seed: number): Promise<number> {
  await sendWhile(sender, cases, forSeconds(MEASURED_SECONDS), CONNECTIONS, seed, () => {});
  let served = 0;
  await sendWhile(sender, cases, forSeconds(MEASURED_SECONDS), CONNECTIONS, seed, (_, { isRight }) => {
    if (isRight) served++;
  });
  return served / MEASURED_SECONDS;
}

/** Sends requests at a rate, whether or not the ones before are answered. */
async function arrive(sender: Sender, cases: readonly Case[], rate: number, seconds: number, seed: number) {
  const random = createRandom(seed);
  const outcomes: Promise<Outcome>[] = [];
  let unsent = 0;
  let open = 0;
  let due = 0;
  const begin = performance.now();
  for (let last = begin; last - begin < seconds * 1000; ) {
    await wait(2);
    const now = performance.now();
    due += rate * Math.min(MOST_BEHIND, (now - last) / 1000);
    last = now;
    for (; due >= 1; due--) {
      const one = pick(cases, random);
      if (open >= MOST_OPEN) {
        unsent++;
        continue;
      }
      open++;
      outcomes.push(sender.send(one).finally(() => open--));
    }
  }
  return { outcomes, unsent };
}

/** Milliseconds until ten requests in a row are answered rightly and fast enough. */
async function recoveryMs(sender: Sender, probe: Case, mostMs: number): Promise<number> {
  const begin = performance.now();
  let since = begin;
  for (let inRow = 0; inRow < 10; ) {
    const start = performance.now();
    const { isRight, ms } = await sender.send(probe);
    if (!isRight || ms > mostMs) inRow = 0;
    else if (inRow++ === 0) since = start;
    if (start - begin > 60_000) return Number.POSITIVE_INFINITY;
    await wait(PAUSE_MS);
  }
  return since - begin;
}

/** Pauses between requests as `recoveryMs` does: without pauses, one takes a fifth of the time. */
async function timesOf(sender: Sender, probe: Case, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < count; round++) {
    times.push((await sender.send(probe)).ms);
    await wait(PAUSE_MS);
  }
  return times;
}
