import { shown } from './visible.ts';

/** A promise that was not kept, and where. */
export interface Broken {
  readonly promise: string;
  /** The chunk with its offsets, for example. */
  readonly where?: string | undefined;
  /** Whether there was no answer, so that nothing else about it could be checked. */
  readonly isUnanswered?: true;
  /** Whether nothing more is to be tried, because it would take too long. */
  readonly isLast?: boolean;
}

/** The smallest generated case that breaks a promise, or the last one if there was no time to shrink it. */
export interface SmallestCase {
  readonly value: unknown;
  /** How it was generated, if it was random. */
  readonly seed?: number | undefined;
}

/** The error of a plugin that does not keep its promises. */
export class BrokenContract extends Error {
  readonly broken: readonly Broken[];
  readonly smallest: SmallestCase | undefined;

  constructor(broken: readonly Broken[], smallest?: SmallestCase) {
    const places = broken.flatMap(({ promise, where }) =>
      where === undefined ? [] : `\n${promise}: ${where}`,
    );
    const made = smallest === undefined ? '' : `\nsmallest case: ${shown(smallest.value)}`;
    super(`broken: ${broken.map(({ promise }) => promise).join('; ')}${places.join('')}${made}`);
    this.name = 'BrokenContract';
    this.broken = broken;
    this.smallest = smallest;
  }
}
