import type { Span } from './contracts.ts';

/**
 * Windows of `size` tokens over `ends` (see `TokenizedText.ends`), each beginning `overlap` tokens before
 * the end of the one before. An edge that would fall inside a code point moves back to that code point's
 * start. A code point that alone has more tokens than `size` is kept whole and counts as a full window.
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
    from = Math.max(edgeAtOrBefore(ends, to - overlap), edgeAfter(ends, from));
  }
  return spans;
}

function windowEnd(ends: Uint32Array, from: number, size: number): number {
  const to = edgeAtOrBefore(ends, Math.min(from + size, ends.length));
  return to > from ? to : edgeAfter(ends, from);
}

/** The last token index up to `token` that begins at the edge of a code point. */
function edgeAtOrBefore(ends: Uint32Array, token: number): number {
  let edge = token;
  while (edge > 0 && edge < ends.length && ends[edge - 1] === ends[edge]) edge--;
  return edge;
}

/** The first token index after `token` that begins at the edge of a code point. */
function edgeAfter(ends: Uint32Array, token: number): number {
  let edge = token + 1;
  while (edge < ends.length && ends[edge - 1] === ends[edge]) edge++;
  return edge;
}
