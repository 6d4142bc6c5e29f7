import { endOfContent, isBlankUnit } from '../../../core/engine/cuts/lines.ts';
import { isTitle, shortLineStart } from '../../../core/engine/packing/introductions.ts';

/** Maximum number of consecutive titles that stay with what follows. */
const MAX_IN_A_ROW = 6;

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/**
 * Removes the boundaries within and after titles, in place, so that each title is part of the sentence that follows it.
 */
export function joinTitles(text: string, boundaries: number[]): number[] {
  let kept = 0;
  /** Boundaries after the last titles. */
  let removed: number[] = [];
  let lastEnd = -1;
  for (let index = 0; index < boundaries.length; index++) {
    const boundary = boundaries[index] as number;
    const end = isBesideBlankLine(text, boundary) ? endOfContent(text, 0, boundary) : boundary;
    if (end === lastEnd) continue;
    const start = end < boundary ? titleStart(text, end) : -1;
    if (start === -1) boundaries[kept++] = boundary;
    else {
      while (kept > 0 && (boundaries[kept - 1] as number) > start) kept--;
      if (endOfContent(text, 0, start) !== lastEnd) removed = [];
      removed.push(boundary);
      if (removed.length > MAX_IN_A_ROW) boundaries[kept++] = removed.shift() as number;
      lastEnd = end;
    }
  }
  boundaries.length = kept;
  return boundaries;
}

/** Whether a line begins at an offset, and that line or the one above it may be blank. */
function isBesideBlankLine(text: string, at: number): boolean {
  if (text.charCodeAt(at - 1) !== LINE_FEED) return false;
  const before = text.charCodeAt(at - 2);
  return (
    isSpace(text.charCodeAt(at)) || isSpace(before === CARRIAGE_RETURN ? text.charCodeAt(at - 3) : before)
  );
}

function isSpace(unit: number): boolean {
  return unit === LINE_FEED || unit === CARRIAGE_RETURN || isBlankUnit(unit);
}

/** The start of the line that ends at `end`, if it is a title, or -1. */
function titleStart(text: string, end: number): number {
  const start = shortLineStart(text, end);
  return start !== -1 && isTitle(text, start, end) ? start : -1;
}
