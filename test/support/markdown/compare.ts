import type { MarkdownBlock } from '../../../core/engine/markdown/block.ts';
import { referenceBlocks } from './reference.ts';

/** How many blocks of a text are those of the reference. */
export interface Agreement {
  /** The blocks of whichever has more. */
  readonly blocks: number;
  /** Those that agree in kind, level, depth, first and last line. */
  readonly same: number;
  /** Those that agree but for the last line. */
  readonly begin: number;
  /** What does not agree, ours with `+`, the reference's with `-`. */
  readonly differences: readonly string[];
}

/** Compares blocks with those that micromark finds. */
export function countBlocks(text: string, blocks: readonly MarkdownBlock[]): Agreement {
  const lineOf = lineFinder(text);
  const ours = blocks.map(({ kind, level, depth, start, end }) => {
    const begin = `${kind} ${level} ${depth} ${lineOf(start)}`;
    return { begin, whole: `${begin}-${lineOf(Math.max(start, inkEnd(text, start, end) - 1))}` };
  });
  const theirs = referenceBlocks(text).map((block) => {
    const begin = `${block.kind} ${block.level} ${block.depth} ${block.firstLine}`;
    return {
      begin,
      whole: `${begin}-${lineOf(Math.max(block.start, inkEnd(text, block.start, block.end) - 1))}`,
    };
  });
  const differences = [
    ...missing(ours, theirs, 'whole').map((one) => `+ ${one}`),
    ...missing(theirs, ours, 'whole').map((one) => `- ${one}`),
  ];
  const most = Math.max(ours.length, theirs.length);
  return {
    blocks: most,
    same: most - Math.max(missing(ours, theirs, 'whole').length, missing(theirs, ours, 'whole').length),
    begin: most - Math.max(missing(ours, theirs, 'begin').length, missing(theirs, ours, 'begin').length),
    differences,
  };
}

interface Named {
  readonly begin: string;
  readonly whole: string;
}

function missing(of: readonly Named[], from: readonly Named[], name: keyof Named): string[] {
  const known = new Map<string, number>();
  for (const one of from) known.set(one[name], (known.get(one[name]) ?? 0) + 1);
  return of.flatMap((one) => {
    const left = known.get(one[name]) ?? 0;
    known.set(one[name], left - 1);
    return left > 0 ? [] : [one[name]];
  });
}

function inkEnd(text: string, start: number, end: number): number {
  return start + text.slice(start, end).trimEnd().length;
}

/** Finds the line of an offset, from 1; lines end with LF, CR or both. */
function lineFinder(text: string): (offset: number) => number {
  const starts = [0, ...[...text.matchAll(/\r\n|\r|\n/g)].map(({ index, 0: end }) => index + end.length)];
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((starts[middle] as number) <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}
