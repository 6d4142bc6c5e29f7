import { countWhile } from '../../../core/engine/search.ts';
import { type Candidate, type HeadingLines, readCandidates } from './candidates.ts';
import { isAnnex, isArticle, usualRank } from './kinds.ts';
import { SUPPLEMENT } from './labels.ts';
import { findRuns, type Runs } from './runs.ts';
import { isAfter } from './sequences.ts';

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

/**
 * Finds the headings of a text that only their numbers tell: `Article 5`, `§ 3 Scope`, `2.1.4 Scope`, `II.`,
 * `第一章 总则`. A line counts if it looks like one, and if its number belongs to a sequence in the whole text.
 * Linear.
 *
 * @param within the lines that may be headings, in the order of the text; all if it is missing
 */
export function findNumberedHeadings(
  text: string,
  within?: readonly HeadingLines[],
): readonly NumberedHeading[] {
  const candidates = readCandidates(text, within);
  if (candidates.length === 0) return [];
  const accepted = placed(findRuns(candidates));
  return accepted.map(({ candidate, level }, index) => {
    const next = accepted[index + 1];
    const { start, end, name } = candidate;
    return {
      start,
      end,
      level,
      name,
      isLead: next !== undefined && next.level > level && !hasBody(candidate, next.candidate),
    };
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

/** A candidate of a sequence. */
interface Member {
  readonly candidate: Candidate;
  readonly run: number;
  /** How long its sequence is. */
  readonly length: number;
  readonly isFirst: boolean;
}

/** The level of each heading: that below the last one of a higher rank. */
function placed({ runs, empty }: Runs): Placed[] {
  const ranks = ranksOf(runs.flat().sort((a, b) => a.start - b.start));
  const rankOf = ({ kind, label }: Candidate) => (ranks.get(kind) as number) + (label.depth - 1) / 10;
  const heads = withLevels(runs, rankOf);
  const rescued = empty.filter((run) => isBelowOne(run, heads, rankOf));
  return rescued.length === 0 ? heads : withLevels([...runs, ...rescued], rankOf);
}

/**
 * Whether a sequence without text between its members divides a heading: the one above it is higher, and no sequence of
 * the kind begins before the next higher heading, as it would after a table of contents. Linear: each heading above is
 * followed by few such sequences.
 */
function isBelowOne(
  run: readonly Candidate[],
  heads: readonly Placed[],
  rankOf: (candidate: Candidate) => number,
): boolean {
  const [first, last] = [run[0] as Candidate, run.at(-1) as Candidate];
  const at = countWhile(heads, ({ candidate }) => candidate.start < first.start);
  const above = heads[at - 1]?.candidate;
  const rank = rankOf(first);
  if (above === undefined || rankOf(above) >= rank) return false;
  for (let next = at; next < heads.length; next++) {
    const { candidate } = heads[next] as Placed;
    // The first may also be one of another sequence, as I is a letter.
    if (candidate.start === first.start) continue;
    if (rankOf(candidate) <= rank) return candidate.start > last.start && rankOf(candidate) < rank;
  }
  return true;
}

function withLevels(
  runs: readonly (readonly Candidate[])[],
  rankOf: (candidate: Candidate) => number,
): Placed[] {
  const members = runs.flatMap((run, index) =>
    run.map((candidate, at): Member => ({ candidate, run: index, length: run.length, isFirst: at === 0 })),
  );
  // A letter that is also a Roman number counts in the longer sequence.
  members.sort((a, b) => a.candidate.start - b.candidate.start || b.length - a.length);
  const dropped = doubled(members, rankOf);
  const open: number[] = [];
  const heads: Placed[] = [];
  for (const { candidate, run } of members) {
    if (dropped.has(run) || heads.at(-1)?.candidate.start === candidate.start) continue;
    const rank = rankOf(candidate);
    while (open.length > 0 && (open.at(-1) as number) >= rank) open.pop();
    open.push(rank);
    heads.push({ candidate, level: open.length });
  }
  return heads;
}

/**
 * The sequences that do not count: a sequence may start again only below a higher heading since its last member, else
 * the shorter of both is a table of contents or a list.
 */
function doubled(members: readonly Member[], rankOf: (candidate: Candidate) => number): ReadonlySet<number> {
  const dropped = new Set<number>();
  const lastOf = new Map<string, Member>();
  // Up to where no higher heading has come since the last member.
  const readTo = new Map<string, number>();
  members.forEach((member, index) => {
    const { candidate, run, length, isFirst } = member;
    const { family } = candidate.label;
    const last = lastOf.get(family);
    if (dropped.has(run)) return;
    if (isFirst && !candidate.isMarked && last !== undefined) {
      const rank = rankOf(candidate);
      const least = readTo.get(family) as number;
      let at = index - 1;
      while (at > least && rankOf((members[at] as Member).candidate) >= rank) at--;
      readTo.set(family, index);
      if (at === least && !canStand(last, member)) dropped.add(last.length < length ? last.run : run);
    }
    if (dropped.has(run)) return;
    lastOf.set(family, member);
    readTo.set(family, index);
  });
  return dropped;
}

/** Whether two sequences can be next to each other: the second goes on, or both hold other headings. */
function canStand(first: Member, { candidate, length }: Member): boolean {
  if (isAfter(candidate, first.candidate) || candidate.label.family === SUPPLEMENT) return true;
  const { kind, label } = candidate;
  return !label.isBare && !isArticle(kind) && first.length > 1 && length > 1;
}

/** How much lower than its word the usual rank of one with `sub` is. */
const SUB = 0.5;

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
    if (before.isRepealed || isAnnex(candidate.kind)) return;
    const pair = `${before.kind}>${candidate.kind}`;
    below.set(pair, (below.get(pair) ?? 0) + 1);
  });
  const follows = (a: string, b: string) => below.get(`${a}>${b}`) ?? 0;
  // A subsection is below a section, wherever sections are.
  const isAbove = (a: string, b: string) =>
    follows(a, b) > follows(b, a) || (Number.isInteger(usualRank(a)) && usualRank(b) === usualRank(a) + SUB);
  const ranks = new Map<string, number>();
  // There are few kinds.
  while (kinds.length > 0) {
    const top = kinds.findIndex((kind) => !kinds.some((other) => isAbove(other, kind)));
    ranks.set(kinds.splice(Math.max(top, 0), 1)[0] as string, ranks.size);
  }
  return ranks;
}
