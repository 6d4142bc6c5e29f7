import type { Test } from 'tap';
import type { Cleanup } from '../support/server.ts';

/** What the caller of a mode may set. */
export interface SoakOptions {
  /** Seconds of load. */
  readonly seconds: number;
  /** Crashes, kills, runs or texts. */
  readonly count: number;
  readonly seed: number;
  /** Plays alone what has this in its name. */
  readonly only?: string;
}

/** A promise, what was found, and whether it was kept. */
export interface Check {
  readonly what: string;
  readonly found: string;
  readonly isKept: boolean;
}

/** What a mode found. */
export interface Report {
  /** Figures that promise nothing. */
  readonly figures: readonly (readonly [what: string, found: string])[];
  readonly checks: readonly Check[];
}

/** A kind of soak test. */
export interface Mode {
  readonly title: string;
  readonly defaults: Pick<SoakOptions, 'seconds' | 'count'>;
  run(t: Cleanup, options: SoakOptions): Promise<Report>;
}

export function check(what: string, found: unknown, isKept: boolean): Check {
  return { what, found: String(found), isKept };
}

/** That there is none of what was looked for; says how many there are, and which, once each. */
export function checkNone(what: string, all: readonly unknown[], isTried = true): Check {
  return check(
    `${what}: 0`,
    [all.length, ...new Set(all)].join(', ').slice(0, 1500),
    all.length === 0 && isTried,
  );
}

/** What was found, or that it could not be played to its end. */
export async function attempt(name: string, play: () => Promise<Report>): Promise<Report> {
  console.log(`${new Date().toISOString()} ${name}`);
  const failed = (error: Error): Report => ({
    figures: [],
    checks: [check(`${name}: played to its end`, `${error.stack}`.slice(0, 1000), false)],
  });
  return play().catch(failed);
}

export function joinReports(reports: readonly Report[]): Report {
  return {
    figures: reports.flatMap(({ figures }) => figures),
    checks: reports.flatMap(({ checks }) => checks),
  };
}

/** Checks in a test that all promises were kept. */
export function checkReport(t: Test, { checks }: Pick<Report, 'checks'>): void {
  for (const { what, found, isKept } of checks) t.ok(isKept, `${what}; found ${found}`);
}

export const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
