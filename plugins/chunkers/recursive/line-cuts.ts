import { type CutFinder, cutAtDelimiters, isWhiteSpace } from '../../../core/kit.ts';

const LINE_FEED = 10;
const SPACE = 32;
/** The first white space beyond ASCII. */
const FIRST_WIDE_SPACE = 0x85;

/** Cuts before every line that begins with one of the given literal strings. */
export function cutAtLineStarts(starts: readonly string[]): CutFinder {
  const find = cutAtDelimiters(
    starts.map((start) => `\n${start}`),
    'next',
  );
  return (text, start, end) => find(text, start, end).map((cut) => cut + 1);
}

/** Cuts after every run of at least so many blank lines, whatever white space is in them. */
export function cutAfterBlankLines(minimum: number): CutFinder {
  return (text, start, end) => findBlankLines(minimum, text, start, end);
}

// At module level, because a finder lives for only one request, and V8 discards optimised code together with its
// closure.
function findBlankLines(minimum: number, text: string, start: number, end: number): number[] {
  const cuts: number[] = [];
  let ink = start;
  while (ink < end && isWhiteSpace(text.charCodeAt(ink))) ink++;
  for (let at = text.indexOf('\n', ink); at !== -1 && at < end; at = text.indexOf('\n', ink)) {
    ink = at + 1;
    if (text.charCodeAt(ink) > SPACE && text.charCodeAt(ink) < FIRST_WIDE_SPACE) continue;
    let [lines, lineStart] = [0, ink];
    for (; ink < end; ink++) {
      const unit = text.charCodeAt(ink);
      if (unit === LINE_FEED) {
        lines++;
        lineStart = ink + 1;
      } else if (!isWhiteSpace(unit)) break;
    }
    if (lines >= minimum && ink < end) cuts.push(lineStart);
  }
  return cuts;
}
