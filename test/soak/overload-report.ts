import type { HealthReport } from './health-process.ts';
import { type Check, megabytes, quantile, type Report } from './mode.ts';
import type { Outcome } from './sender.ts';

/** How many times the requests that can be served are sent. */
export const TIMES = 4;
/** Open requests above which no more are sent: a server that refuses honestly never has as many. */
export const MOST_OPEN = 2000;
const MOST_HEALTH_MS = 50;
const MOST_RECOVERY_MS = 2000;
/** Memory that the server may take beside what it took when it served all it can. */
const MOST_MORE_BYTES = 500e6;

/** What was seen of a server under overload. */
export interface Seen {
  /** Load of the machine before. */
  readonly loadBefore: number;
  /** Right answers in a second without overload. */
  readonly capacity: number;
  /** Memory when it served all it can. */
  readonly quietBytes: number;
  readonly peakBytes: number;
  /** Percentages of the time of its first thread. */
  readonly shares: { readonly busy: number; readonly waiting: number };
  readonly health: HealthReport;
  /** Milliseconds until it was as fast as before. */
  readonly recovery: number;
  readonly outcomes: readonly Outcome[];
  readonly unsent: number;
  /** Requests in a second that were to be sent. */
  readonly offered: number;
}

export function overloadReport(name: string, seen: Seen): Report {
  return {
    figures: figuresOf(seen).map(([what, found]) => [`${name}: ${what}`, found]),
    checks: [...answerChecks(seen), ...serverChecks(seen)].map((check) => ({
      ...check,
      what: `${name}: ${check.what}`,
    })),
  };
}

function figuresOf({ loadBefore, capacity, quietBytes, shares, health, outcomes }: Seen): Report['figures'] {
  const right = outcomes.filter(({ isRight }) => isRight);
  return [
    ['capacity', `${capacity.toFixed(0)}/s`],
    ['right answers', `${right.length}`],
    ['honest refusals', `${outcomes.filter(({ isHonest }) => isHonest).length}`],
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
    ["server's first thread", `${shares.busy} % busy, ${shares.waiting} % waiting for a core`],
    ['memory before', megabytes(quietBytes)],
  ];
}

function answerChecks({ outcomes, unsent, offered, capacity }: Seen): Check[] {
  const others = outcomes.filter(({ isRight, isHonest }) => !isRight && !isHonest);
  const kinds = [...new Set(others.map(({ status, error }) => error ?? status))];
  return [
    {
      what: 'neither right nor an honest 503: 0',
      found: [others.length, ...kinds].join(', '),
      isKept: others.length === 0,
    },
    {
      what: `not sent, as ${MOST_OPEN} are open: 0`,
      found: String(unsent),
      isKept: unsent === 0,
    },
    {
      what: `offered at least ${TIMES - 0.5} times the capacity`,
      found: (offered / capacity).toFixed(2),
      isKept: offered >= (TIMES - 0.5) * capacity,
    },
  ];
}

function serverChecks({ health, quietBytes, peakBytes, recovery }: Seen): Check[] {
  const p99 = quantile(health.times, 0.99);
  const peakBound = quietBytes + MOST_MORE_BYTES;
  return [
    { what: '/health failures: 0', found: String(health.failures), isKept: health.failures === 0 },
    {
      what: `/health, p99 below ${MOST_HEALTH_MS} ms`,
      found: `${p99.toFixed(1)} ms`,
      isKept: p99 < MOST_HEALTH_MS,
    },
    {
      what: `peak memory below ${megabytes(peakBound)}`,
      found: megabytes(peakBytes),
      isKept: peakBytes < peakBound,
    },
    {
      what: `as fast as before within ${MOST_RECOVERY_MS} ms`,
      found: `${recovery.toFixed(0)} ms`,
      isKept: recovery < MOST_RECOVERY_MS,
    },
  ];
}
