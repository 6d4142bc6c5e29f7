import { shown } from './visible.ts';

/** A promise that was not kept, and where. */
export interface Broken {
  readonly promise: string;
  /** The chunk with its offsets, for example. */
  readonly where?: string | undefined;
  /** Whether there was no answer, so that nothing else could be checked of it. */
  readonly isUnanswered?: true;
}

/** The smallest of the generated cases that break a promise, or the last one if there was no time to look for it. */
export interface SmallestCase {
  readonly value: unknown;
  /** What made it, if it was made at random. */
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
