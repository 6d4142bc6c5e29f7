import type { Span } from '../../contracts/chunk.ts';

/**
 * Windows of `size` tokens over `ends` (see `TokenizedText.ends`), each beginning `overlap` tokens before the end of
 * the previous one. A boundary that would fall inside a code point moves back to that code point's start, and tokens
 * without text of their own at the start of the text stay with the first token that has text. A code point that alone
 * has more tokens than `size` is kept whole and counts as a full window.
 */
export function tokenWindows(ends: Uint32Array, size: number, overlap = 0): Span[] {
  const spans: Span[] = [];
  const startOf = (token: number) => (token === 0 ? 0 : (ends[token - 1] as number));
  let from = 0;
  let covered = 0;
  while (covered < ends.length) {
    const to = windowEnd(ends, from, size);
    if (to > covered) {
      const token_count = Math.min(to - from, size);
      spans.push({ start: startOf(from), end: startOf(to), token_count });
      covered = to;
    }
    from = Math.max(boundaryAtOrBefore(ends, to - overlap), boundaryAfter(ends, from));
  }
  return spans;
}

function windowEnd(ends: Uint32Array, from: number, size: number): number {
  const to = boundaryAtOrBefore(ends, Math.min(from + size, ends.length));
  return to > from ? to : boundaryAfter(ends, from);
}

/** The last token index up to `token` that begins with a code point. */
function boundaryAtOrBefore(ends: Uint32Array, token: number): number {
  let at = token;
  while (at > 0 && at < ends.length && ends[at - 1] === ends[at]) at--;
  return at > 0 && ends[at - 1] === 0 ? 0 : at;
}

/** The first token index after `token` that begins with a code point. */
function boundaryAfter(ends: Uint32Array, token: number): number {
  let at = token + 1;
  while (at < ends.length && (ends[at - 1] === ends[at] || ends[at - 1] === 0)) at++;
  return at;
}
