import type { MarkdownBlock } from '../../../../plugins/toolkit/markdown/scan.ts';
import { type ReferenceBlock, referenceBlocks } from '../../../support/markdown/reference.ts';

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
  const named = ({ kind, level, depth, start, end }: ReferenceBlock): Named => {
    const begin = `${kind} ${level} ${depth} ${lineOf(start)}`;
    const inkEnd = start + text.slice(start, end).trimEnd().length;
    return { begin, whole: `${begin}-${lineOf(Math.max(start, inkEnd - 1))}` };
  };
  const [ours, theirs] = [blocks.map(named), referenceBlocks(text).map(named)];
  const most = Math.max(ours.length, theirs.length);
  const agreeing = (name: keyof Named) =>
    most - Math.max(missing(ours, theirs, name).length, missing(theirs, ours, name).length);
  return {
    blocks: most,
    same: agreeing('whole'),
    begin: agreeing('begin'),
    differences: [
      ...missing(ours, theirs, 'whole').map((one) => `+ ${one}`),
      ...missing(theirs, ours, 'whole').map((one) => `- ${one}`),
    ],
  };
}

interface Named {
  readonly begin: string;
  readonly whole: string;
}

function missing(of: readonly Named[], from: readonly Named[], name: keyof Named): string[] {
  const known = Map.groupBy(from, (one) => one[name]);
  return of.map((one) => one[name]).filter((one) => known.get(one)?.pop() === undefined);
}

/** Finds the line of an offset, from 1; lines end with LF, CR or both. */
function lineFinder(text: string): (offset: number) => number {
  const starts = [0, ...[...text.matchAll(/\r\n|\r|\n/g)].map(({ index, 0: end }) => index + end.length)];
  return (offset) => starts.findLastIndex((start) => start <= offset) + 1;
}
