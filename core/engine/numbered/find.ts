import type { Span } from '../../contracts/chunk.ts';
import { type Candidate, readCandidates } from './candidates.ts';
import { usualRank } from './labels.ts';
import { findRuns } from './runs.ts';

/** A line that is a heading by its number. */
export interface NumberedHeading {
  readonly start: number;
  /** Where its line ends, or that of the title below it, without the line break. */
  readonly end: number;
  /** From 1, the highest. */
  readonly level: number;
  /** Whether another heading follows immediately. */
  readonly isLead: boolean;
  readonly name: string;
}

/** Lines that may be headings; those of headings that are marked as such only have to be numbered. */
export interface HeadingLines extends Span {
  readonly isMarked?: boolean;
}

/**
 * Finds the headings of a text that only their numbers tell: `Article 5`, `§ 3 Scope`, `2.1.4 Scope`, `II.`,
 * `第一章 总则`. A line counts if it looks like one, and if its number belongs to a sequence in the whole text.
 * Linear.
 *
 * @param within the lines that may be headings, in the order of the text; all if it is missing
 */
export function findNumberedHeadings(text: string, within?: readonly HeadingLines[]): readonly NumberedHeading[] {
  const candidates = readCandidates(text, within);
  if (candidates.length === 0) return [];
  const accepted = placed(findRuns(candidates));
  return accepted.map(({ candidate, level }, index) => {
    const next = accepted[index + 1];
    const { start, end, name } = candidate;
    return { start, end, level, name, isLead: next !== undefined && next.level > level && !hasBody(candidate, next.candidate) };
  });
}

/** Whether there is text between two headings. */
function hasBody(first: Candidate, second: Candidate): boolean {
  return second.inkBefore > first.inkBefore;
}

interface Placed {
  readonly candidate: Candidate;
  readonly level: number;
}

/**
 * The level of each heading: that below the last one of a higher rank. A decimal number is below the one that it
 * begins with, and a sequence that starts again needs a higher heading since its last member.
 */
function placed(runs: readonly (readonly Candidate[])[]): Placed[] {
  const members = runs.flatMap((run, index) =>
    run.map((candidate, at) => ({ candidate, run: index, length: run.length, isFirst: at === 0 })),
  );
  // A letter that is also a Roman number counts in the longer sequence.
  members.sort((a, b) => a.candidate.start - b.candidate.start || b.length - a.length);
  const ranks = ranksOf(members.map(({ candidate }) => candidate));
  const open: { readonly rank: number; readonly candidate: Candidate }[] = [];
  const heads: Placed[] = [];
  const dropped = new Set<number>();
  const lastOf = new Map<string, number>();
  for (const { candidate, run, isFirst } of members) {
    const { kind, label } = candidate;
    if (dropped.has(run) || heads.at(-1)?.candidate.start === candidate.start) continue;
    const rank = (ranks.get(kind) as number) + (label.depth - 1) / 10;
    const last = lastOf.get(label.family);
    if (isFirst && last !== undefined && !candidate.isMarked && !startsAgain(heads, last, ranks, rank)) {
      dropped.add(run);
      continue;
    }
    while (open.length > 0 && (open.at(-1) as { rank: number }).rank >= rank) open.pop();
    open.push({ rank, candidate });
    lastOf.set(label.family, heads.length);
    heads.push({ candidate, level: open.length });
  }
  return heads;
}

/** Whether a higher heading came after the last member of a sequence. */
function startsAgain(heads: readonly Placed[], last: number, ranks: ReadonlyMap<string, number>, rank: number): boolean {
  // All that follow the last member are of other families, and as a rule few.
  for (let at = heads.length - 1; at > last; at--)
    if ((ranks.get((heads[at] as Placed).candidate.kind) as number) < rank) return true;
  return false;
}

/**
 * The ranks of the kinds in a text: the usual ones, unless more headings of one kind directly follow one of another kind
 * than the other way round.
 */
function ranksOf(candidates: readonly Candidate[]): ReadonlyMap<string, number> {
  const kinds = [...new Set(candidates.map(({ kind }) => kind))].sort((a, b) => usualRank(a) - usualRank(b));
  const below = new Map<string, number>();
  candidates.forEach((candidate, index) => {
    const before = candidates[index - 1];
    if (before === undefined || before.kind === candidate.kind || hasBody(before, candidate)) return;
    if (before.isRepealed) return;
    const pair = `${before.kind}>${candidate.kind}`;
    below.set(pair, (below.get(pair) ?? 0) + 1);
  });
  const isAbove = (a: string, b: string) => (below.get(`${a}>${b}`) ?? 0) > (below.get(`${b}>${a}`) ?? 0);
  const ranks = new Map<string, number>();
  // There are few kinds.
  while (kinds.length > 0) {
    const top = kinds.findIndex((kind) => !kinds.some((other) => isAbove(other, kind)));
    ranks.set(kinds.splice(Math.max(top, 0), 1)[0] as string, ranks.size);
  }
  return ranks;
}
