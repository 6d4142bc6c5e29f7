import type { SmallestCase } from '../broken-contract.ts';
import { shown } from '../visible.ts';
import type { Failure } from './result.ts';

/** A failure for people, in lines: the promise, where it is broken, on which input, and what to change. */
export function inWords({ promise, where, smallest, remedy }: Failure): string {
  return [
    `broken: ${promise}`,
    ...(where === undefined ? [] : [`where: ${where}`]),
    ...(smallest === undefined ? [] : [inputInWords(smallest)]),
    `to change: ${remedy}`,
  ].join('\n');
}

function inputInWords({ value, seed }: SmallestCase): string {
  return seed === undefined
    ? `last input: ${shown(value)}`
    : `smallest input: ${shown(value)} (seed ${seed})`;
}
