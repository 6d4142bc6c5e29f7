import { type SmallestCase, shown } from '../broken-contract.ts';

/** A promise that a plugin breaks, with the remedy. */
export interface Failure {
  readonly promise: string;
  /** Where the fault is: a chunk with its offsets, or a line of the plugin. */
  readonly where?: string | undefined;
  /** The smallest input found that breaks the promise. */
  readonly smallest?: SmallestCase | undefined;
  readonly remedy: string;
}

export interface CheckResult {
  readonly check: string;
  readonly state: 'ok' | 'failed' | 'left out';
  /** Which inputs were tried, or why the check was left out. */
  readonly detail?: string | undefined;
  /** Empty unless the check failed. */
  readonly failures: readonly Failure[];
}

export function ok(check: string, detail?: string): CheckResult {
  return { check, state: 'ok', detail, failures: [] };
}

export function leftOut(check: string, reason: string): CheckResult {
  return { check, state: 'left out', detail: reason, failures: [] };
}

export function resultOf(check: string, failures: readonly Failure[], detail?: string): CheckResult {
  return failures.length === 0 ? ok(check, detail) : { check, state: 'failed', failures };
}

/** Describes a failure in several lines: the promise, what was found instead, the input, and the remedy. */
export function inWords({ promise, where, smallest, remedy }: Failure): string {
  return [
    `expected: ${promise}`,
    ...(where === undefined ? [] : [`found: ${where}`]),
    ...(smallest === undefined ? [] : [inputInWords(smallest)]),
    `to change: ${remedy}`,
  ].join('\n');
}

function inputInWords({ value, seed }: SmallestCase): string {
  return seed === undefined
    ? `last input: ${shown(value)}`
    : `smallest input: ${shown(value)} (seed ${seed})`;
}
