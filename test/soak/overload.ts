import { setTimeout as wait } from 'node:timers/promises';
import { quantile } from '../bench/race/statistics.ts';
import { createRandom, pick } from '../support/random.ts';
import { type Cleanup, temporaryFolder } from '../support/server.ts';
import { type Case, makeCases } from './cases.ts';
import type { HealthReport } from './health-process.ts';
import { forSeconds, sendWhile } from './load.ts';
import { type Check, check, checkNone, joinReports, type Mode, megabytes, type Report } from './mode.ts';
import { startProbe } from './probe.ts';
import { coreTimes, residentBytes, watchMemory, watchOthers } from './resources.ts';
import { createSender, type Outcome, type Sender } from './sender.ts';
import { startSoakServer } from './server.ts';

/** How many times the requests that can be served are sent. */
const TIMES = 4;
/** Open requests above which no more are sent: a server that refuses honestly never has as many. */
const MAX_OPEN = 2000;
const MAX_HEALTH_MS = 50;
/**
 * Until then the sender opens hundreds of connections. Node accepts one in a turn of its loop, so that `/health` on a
 * new connection waits for those before it; what is promised begins afterwards.
 */
const CONNECTING_SECONDS = 2;
const MAX_RECOVERY_MS = 2000;
/** Memory that the server may take beside what it took when it served all it can. */
const MAX_MORE_BYTES = 500e6;
const MEASURED_SECONDS = 10;
const CONNECTIONS = 16;
/** Seconds of arrivals that a client which was held up makes up for; it must not send in bursts. */
const MAX_BEHIND = 0.05;
/** Between the requests that tell how fast a quiet server is, before and after. */
const PAUSE_MS = 10;
/** Percent of the cores that others take: from here on the machine is shared, and no time is promised. */
const SHARED = 10;

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
    const whole = CONNECTING_SECONDS + seconds;
    for (const profile of PROFILES) reports.push(await overloadWith(t, profile, whole, seed));
    return joinReports(reports);
  },
};

async function overloadWith(t: Cleanup, profile: Profile, seconds: number, seed: number): Promise<Report> {
  const { name, sizes } = profile;
  const server = await startSoakServer(t, ['--data-dir', await temporaryFolder(t)]);
  const sender = createSender(server.client.port);
  t.teardown(sender.close);
  const cases = await makeCases(server.client, sizes, seed);
  const capacity = await capacityOf(sender, cases, seed);
  const probe = cases[0] as Case;
  const quiet = await timesOf(sender, probe, 50);
  const quietBytes = residentBytes(server.pid);

  const memory = watchMemory(server.pid);
  const coreShares = coreTimes(server.pid);
  const others = watchOthers(server.pid);
  const prober = startProbe(t, server.client.port);
  const connecting = wait(CONNECTING_SECONDS * 1000).then(prober.soFar);
  const { outcomes: sent, unsent } = await arrive(sender, cases, TIMES * capacity, seconds, seed);
  const { busy, waiting } = coreShares();
  const takenByOthers = others();
  const recovery = await recoveryMs(sender, probe, 3 * quantile(quiet, 0.5));
  const health = { connected: await prober.end(), connecting: await connecting };
  memory.stop();
  const outcomes = await Promise.all(sent);
  await server.stop();
  const offered = (outcomes.length + unsent) / seconds / capacity;
  const peakBytes = memory.peak();
  const { counted, timed } = checksOf({ outcomes, unsent, offered, health, recovery, quietBytes, peakBytes });
  const isShared = takenByOthers >= SHARED;
  const checks = isShared ? counted : [...counted, ...timed];
  const figures: (readonly [string, string])[] = [
    ['capacity', `${capacity.toFixed(0)}/s`],
    ...figuresOf(outcomes, health),
    ['others on the machine', `${takenByOthers} % of the cores`],
    ["server's first thread", `${busy} % busy, ${waiting} % waiting for a core`],
    ['memory before', megabytes(quietBytes)],
  ];
  const found = timed.map(({ what, found }) => `${what}: ${found}`).join('; ');
  if (isShared) figures.push(['promises of time', `SKIPPED, as others use the cores; ${found}`]);
  return {
    figures: figures.map(([what, found]) => [`${name}: ${what}`, found]),
    checks: checks.map((check) => ({ ...check, what: `${name}: ${check.what}` })),
  };
}

function figuresOf(outcomes: readonly Outcome[], { connecting, connected }: Seen['health']) {
  const { times, failures } = connected;
  const shown = (times: readonly number[]) =>
    `${quantile(times, 0.5).toFixed(1)} ms, ${quantile(times, 1).toFixed(1)} ms`;
  const right = outcomes.filter(({ isRight }) => isRight).map(({ ms }) => ms);
  return [
    ['right answers, p99', `${right.length}, ${quantile(right, 0.99).toFixed(0)} ms`],
    ['honest refusals', `${outcomes.filter(({ isHonest }) => isHonest).length}`],
    ['/health asked', String(times.length + failures)],
    ['/health, median and longest', shown(times)],
    [`/health while clients connect, ${CONNECTING_SECONDS} s`, shown(connecting.times)],
  ] as const;
}

/** What was seen of a server under overload. */
interface Seen {
  readonly outcomes: readonly Outcome[];
  readonly unsent: number;
  /** How many times what can be served was to be sent. */
  readonly offered: number;
  /** While the sender opened its connections, and afterwards. */
  readonly health: { readonly connecting: HealthReport; readonly connected: HealthReport };
  /** Milliseconds until it was as fast as before. */
  readonly recovery: number;
  /** Memory when it served all it can. */
  readonly quietBytes: number;
  readonly peakBytes: number;
}

/** Promises about what is counted, and those that others who use the cores can break. */
function checksOf({ outcomes, unsent, offered, health, recovery, quietBytes, peakBytes }: Seen) {
  const others = outcomes.filter(({ isRight, isHonest }) => !isRight && !isHonest);
  const kinds = others.map(({ status, error }) => error ?? status);
  const { connecting, connected } = health;
  const failures = connecting.failures + connected.failures;
  const p99 = quantile(connected.times, 0.99);
  const most = quietBytes + MAX_MORE_BYTES;
  const counted: Check[] = [
    checkNone('neither right nor an honest 503', kinds),
    check('/health failures: 0', failures, failures === 0),
    check(`peak memory below ${megabytes(most)}`, megabytes(peakBytes), peakBytes < most),
  ];
  const timed: Check[] = [
    check(`offered at least ${TIMES - 0.5} times the capacity`, offered.toFixed(2), offered >= TIMES - 0.5),
    check(`not sent, as ${MAX_OPEN} are open: 0`, unsent, unsent === 0),
    check(`/health, p99 below ${MAX_HEALTH_MS} ms`, `${p99.toFixed(1)} ms`, p99 < MAX_HEALTH_MS),
    check(`as fast as before within ${MAX_RECOVERY_MS} ms`, recovery.toFixed(0), recovery < MAX_RECOVERY_MS),
  ];
  return { counted, timed };
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
    due += rate * Math.min(MAX_BEHIND, (now - last) / 1000);
    last = now;
    for (; due >= 1; due--) {
      const one = pick(random, cases);
      if (open >= MAX_OPEN) {
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
async function recoveryMs(sender: Sender, probe: Case, maxMs: number): Promise<number> {
  const begin = performance.now();
  let since = begin;
  for (let inRow = 0; inRow < 10; ) {
    const start = performance.now();
    const { isRight, ms } = await sender.send(probe);
    if (!isRight || ms > maxMs) inRow = 0;
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
