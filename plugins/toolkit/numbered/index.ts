/** Headings by their numbers, such as `Article 5` and `2.1.4 Scope`. */

import { countWhile } from '../../../core/engine/search.ts';
import { type Candidate, type HeadingLines, readCandidates } from './candidates.ts';
import { isAnnex, isArticle, usualRank } from './kinds.ts';
import { SUPPLEMENT } from './labels.ts';
import { findRuns, type Runs } from './runs.ts';
import { isAfter } from './sequences.ts';

export type { HeadingLines } from './candidates.ts';
export * from './options.ts';

export interface NumberedHeading {
  readonly start: number;
  /** End of the line without the line break. If the title is on the line below, the end of that line. */
  readonly end: number;
  /** 1 is the highest level. */
  readonly level: number;
  readonly isLead: boolean;
  readonly name: string;
}

/**
 * Finds lines that are headings because of their numbers: `Article 5`, `§ 3 Scope`, `2.1.4 Scope`, `II.`, `第一章 总则`.
 * The number of a heading must belong to a sequence of numbers in the text. Takes linear time.
 *
 * @param within lines that may be headings, in the order of the text; default: all lines
 */
export function findNumberedHeadings(
  text: string,
  within?: readonly HeadingLines[],
): readonly NumberedHeading[] {
  const candidates = readCandidates(text, within);
  if (candidates.length === 0) return [];
  const accepted = headsOf(findRuns(candidates));
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

function hasBody(first: Candidate, second: Candidate): boolean {
  return second.inkBefore > first.inkBefore;
}

interface Head {
  readonly candidate: Candidate;
  readonly level: number;
}

interface Member {
  readonly candidate: Candidate;
  readonly run: number;
  readonly length: number;
  readonly isFirst: boolean;
}

function headsOf({ runs, empty }: Runs): Head[] {
  const ranks = ranksOf(runs.flat().sort((a, b) => a.start - b.start));
  const rankOf = ({ kind, label }: Candidate) => (ranks.get(kind) as number) + (label.depth - 1) / 10;
  const heads = withLevels(runs, rankOf);
  const rescued = empty.filter((run) => isBelowOne(run, heads, rankOf));
  return rescued.length === 0 ? heads : withLevels([...runs, ...rescued], rankOf);
}

/**
 * Whether a sequence without text between its members divides the section of the heading above, which must have a
 * higher rank. If a heading of the sequence's rank precedes the next higher heading, the sequence is a table of
 * contents.
 */
function isBelowOne(
  run: readonly Candidate[],
  heads: readonly Head[],
  rankOf: (candidate: Candidate) => number,
): boolean {
  const first = run[0] as Candidate;
  const last = run.at(-1) as Candidate;
  const at = countWhile(heads, ({ candidate }) => candidate.start < first.start);
  const above = heads[at - 1]?.candidate;
  const rank = rankOf(first);
  if (above === undefined || rankOf(above) >= rank) return false;
  for (let next = at; next < heads.length; next++) {
    const { candidate } = heads[next] as Head;
    // This is another reading of the same line: `I` is both a letter and a Roman number.
    if (candidate.start === first.start) continue;
    if (rankOf(candidate) <= rank) return candidate.start > last.start && rankOf(candidate) < rank;
  }
  return true;
}

function withLevels(
  runs: readonly (readonly Candidate[])[],
  rankOf: (candidate: Candidate) => number,
): Head[] {
  const members = runs.flatMap((run, index) =>
    run.map((candidate, at): Member => ({ candidate, run: index, length: run.length, isFirst: at === 0 })),
  );
  // If a line belongs to two sequences (`I` is a letter and a Roman number), the longer sequence comes first.
  members.sort((a, b) => a.candidate.start - b.candidate.start || b.length - a.length);
  const dropped = doubled(members, rankOf);
  const open: number[] = [];
  const heads: Head[] = [];
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
 * Finds sequences to drop. A family may have a second sequence only after a heading of higher rank. Otherwise the
 * shorter of the two sequences is a table of contents or a list.
 */
function doubled(members: readonly Member[], rankOf: (candidate: Candidate) => number): ReadonlySet<number> {
  const dropped = new Set<number>();
  const lastOf = new Map<string, Member>();
  // For each family, an index of `members`. No higher heading is between the family's last member and this index.
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

function canStand(first: Member, { candidate, length }: Member): boolean {
  if (isAfter(candidate, first.candidate) || candidate.label.family === SUPPLEMENT) return true;
  const { kind, label } = candidate;
  return !label.isBare && !isArticle(kind) && first.length > 1 && length > 1;
}

/** Difference between the usual ranks of a word and of the same word with the prefix `sub`. */
const SUB = 0.5;

/**
 * Ranks the kinds of headings in a text. Kind B ranks below kind A if B directly follows A more often than A follows
 * B. Other kinds have their usual order.
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
  // A kind with the prefix `sub`, such as a subsection, is always below the kind without it.
  const isAbove = (a: string, b: string) =>
    follows(a, b) > follows(b, a) || (Number.isInteger(usualRank(a)) && usualRank(b) === usualRank(a) + SUB);
  const ranks = new Map<string, number>();
  while (kinds.length > 0) {
    const top = kinds.findIndex((kind) => !kinds.some((other) => isAbove(other, kind)));
    ranks.set(kinds.splice(Math.max(top, 0), 1)[0] as string, ranks.size);
  }
  return ranks;
}
