import { countWhile } from '../search.ts';
import { type Candidate, isListMark } from './candidates.ts';
import { CAPITALS, isAnnex, isArticle, LETTERS } from './labels.ts';

/** Candidates of a family that are looked at after one, to see how its sequence goes on. */
const AHEAD = 40;
/** Interrupted sequences that a number may go on. */
const MOST_OUTER = 3;
/** Largest step between two numbers of a sequence that needs no look ahead. */
const STEP = 5;

/** Sequences of headings, and those of words without text between them, which may be tables of contents. */
export interface Runs {
  readonly runs: readonly Run[];
  readonly empty: readonly Run[];
}

type Run = readonly Candidate[];

/**
 * Finds the sequences among candidates: within a family, each number follows the one before it, and numbers that would
 * break a sequence that goes on without them are left out. Lists and tables of contents, which have no text between
 * their lines, are left out as well.
 */
export function findRuns(candidates: readonly Candidate[]): Runs {
  const bare = candidates.filter(({ label }) => label.isBare);
  const { runs, single, empty } = collect(candidates.filter(({ label }) => !label.isBare));
  const words = withoutLists(withoutReferences(runs, bare));
  const numbers = collect(withoutParagraphs(bare, words));
  const all = [...words, ...numbers.runs];
  const known = new Set(all.flatMap((run) => run.map(({ start }) => start)));
  return { runs: [...all, ...leading([...single, ...numbers.single], candidates, known)], empty };
}

/** Sequences that count, those that need another heading to count, and those without text. */
interface Found extends Runs {
  readonly single: readonly Run[];
}

function collect(candidates: readonly Candidate[]): Found {
  const [runs, single, empty]: [Run[], Run[], Run[]] = [[], [], []];
  for (const members of Map.groupBy(candidates, ({ label }) => label.family).values()) {
    const all = chain(members);
    const filled = all.filter(hasText);
    const isKnown = filled.some((run) => run.length >= fewest(run));
    const isWritten = filled.some((run) => !isCell(run));
    for (const run of filled)
      if (isWritten && isCell(run)) single.push(run);
      else if (run.length >= fewest(run) || (isKnown && !isBare(run)) || isAlone(run)) runs.push(run);
      else single.push(run);
    if (isKnown) empty.push(...all.filter((run) => isDivision(run) && !hasText(run)));
  }
  return { runs, single, empty };
}

/** Whether most articles have next to no text, as in tables of correlation. */
function isCell(run: Run): boolean {
  const { kind } = run[0] as Candidate;
  if (!isArticle(kind) && !(isAnnex(kind) && run.length > 1)) return false;
  const filled = run.filter((one, at) => one.isRepealed || textOf(run.slice(at, at + 2)) >= CELL);
  return filled.length * 2 < run.length;
}

/** Characters between the articles of a text at least. */
const CELL = 5;

/** Whether a sequence is one of words that hold articles. */
function isDivision(run: Run): boolean {
  const { kind } = run[0] as Candidate;
  return !isBare(run) && !isAnnex(kind) && !isArticle(kind);
}

/** Leaves out lines as § 2.1 of a text whose sections have the same numbers without the sign. */
function withoutReferences(runs: readonly Run[], bare: readonly Candidate[]): readonly Run[] {
  const isDecimal = (run: Run) => run.some(({ kind, label }) => kind === '§' && label.numbers.length > 1);
  if (!runs.some(isDecimal)) return runs;
  const sections = new Set(
    collect(bare).runs.flatMap((run) => run.map(({ label }) => label.numbers.join('.'))),
  );
  return runs.filter(
    (run) => !isDecimal(run) || !run.every(({ label }) => sections.has(label.numbers.join('.'))),
  );
}

/** Articles that a text with numbered paragraphs has at least. */
const FEWEST_ARTICLES = 3;

function articlesOf(runs: readonly Run[]): readonly Candidate[] {
  const articles = runs.filter((run) => isArticle((run[0] as Candidate).kind)).flat();
  return articles.length < FEWEST_ARTICLES ? [] : articles.sort((a, b) => a.start - b.start);
}

/**
 * Leaves out chapters and sections without an article between them: those of a table of contents, which precede all
 * articles, and those of a list in an article.
 */
function withoutLists(runs: readonly Run[]): readonly Run[] {
  const articles = articlesOf(runs);
  const words = runs.flat().sort((a, b) => a.start - b.start);
  const countTo = ({ start }: Candidate) => countWhile(articles, (article) => article.start < start);
  const isHolder = (run: Run) => countTo(run.at(-1) as Candidate) > countTo(run[0] as Candidate);
  const holders = new Set(runs.filter(isHolder).map((run) => (run[0] as Candidate).kind));
  return runs.filter((run) => {
    const [first, last] = [run[0] as Candidate, run.at(-1) as Candidate];
    if (run.length === 1 || !isDivision(run) || isHolder(run) || run.some(({ isMarked }) => isMarked))
      return true;
    if (countTo(last) === articles.length) return true;
    if (holders.has(first.kind)) return countTo(last) > 0;
    return !isArticle(words[countWhile(words, ({ start }) => start < first.start) - 1]?.kind ?? '');
  });
}

/**
 * Leaves out what is numbered within articles: in a text with articles, numbers without a word are headings only
 * immediately above one with a word, outside of articles, or if they begin with the number of the heading above them.
 */
function withoutParagraphs(candidates: readonly Candidate[], runs: readonly Run[]): readonly Candidate[] {
  if (articlesOf(runs).length === 0) return candidates;
  const words = runs.flat().sort((a, b) => a.start - b.start);
  const leads = ({ start, inkBefore }: Candidate) =>
    words[countWhile(words, (word) => word.start < start)]?.inkBefore === inkBefore;
  const holders = new Set(candidates.filter(leads).map(({ kind }) => kind));
  return candidates.filter((candidate) => {
    const { kind, label, start, isRepealed } = candidate;
    if (leads(candidate)) return !isListMark(kind) || !isRepealed;
    if (isListMark(kind)) return false;
    const above = words[countWhile(words, (word) => word.start < start) - 1];
    return label.depth > 1 || (kind !== '1' && holders.has(kind)) || !isArticle(above?.kind ?? '');
  });
}

/**
 * Those of single numbers, and of pairs of numbers without a word, that lead into a heading, or that a heading leads
 * into.
 */
function leading(
  single: readonly Run[],
  candidates: readonly Candidate[],
  known: ReadonlySet<number>,
): readonly Run[] {
  const places = new Map(candidates.map(({ start }, index) => [start, index]));
  const isKnown = (candidate: Candidate | undefined) => candidate !== undefined && known.has(candidate.start);
  return single.filter((run) => {
    const [first] = run as readonly [Candidate];
    if (!isFirst(first) || run.length !== (isBare(run) ? 2 : 1)) return false;
    if (isBare(run) && (isListMark(first.kind) || first.kind === '1')) return false;
    const at = places.get(first.start) as number;
    let before = at - 1;
    while (candidates[before]?.start === first.start) before--;
    if (!first.isAfterText && isKnown(candidates[before])) return true;
    let after = at + 1;
    while (candidates[after]?.start === first.start) after++;
    const next = candidates[after];
    return next !== undefined && !next.isAfterText && isKnown(next);
  });
}

function isBare(run: Run): boolean {
  return (run[0] as Candidate).label.isBare;
}

/** How many members a sequence needs in a text that has no longer one of its family. */
function fewest(run: Run): number {
  if (run.some(({ isMarked }) => isMarked)) return 1;
  if (!isBare(run)) return 2;
  if (isListMark((run[0] as Candidate).kind) && textOf(run) < LONG * run.length)
    return Number.POSITIVE_INFINITY;
  return run.some(({ label }) => label.depth > 1) ? 2 : 3;
}

/** Characters between the marks of a list that is not one. */
const LONG = 200;

/** Characters between the first and the last member of a sequence. */
function textOf(run: Run): number {
  return (run.at(-1) as Candidate).inkBefore - (run[0] as Candidate).inkBefore;
}

/** An annex, which is often the only one. */
function isAlone(run: Run): boolean {
  const { kind, name, label } = run[0] as Candidate;
  const isFree = (run[0] as Candidate).isAfterText;
  return (
    isAnnex(kind) &&
    isFree &&
    isFirst(run[0] as Candidate) &&
    (!/^\p{L}+$/u.test(name.slice(0, label.end)) || /^[^\p{Ll}]+(?!\p{L})/u.test(name))
  );
}

function chain(members: readonly Candidate[]): Candidate[][] {
  const runs: Candidate[][] = [];
  // Sequences that a later one interrupts, such as a list.
  let outer: Candidate[][] = [];
  let run: Candidate[] = [];
  members.forEach((candidate, index) => {
    const last = run.at(-1);
    const next = members[index + 1];
    const goesOn =
      last !== undefined &&
      follows(last, candidate) &&
      (candidate.label.depth > last.label.depth || !isEarly(last, candidate, next));
    if (
      goesOn ||
      (last !== undefined && isAppendix(last, candidate, members, index)) ||
      (last !== undefined && skips(last, candidate, members, index))
    ) {
      run.push(candidate);
      return;
    }
    const { isBare, depth } = candidate.label;
    const resumed =
      isBare && depth === 1 ? -1 : outer.findLastIndex((one) => follows(one.at(-1) as Candidate, candidate));
    if (resumed !== -1) {
      run = outer[resumed] as Candidate[];
      outer = outer.slice(0, resumed);
      run.push(candidate);
    } else if (begins(last, candidate, members, index)) {
      if (last !== undefined) outer = [...outer.slice(-MOST_OUTER), run];
      run = [candidate];
      runs.push(run);
    }
  });
  return runs;
}

/** Whether a number only refers to a section: the next decimal number goes on the last one, but not this one. */
function isEarly(last: Candidate, candidate: Candidate, next: Candidate | undefined): boolean {
  return (
    next?.label.isBare === true && next.label.depth > 1 && follows(last, next) && !follows(candidate, next)
  );
}

/** Whether a letter goes on decimal numbers: A after 12, if there is an A.1 or B.1 and no 13. */
function isAppendix(
  last: Candidate,
  candidate: Candidate,
  members: readonly Candidate[],
  index: number,
): boolean {
  if (candidate.label.numbers[0] !== LETTERS + 1 || isLettered(last)) return false;
  const later = members.slice(index + 1, index + 1 + AHEAD);
  return (
    later.some((other) => isLettered(other) && other.label.depth > 1) &&
    !later.some((other) => !isLettered(other) && isAfter(other, last))
  );
}

function isLettered({ label: { isBare, numbers } }: Candidate): boolean {
  return isBare && (numbers[0] as number) > LETTERS;
}

/** The next members of a family up to where one begins again. */
function sameSequence(members: readonly Candidate[], index: number): readonly Candidate[] {
  const ahead = members.slice(index + 1, index + 1 + AHEAD);
  const end = ahead.findIndex((other) => isFirst(other));
  return end === -1 ? ahead : ahead.slice(0, end + 1);
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
  const [from = 0, to = 0] = [before[at], after[at]];
  const isFree = from > CAPITALS !== to > CAPITALS || (from > CAPITALS && to > from);
  if (at >= after.length) return isFree ? 1 : 0;
  const step = isFree ? 1 : to - from;
  if (step <= 0) return 0;
  const further = after.slice(at + 1);
  // A decimal number needs the one that it begins with.
  if (isBare && further.length > 0) return Number.POSITIVE_INFINITY;
  return further.every((number) => number === 1 || number > CAPITALS) ? step : Number.POSITIVE_INFINITY;
}

/** Whether a number is after another one. */
export function isAfter({ label }: Candidate, { label: before }: Candidate): boolean {
  return stepOf(before.numbers, label.numbers, label.isBare) > 0;
}

/** Whether a number after a gap goes on a sequence: the numbers in the gap do not come later. */
function skips(last: Candidate, candidate: Candidate, members: readonly Candidate[], index: number): boolean {
  const { isBare } = candidate.label;
  if (isLettered(candidate)) return false;
  const step = stepOf(last.label.through, candidate.label.numbers, isBare);
  if (step === 0 || (isBare && step > 2)) return false;
  const later = sameSequence(members, index);
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
  if (isLettered(candidate)) return false;
  const later = members.slice(index + 1, index + 1 + AHEAD);
  const next = later.findIndex((other) => follows(candidate, other));
  if (last !== undefined && !restarts(last, candidate, later[0])) {
    const goesOn = later.findIndex((other) => follows(last, other));
    if (goesOn !== -1 && (next === -1 || goesOn < next || !isFirst(candidate))) return false;
  }
  if (isFirst(candidate) || candidate.isMarked) return true;
  // A text may be part of a larger one, and what begins a section may be repealed.
  if (last === undefined && rises(candidate, later)) return true;
  if (next !== 0 || candidate.label.isBare) return false;
  return last !== undefined || (later[1] !== undefined && follows(later[0] as Candidate, later[1]));
}

/** Whether a chapter or section is the first of a further sequence, whose next number is not that of the last one. */
function restarts(last: Candidate, candidate: Candidate, next: Candidate | undefined): boolean {
  if (next === undefined || !isDivision([candidate]) || !isFirst(candidate)) return false;
  return isAfter(next, candidate) && !isAfter(next, last);
}

/** Whether articles follow each other from here on, or, in a code with numbers such as L121-2, rise with gaps. */
function rises(candidate: Candidate, later: readonly Candidate[]): boolean {
  const next = [candidate, ...later.slice(0, 3)];
  const isCode = next.every(({ label }) => label.numbers.length > 1);
  return (
    next.length > 3 &&
    next.every(({ kind }) => isArticle(kind)) &&
    next
      .slice(1)
      .every((one, at) =>
        isCode ? isAfter(one, next[at] as Candidate) : follows(next[at] as Candidate, one),
      )
  );
}

/** Whether a number is the first of its kind, or below the number of the heading above it. */
function isFirst({ label: { numbers, depth, isBare }, under }: Candidate): boolean {
  if (depth === 1 || !isBare) {
    if (numbers.every((number) => number <= 1)) return true;
    if (depth === 1) return false;
  }
  const above = under.map((number) => number % LETTERS);
  return numbers.at(-1) === 1 && above.length > 0 && numbers.slice(0, -1).join() === above.join();
}

/** Whether most members of a sequence have text before the next one, as those of lists and tables of contents do not. */
function hasText(run: Run): boolean {
  let empty = 0;
  let filled = 0;
  for (let at = 1; at < run.length; at++) {
    const [before, after] = [run[at - 1] as Candidate, run[at] as Candidate];
    if (before.isMarked || before.isRepealed) continue;
    if (after.label.depth > before.label.depth) continue;
    const isFilled =
      isBare(run) && run.length > 2
        ? after.sentencesBefore > before.sentencesBefore
        : after.inkBefore > before.inkBefore;
    if (isFilled) filled++;
    else empty++;
  }
  return filled >= empty;
}
