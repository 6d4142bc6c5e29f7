import { countCodePoints, type Span } from '../../../core/kit.ts';

/** The minimum of a chunk. */
export interface Minimum {
  readonly sentences: number;
  /** In the unit of `totals`. */
  readonly size: number;
  /** The size of the text before each sentence, and finally of the whole text. */
  readonly totals: Float64Array;
}

export interface Candidate {
  readonly sentence: number;
  /** The lower the similarity, the better the cut. */
  readonly similarity: number;
}

/**
 * Keeps cuts at the minimum distance from each other and from both ends of the text, better cuts first. A worse
 * candidate never removes a better candidate, so a higher threshold never gives fewer chunks.
 * Dropping the worst cut joins a short stretch to the neighbour that it resembles more.
 *
 * @returns the sentences after the kept cuts
 */
export function keepApart(candidates: readonly Candidate[], { sentences, size, totals }: Minimum): number[] {
  const last = totals.length - 1;
  const isNear = (one: number, other: number) =>
    Math.abs(one - other) < sentences || Math.abs((totals[one] as number) - (totals[other] as number)) < size;
  const taken = new Uint8Array(totals.length);
  const kept: number[] = [];
  const byMerit =
    sentences > 1 || size > 1
      ? candidates.toSorted((a, b) => a.similarity - b.similarity || a.sentence - b.sentence)
      : candidates;
  for (const { sentence } of byMerit) {
    if (isNear(sentence, 0) || isNear(sentence, last) || taken[sentence] === 1) continue;
    kept.push(sentence);
    for (let near = sentence; near >= 0 && isNear(near, sentence); near--) taken[near] = 1;
    for (let near = sentence; near <= last && isNear(near, sentence); near++) taken[near] = 1;
  }
  return kept.sort((a, b) => a - b);
}

/**
 * Moves whole sentences from the previous chunk to the last chunk, if the last chunk is too short.
 *
 * @param measure the size of a stretch in the unit of the minimum
 */
export function evenOutLast(
  spans: readonly Span[],
  boundaries: readonly number[],
  minimum: number,
  measure: (start: number, end: number) => number,
): Span[] {
  const [before, last] = spans.slice(-2);
  if (before === undefined || last === undefined) return [...spans];
  let at = boundaries.indexOf(last.start);
  let size = measure(last.start, last.end);
  if (at < 1 || size >= minimum) return [...spans];
  while (at > 0 && size < minimum) {
    size += measure(boundaries[at - 1] as number, boundaries[at] as number);
    at--;
  }
  const start = boundaries[at] as number;
  if (start <= before.start || measure(before.start, start) < minimum) return [...spans];
  return [...spans.slice(0, -2), { start: before.start, end: start }, { start, end: last.end }];
}

interface Group {
  readonly spans: CountedSpan[];
  tokens: number;
  characters: number;
}

type CountedSpan = Span & { readonly token_count: number };

/**
 * Joins short chunks to the previous chunk, or else to the next chunk, as far as `size` allows.
 *
 * @param count counts the tokens of a stretch
 */
export function joinShort(
  text: string,
  spans: readonly CountedSpan[],
  { size, minCharacters }: { readonly size: number; readonly minCharacters: number },
  count: (start: number, end: number) => number,
): Span[] {
  const groups: Group[] = [];
  for (const span of spans) {
    const characters = countCodePoints(text, span.start, span.end);
    const last = groups.at(-1);
    const isShort = characters < minCharacters || (last?.characters ?? minCharacters) < minCharacters;
    if (last !== undefined && isShort && last.tokens + span.token_count <= size) {
      last.spans.push(span);
      last.tokens += span.token_count;
      last.characters += characters;
    } else groups.push({ spans: [span], tokens: span.token_count, characters });
  }
  return groups.flatMap(({ spans: [first, ...rest] }) => {
    const end = rest.at(-1)?.end;
    if (first === undefined || end === undefined) return first ?? [];
    const token_count = count(first.start, end);
    return token_count <= size ? { start: first.start, end, token_count } : [first, ...rest];
  });
}
