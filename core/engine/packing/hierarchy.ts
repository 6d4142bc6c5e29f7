import type { Span } from '../../contracts/chunk.ts';
import type { CutFinder, DivideLimits } from '../../contracts/chunker.ts';
import type { TokenizedText } from '../../contracts/tokenizer.ts';
import { type FlagRun, removeCutsInClusters } from '../cuts/clusters.ts';
import { cutAtCodePoints, cutAtTokens, isShorter } from '../cuts/cuts.ts';
import { cutAtWordSigns } from '../cuts/delimiters.ts';
import { endOfLastLine } from '../cuts/lines.ts';
import { endsInColon, headingDepth, introductionStart, isWholeBlock } from './introductions.ts';
import { type CountedSpan, packPieces } from './packing.ts';

/**
 * Divides a stretch of a text into chunks of at most `size` tokens along a hierarchy of finders. The first finder
 * cuts the stretch, and its pieces are packed. Each further finder cuts only pieces that are too large. After the
 * finders, the levels cut after word signs, between tokens, between grapheme clusters and between code points. Only
 * the last level cuts inside a cluster. Only a single code point can exceed the limit. An introduction, such as a
 * heading, stays with the text after it (see `introductions.ts`).
 *
 * @param tokens `ends()` may be called for each stretch, so it should be cheap
 */
export function divide(
  text: string,
  tokens: TokenizedText,
  { start, end }: Span,
  finders: readonly CutFinder[],
  { size: most, minCharacters = 1, overlap = 0, introductions = true, titles = false }: DivideLimits,
): CountedSpan[] {
  const token_count = tokens.count(start, end);
  if (token_count <= most) return [{ start, end, token_count }];
  const size = Math.max(most - overlap, 1);
  const levels = [...finders, cutAtWordSigns, cutAtTokens(tokens), cutAtCodePoints, cutAtCodePoints];
  const division: Division = {
    text,
    tokens,
    levels,
    lastNamed: finders.length - 1,
    size,
    minCharacters,
    introductions,
    flags: { start: 0, end: 0 },
    titles,
    spans: [],
  };
  divideAt(division, 0, start, end);
  const spans = minCharacters > 1 ? joinShort(division) : division.spans;
  return overlap > 0 ? repeatEnds(division, spans, { size: most, overlap }) : spans;
}

interface Division {
  readonly text: string;
  readonly tokens: TokenizedText;
  readonly levels: readonly CutFinder[];
  readonly lastNamed: number;
  readonly size: number;
  readonly minCharacters: number;
  readonly introductions: boolean;
  readonly flags: FlagRun;
  readonly titles: boolean;
  readonly spans: CountedSpan[];
}

function divideAt(division: Division, level: number, start: number, end: number): void {
  const { tokens, levels, size, spans } = division;
  if (level >= levels.length) {
    spans.push({ start, end, token_count: tokens.count(start, end) });
    return;
  }
  const boundaries = cutsOf(division, level, start, end);
  if (division.introductions && level <= division.lastNamed)
    joinIntroductions(division, level, boundaries, start, end);
  if (boundaries.length === 0) {
    divideAt(division, level + 1, start, end);
    return;
  }
  boundaries.unshift(start);
  boundaries.push(end);
  placeAll(division, level, start, packPieces(boundaries, tokens, { size }));
}

function cutsOf({ text, levels, lastNamed, flags }: Division, level: number, start: number, end: number) {
  const cuts = (levels[level] as CutFinder)(text, start, end);
  return level === levels.length - 1 ? cuts : removeCutsInClusters(cuts, text, flags, level > lastNamed);
}

/** Moves each cut that follows introductions to before the introductions. Drops duplicate cuts. */
function joinIntroductions(
  division: Division,
  level: number,
  cuts: number[],
  floor: number,
  end: number,
): void {
  let kept = 0;
  for (let index = 0; index < cuts.length; index++) {
    const cut = cuts[index] as number;
    const lastCut = kept === 0 ? floor : (cuts[kept - 1] as number);
    const start = startOfIntroductions(division, level, floor, lastCut, cut, cuts[index + 1] ?? end);
    while (kept > 0 && (cuts[kept - 1] as number) >= start) kept--;
    if (start > floor) cuts[kept++] = start;
  }
  cuts.length = kept;
}

/** An introduction may take this share of the limit. A longer one is ordinary text. */
const MAX_SHARE = 0.75;
/** Maximum number of consecutive introductions that stay with the text after them. */
const MAX_IN_A_ROW = 6;

/**
 * The start of the introductions that end at `cut` and stay with the piece `[cut, end)`; `cut` if there are none. If
 * not all fit, keeps those from a subheading on; without a subheading, keeps as many of the last ones as fit.
 */
function startOfIntroductions(
  division: Division,
  level: number,
  floor: number,
  lastCut: number,
  cut: number,
  end: number,
): number {
  const { text } = division;
  let going = cut;
  let start = cut;
  let isText = false;
  for (let count = 0; count < MAX_IN_A_ROW; count++) {
    const before = introductionStart(text, floor, lastCut, start, division.titles);
    if (before === start) break;
    const isSubheading = headingDepth(text, start) > headingDepth(text, before);
    if (isSubheading && cutsNoPiece(division, start, cut, end)) going = start;
    if (!goesWithNext(division, level, before, cut, end)) {
      // The paragraph that ends in a colon is the text of the heading above, so the two stay together.
      if (isText && count > 0) return cut;
      return going === cut ? start : going;
    }
    if (count === 0) isText = headingDepth(text, before) === 0 && endsInColon(text, floor, cut);
    start = before;
  }
  return start;
}

/** Whether an introduction `[start, cut)` stays with the piece `[cut, end)`: both fit, or the piece may be cut. */
function goesWithNext(division: Division, level: number, start: number, cut: number, end: number): boolean {
  const { text, tokens, size, lastNamed } = division;
  if (tokens.count(start, end) <= size) return true;
  if (tokens.count(start, cut) > MAX_SHARE * size) return false;
  // A fence or table is cut only to stay with a heading: questions match a heading together with the first lines.
  if (isWholeBlock(text, cut) && headingDepth(text, start) === 0)
    return tokens.count(cut, endOfLastLine(text, cut, end)) > size;
  return level < lastNamed || tokens.count(cut, end) > size;
}

function cutsNoPiece({ tokens, size }: Division, start: number, cut: number, end: number): boolean {
  return tokens.count(start, end) <= size || tokens.count(cut, end) > size;
}

function placeAll(division: Division, level: number, start: number, packed: readonly CountedSpan[]): void {
  const { text, levels, size, minCharacters, spans } = division;
  const canDivide = level + 1 < levels.length;
  // If `size` is close to `minCharacters`, every chunk is short, but must not cost its neighbour a good cut.
  const minToStand = Math.min(minCharacters, Math.floor(size / 2));
  let from = start;
  for (let index = 0; index < packed.length; index++) {
    const span = packed[index] as CountedSpan;
    const { end, token_count } = span;
    const isNextOver = (packed[index + 1]?.token_count ?? 0) > size;
    if (token_count > size) divideAt(division, level + 1, from, end);
    else if (canDivide && isNextOver && isShorter(text, span.start, end, minToStand)) continue;
    else spans.push(span);
    from = end;
  }
}

function joinShort({ text, tokens, size, minCharacters, spans }: Division): CountedSpan[] {
  const joined: CountedSpan[] = [];
  for (const span of spans) {
    const { start, end } = span;
    const last = joined.at(-1);
    const isEitherShort =
      last !== undefined &&
      (isShorter(text, last.start, last.end, minCharacters) || isShorter(text, start, end, minCharacters));
    const token_count: number = isEitherShort ? tokens.count(last.start, end) : 0;
    if (isEitherShort && token_count <= size)
      joined[joined.length - 1] = { start: last.start, end, token_count };
    else joined.push(span);
  }
  return joined;
}

/** In these limits, `size` is the maximum including the overlap. */
type OverlapLimits = Required<Omit<DivideLimits, 'minCharacters' | 'introductions' | 'titles'>>;

/**
 * Moves the start of each chunk back, so that the chunk repeats the end of the previous one. The start moves to the
 * earliest cut within the overlap, of the first level that has one. Starts remain rising, and each count is exact.
 */
function repeatEnds(division: Division, spans: readonly CountedSpan[], limits: OverlapLimits): CountedSpan[] {
  const { tokens } = division;
  const ends = tokens.ends();
  const found: CountedSpan[] = [];
  let token = 0;
  for (const span of spans) {
    while (token < ends.length && (ends[token] as number) <= span.start) token++;
    const before = found.at(-1);
    const from = token > limits.overlap ? (ends[token - limits.overlap - 1] as number) : 0;
    const least = before === undefined ? span.start : Math.max(from - 1, before.start);
    const start = firstFitting(division, span, least, limits);
    const { end } = span;
    found.push(start === span.start ? span : { start, end, token_count: tokens.count(start, end) });
  }
  return found;
}

const MAX_TRIES = 16;

function firstFitting(
  division: Division,
  { start, end }: Span,
  least: number,
  { size, overlap }: OverlapLimits,
): number {
  const { tokens, levels } = division;
  const fits = (cut: number) => tokens.count(cut, start) <= overlap && tokens.count(cut, end) <= size;
  if (least >= start) return start;
  for (let level = 0; level < levels.length; level++) {
    const cut = cutsOf(division, level, least, start).slice(0, MAX_TRIES).find(fits);
    if (cut !== undefined) return cut;
  }
  return start;
}
