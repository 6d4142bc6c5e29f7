import type { ChunkContext, Span } from '../../../core/kit.ts';
import { isLineBreak, LINE_LEVELS, lineAround, startOfLine, tearsBlock } from './lines.ts';

export interface Candidates {
  /** Possible cuts, ascending: between lines, or between nodes within a line. */
  readonly offsets: readonly number[];
  /** Cuts after the opening or before the end of a block. A tear is dropped if both adjacent pieces fit together. */
  readonly tears: ReadonlySet<number>;
  /** Functions and classes that stay whole, keyed by the starts of their pieces. */
  readonly kept: ReadonlyMap<number, Span>;
}

export interface BoundaryLimits {
  readonly size: number;
  /** Maximum tokens of a function or class that stays whole. */
  readonly keptSize: number;
}

/**
 * Chooses among the possible cuts of a stretch. A line that fits is never cut; cuts within it move to line ends.
 */
export function chooseCuts(
  text: string,
  context: ChunkContext,
  limits: BoundaryLimits,
  candidates: Candidates,
  stretch: Span,
): number[] {
  const choice: Choice = {
    text,
    context,
    limits,
    candidates,
    stretch,
    cuts: [],
    line: NO_LINE,
    fits: false,
    countable: MAX_COUNTED * (stretch.end - stretch.start),
  };
  cutBetweenLines(choice);
  return withoutTears(choice);
}

interface Choice {
  readonly text: string;
  readonly context: ChunkContext;
  readonly limits: BoundaryLimits;
  readonly candidates: Candidates;
  readonly stretch: Span;
  readonly cuts: number[];
  /** The line that was counted last, and whether that line fits. */
  line: Span;
  fits: boolean;
  countable: number;
}

/** Maximum characters counted to drop tears, per character of the stretch. Tears after that remain cuts. */
const MAX_COUNTED = 16;

const NO_LINE: Span = { start: 0, end: 0 };

function count({ context }: Choice, start: number, end: number): number {
  return context.tokens.count(start, end);
}

function cutBetweenLines(choice: Choice): void {
  const { candidates, stretch, cuts } = choice;
  let from = stretch.start;
  let skipped: number[] = [];
  for (const at of candidates.offsets) {
    if (at <= from) continue;
    if (isInFittingLine(choice, at)) {
      skipped.push(at);
      continue;
    }
    if (skipped.length > 0) cutAround(choice, from, at, skipped);
    cuts.push(at);
    from = at;
    skipped = [];
  }
  if (skipped.length > 0) cutAround(choice, from, stretch.end, skipped);
}

function isInFittingLine(choice: Choice, at: number): boolean {
  const { text, limits } = choice;
  if (isLineBreak(text, at - 1)) return false;
  if (at >= choice.line.end) {
    choice.line = lineAround(text, at);
    choice.fits = count(choice, choice.line.start, choice.line.end) <= limits.size;
  }
  return choice.fits;
}

/** Cuts a stretch between lines, but not within kept functions and classes. @param skipped cuts within fitting lines */
function cutAround(choice: Choice, start: number, end: number, skipped: readonly number[]): void {
  if (count(choice, start, end) <= choice.limits.size) return;
  const { kept } = choice.candidates;
  let from = start;
  for (const at of [start, ...skipped]) {
    const part = at < from ? undefined : kept.get(at);
    if (part !== undefined) from = cutBeside(choice, { start: from, end }, part, skipped);
  }
  divideLines(choice, from, end);
}

function cutBeside(choice: Choice, { start, end }: Span, part: Span, skipped: readonly number[]): number {
  const { text, cuts, limits } = choice;
  const from = Math.max(start, startOfLine(text, part.start));
  const to = isLineBreak(text, part.end - 1) ? part.end : Math.min(end, lineAround(text, part.end).end);
  divideLines(choice, start, from);
  if (from > start) cuts.push(from);
  if (count(choice, from, to) > limits.keptSize)
    for (const at of skipped) if (at > from && at < to) cuts.push(at);
  if (to < end) cuts.push(to);
  return to;
}

function divideLines({ context, limits, cuts }: Choice, start: number, end: number): void {
  if (start >= end) return;
  const spans = context.divide({ start, end }, LINE_LEVELS, { size: limits.size });
  for (const span of spans.slice(1)) cuts.push(span.start);
}

/**
 * Drops each tear whose adjacent pieces fit together. Works backwards, to join nested blocks from the inside out.
 */
function withoutTears(choice: Choice): number[] {
  const { text, cuts, stretch, candidates } = choice;
  const kept: number[] = [];
  let next = stretch.end;
  for (let index = cuts.length - 1; index >= 0; index--) {
    const at = cuts[index] as number;
    const before = index === 0 ? stretch.start : (cuts[index - 1] as number);
    const tears = candidates.tears.has(at) || tearsBlock(text, at);
    if (tears && fitsTogether(choice, before, next)) continue;
    kept.push(at);
    next = at;
  }
  return kept.reverse();
}

function fitsTogether(choice: Choice, start: number, end: number): boolean {
  choice.countable -= end - start;
  return choice.countable >= 0 && count(choice, start, end) <= choice.limits.size;
}
