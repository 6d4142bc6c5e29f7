import { fork } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { type Cleanup, temporaryFolder } from '../support/server.ts';
import { type Case, makeCases } from './cases.ts';
import type { HealthReport } from './health-process.ts';
import { forSeconds, sendWhile } from './load.ts';
import { type Mode, megabytes, quantile, type Report } from './mode.ts';
import { coreTimes, residentBytes, watchMemory } from './resources.ts';
import { createSender, type Outcome, type Sender } from './sender.ts';
import { startSoakServer } from './server.ts';
import { createRandom, pick } from './texts.ts';

const MEASURED_SECONDS = 10;
const CONNECTIONS = 16;
const TIMES = 4;
const MOST_HEALTH_MS = 50;
const MOST_RECOVERY_MS = 2000;
/** Memory that the server may take beside what it took when it served all it can. */
const MOST_MORE_BYTES = 500e6;

/** Open requests above which no more are sent: a server that refuses honestly never has as many. */
const MOST_OPEN = 2000;
/** Seconds of arrivals that a client which was held up makes up for; it must not send in bursts. */
const MOST_BEHIND = 0.05;

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
  const { name, sizes } = profile;
  const server = await startSoakServer(t, ['--data-dir', await temporaryFolder(t)]);
  const { port } = server.client;
  const sender = createSender(port);
  t.teardown(sender.close);
  const prober = fork(new URL('./health-process.ts', import.meta.url), [String(port)], { execArgv: [] });
  t.teardown(() => prober.kill());
  const [loadBefore = 0] = loadavg();
  const cases = await makeCases(server.client, sizes, seed);
  const capacity = await capacityOf(sender, cases, seed);
  const probe = cases[0] as Case;
  const quiet = await timesOf(sender, probe, 50);
  const quietBytes = residentBytes(server.pid);

  const memory = watchMemory(server.pid);
  const coreShares = coreTimes(server.pid);
  prober.send('begin');
  const arrivals = await arrive(sender, cases, TIMES * capacity, seconds, seed);
  const { busy, waiting } = coreShares();
  const recovery = await recoveryMs(sender, probe, 3 * quantile(quiet, 0.5));
  prober.send('end');
  const [health] = (await once(prober, 'message')) as [HealthReport];
  memory.stop();
  const outcomes = await Promise.all(arrivals.outcomes);
  await server.kill('SIGTERM');

  const right = outcomes.filter(({ isRight }) => isRight);
  const honest = outcomes.filter(({ isHonest }) => isHonest);
  const others = outcomes.filter(({ isRight, isHonest }) => !isRight && !isHonest);
  const kinds = [...new Set(others.map(({ status, error }) => error ?? status))];
  const offered = (outcomes.length + arrivals.unsent) / seconds;
  const p99 = quantile(health.times, 0.99);
  const peakBound = quietBytes + MOST_MORE_BYTES;
  const report: Report = {
    figures: [
      ['capacity', `${capacity.toFixed(0)}/s`],
      ['right answers', `${right.length}`],
      ['honest refusals', `${honest.length}`],
      [
        'right answers, p99',
        `${quantile(
          right.map(({ ms }) => ms),
          0.99,
        ).toFixed(0)} ms`,
      ],
      ['/health asked', String(health.times.length + health.failures)],
      ['/health, median', `${quantile(health.times, 0.5).toFixed(1)} ms`],
      ['/health, longest', `${quantile(health.times, 1).toFixed(1)} ms`],
      ['load of the machine before', loadBefore.toFixed(1)],
      ["server's first thread", `${busy} % busy, ${waiting} % waiting for a core`],
      ['memory before', megabytes(quietBytes)],
    ],
    checks: [
      {
        what: 'neither right nor an honest 503: 0',
        found: [others.length, ...kinds].join(', '),
        isKept: others.length === 0,
      },
      {
        what: `not sent, as ${MOST_OPEN} are open: 0`,
        found: String(arrivals.unsent),
        isKept: arrivals.unsent === 0,
      },
      {
        what: `offered at least ${TIMES - 0.5} times the capacity`,
        found: (offered / capacity).toFixed(2),
        isKept: offered >= (TIMES - 0.5) * capacity,
      },
      { what: '/health failures: 0', found: String(health.failures), isKept: health.failures === 0 },
      {
        what: `/health, p99 below ${MOST_HEALTH_MS} ms`,
        found: `${p99.toFixed(1)} ms`,
        isKept: p99 < MOST_HEALTH_MS,
      },
      {
        what: `peak memory below ${megabytes(peakBound)}`,
        found: megabytes(memory.peak()),
        isKept: memory.peak() < peakBound,
      },
      {
        what: `as fast as before within ${MOST_RECOVERY_MS} ms`,
        found: `${recovery.toFixed(0)} ms`,
        isKept: recovery < MOST_RECOVERY_MS,
      },
    ],
  };
  return {
    figures: report.figures.map(([what, found]) => [`${name}: ${what}`, found]),
    checks: report.checks.map((check) => ({ ...check, what: `${name}: ${check.what}` })),
  };
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
    await wait(10);
  }
  return since - begin;
}

async function timesOf(sender: Sender, probe: Case, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < count; round++) times.push((await sender.send(probe)).ms);
  return times;
}
