import { countWhile } from '../search.ts';
import { type Candidate, isListMark } from './candidates.ts';
import { LETTERS } from './labels.ts';

/** Candidates of a family that are looked at after one, to see how its sequence goes on. */
const AHEAD = 12;
/** Largest step between two numbers of a sequence that needs no look ahead. */
const STEP = 5;

/**
 * Finds the sequences among candidates: within a family, each number follows the one before it, and numbers that would
 * break a sequence that goes on without them are left out. Lists and tables of contents, which have no text between
 * their lines, are left out as well.
 */
export function findRuns(candidates: readonly Candidate[]): readonly (readonly Candidate[])[] {
  const families = Map.groupBy(candidates, ({ label }) => label.family);
  const runs: (readonly Candidate[])[] = [];
  const single: (readonly Candidate[])[] = [];
  for (const members of families.values()) {
    const found = chain(members).filter(hasText);
    const isKnown = found.some((run) => run.length >= fewest(run));
    for (const run of found)
      if (run.length >= fewest(run) || (isKnown && !isBare(run)) || isAlone(run)) runs.push(run);
      else if (!isBare(run)) single.push(run);
  }
  const known = new Set(runs.flatMap((run) => run.map(({ start }) => start)));
  return [...withoutParagraphs(runs), ...leading(single, candidates, known)];
}

/** Kinds whose numbered paragraphs have numbers without a word. */
const ARTICLES = new Set(['article', '§', 'clause', '条', '條']);
const FEWEST_ARTICLES = 3;

/** Whether headings of a kind hold paragraphs, and no other headings as a rule. */
export function isArticle(kind: string): boolean {
  return ARTICLES.has(kind);
}

/**
 * Leaves out what is numbered within articles: in a text with articles, only numbers without a word that hold some, or
 * that begin with the number of the heading above them, are headings.
 */
function withoutParagraphs(runs: readonly (readonly Candidate[])[]): readonly (readonly Candidate[])[] {
  const articles = runs.filter((run) => isArticle((run[0] as Candidate).kind)).flat();
  if (articles.length < FEWEST_ARTICLES) return runs;
  const holders = new Set<string>();
  const all = runs.flat().sort((a, b) => a.start - b.start);
  for (let at = all.length - 1; at > 0; at--) {
    const { kind, isAfterText } = all[at] as Candidate;
    const before = all[at - 1] as Candidate;
    const holds = !isAfterText && (isArticle(kind) || holders.has(kind)) && before.kind !== kind;
    if (holds && !isListMark(before.kind)) holders.add(before.kind);
  }
  const words = all.filter(({ label }) => !label.isBare);
  const isInArticle = ({ start }: Candidate) =>
    ARTICLES.has(words[countWhile(words, (word) => word.start < start) - 1]?.kind ?? '');
  return runs.filter((run) => {
    const first = run[0] as Candidate;
    return !isBare(run) || holders.has(first.kind) || first.label.depth > 1 || !isInArticle(first);
  });
}

/** Those of single numbers that lead into a heading, or that a heading leads into. */
function leading(
  single: readonly (readonly Candidate[])[],
  candidates: readonly Candidate[],
  known: ReadonlySet<number>,
): readonly (readonly Candidate[])[] {
  const places = new Map(candidates.map(({ start }, index) => [start, index]));
  const isKnown = (candidate: Candidate | undefined) => candidate !== undefined && known.has(candidate.start);
  return single.filter((run) => {
    const [only] = run as readonly [Candidate];
    const at = places.get(only.start) as number;
    let after = at + 1;
    while (candidates[after]?.start === only.start) after++;
    const next = candidates[after];
    const leads = next !== undefined && !next.isAfterText && isKnown(next);
    return run.length === 1 && isFirst(only) && (leads || (!only.isAfterText && isKnown(candidates[at - 1])));
  });
}

function isBare(run: readonly Candidate[]): boolean {
  return (run[0] as Candidate).label.isBare;
}

/** How many members a sequence needs in a text that has no longer one of its family. */
function fewest(run: readonly Candidate[]): number {
  if (run.some(({ isMarked }) => isMarked)) return 1;
  if (!isBare(run)) return 2;
  if (isListMark((run[0] as Candidate).kind) && textOf(run) < LONG * run.length)
    return Number.POSITIVE_INFINITY;
  return run.some(({ label }) => label.depth > 1) ? 2 : 3;
}

/** Characters between the marks of a list that is not one. */
const LONG = 200;

/** Characters between the first and the last member of a sequence. */
function textOf(run: readonly Candidate[]): number {
  return (run.at(-1) as Candidate).inkBefore - (run[0] as Candidate).inkBefore;
}

/** An annex, which is often the only one. */
function isAlone(run: readonly Candidate[]): boolean {
  const { kind, name, label } = run[0] as Candidate;
  const isFree = (run[0] as Candidate).isAfterText;
  return (
    kind === 'annex' &&
    isFree &&
    isFirst(run[0] as Candidate) &&
    (label.family !== 'annex' || name === name.toUpperCase())
  );
}

function chain(members: readonly Candidate[]): Candidate[][] {
  const runs: Candidate[][] = [];
  let run: Candidate[] = [];
  members.forEach((candidate, index) => {
    const last = run.at(-1);
    const goesOn = last !== undefined && follows(last, candidate);
    if (goesOn || (last !== undefined && skips(last, candidate, members, index))) run.push(candidate);
    else if (begins(last, candidate, members, index)) {
      run = [candidate];
      runs.push(run);
    }
  });
  return runs;
}

/** Whether a number is the next one: 2.2 or 3 after 2.1, 12a or 13 after 12, 2.1.1 after 2.1. */
function follows({ label: before }: Candidate, { label }: Candidate): boolean {
  return stepOf(before.through, label.numbers, label.isBare) === 1;
}

/**
 * How far a number is after another one at the first place where they differ; 0 if it is not after it, infinite if
 * further places do not begin with 1.
 */
function stepOf(before: readonly number[], after: readonly number[], isBare: boolean): number {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at++;
  if (at >= after.length) return 0;
  const step = (after[at] as number) - (before[at] ?? 0);
  if (step <= 0) return 0;
  const further = after.slice(at + 1);
  // A decimal number needs the one that it begins with.
  if (isBare && further.length > 0) return Number.POSITIVE_INFINITY;
  return further.every((number) => number === 1) ? step : Number.POSITIVE_INFINITY;
}

/** Whether a number is larger than another one. */
export function isAfter(
  { label: { numbers } }: Candidate,
  { label: { numbers: before } }: Candidate,
): boolean {
  const at = numbers.findIndex((number, index) => number !== before[index]);
  return at !== -1 && (numbers[at] as number) > (before[at] ?? 0);
}

/** Whether a number after a gap goes on a sequence: the numbers in the gap do not come later. */
function skips(last: Candidate, candidate: Candidate, members: readonly Candidate[], index: number): boolean {
  const { isBare } = candidate.label;
  const step = stepOf(last.label.through, candidate.label.numbers, isBare);
  if (step === 0 || (isBare && step > 2)) return false;
  const later = members.slice(index + 1, index + 1 + AHEAD);
  if (later.some((other) => follows(last, other) && !isAfter(other, candidate))) return false;
  if (later.some((other) => follows(candidate, other))) return true;
  const next = later[0];
  return !isBare && (step <= STEP || next === undefined || isAfter(next, candidate) || isFirst(next));
}

/** Whether a number begins a sequence: it is the first, or those after it come next, and the last sequence is over. */
function begins(
  last: Candidate | undefined,
  candidate: Candidate,
  members: readonly Candidate[],
  index: number,
): boolean {
  const later = members.slice(index + 1, index + 1 + AHEAD);
  const next = later.findIndex((other) => follows(candidate, other));
  if (last !== undefined) {
    const goesOn = later.findIndex((other) => follows(last, other));
    if (goesOn !== -1 && (next === -1 || goesOn < next)) return false;
  }
  if (isFirst(candidate) || candidate.isMarked) return true;
  // A text may be part of a larger one, and what begins a section may be repealed.
  if (next !== 0 || candidate.label.isBare) return false;
  return last !== undefined || (later[1] !== undefined && follows(later[0] as Candidate, later[1]));
}

/** Whether a number is the first of its kind, or below the number of the heading above it. */
function isFirst({ label: { numbers, depth, isBare }, under }: Candidate): boolean {
  if (depth === 1 || !isBare) {
    if (numbers.every((number) => number === 1)) return true;
    if (depth === 1) return false;
  }
  const above = numbers.slice(0, -1).map((number) => number % LETTERS);
  return numbers.at(-1) === 1 && under.length > 0 && above.join() === under.join();
}

/** Whether most members of a sequence have text before the next one, as those of lists and tables of contents do not. */
function hasText(run: readonly Candidate[]): boolean {
  let empty = 0;
  let filled = 0;
  for (let at = 1; at < run.length; at++) {
    const [before, after] = [run[at - 1] as Candidate, run[at] as Candidate];
    if (before.isMarked || before.isRepealed) continue;
    if (after.label.depth > before.label.depth) continue;
    if (after.inkBefore > before.inkBefore) filled++;
    else empty++;
  }
  return filled >= empty;
}
