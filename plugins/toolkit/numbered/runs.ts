import { countWhile } from '../../../core/engine/search.ts';
import type { Candidate } from './candidates.ts';
import { isAnnex, isArticle, isDivision, isListMark } from './kinds.ts';
import { chain, isFirst, type Run } from './sequences.ts';

export interface Runs {
  readonly runs: readonly Run[];
  /** Sequences of numbers with a word that have no text between their members. They may be tables of contents. */
  readonly empty: readonly Run[];
}

/**
 * Finds the sequences of headings among candidates (see `chain`). Sequences without text between their members, such
 * as lists and tables of contents, are not sequences of headings.
 */
export function findRuns(candidates: readonly Candidate[]): Runs {
  const bare = candidates.filter(({ label }) => label.isBare);
  const { runs, single, empty } = collect(candidates.filter(({ label }) => !label.isBare));
  const words = withoutLists(withoutReferences(runs, bare));
  const numbers = collect(withoutParagraphs(bare, words));
  const all = [...words, ...numbers.runs];
  return { runs: [...all, ...leading([...single, ...numbers.single], candidates, all)], empty };
}

interface Collected extends Runs {
  /** Sequences that are accepted as headings only next to another heading. */
  readonly single: readonly Run[];
}

function collect(candidates: readonly Candidate[]): Collected {
  const runs: Run[] = [];
  const single: Run[] = [];
  const empty: Run[] = [];
  for (const members of Map.groupBy(candidates, ({ label }) => label.family).values()) {
    const all = chain(members);
    const filled = all.filter(hasText);
    const isKnown = filled.some((run) => run.length >= minimumLength(run));
    const isWritten = filled.some((run) => !isCell(run));
    for (const run of filled)
      if (isWritten && isCell(run)) single.push(run);
      else if (run.length >= minimumLength(run) || (isKnown && canBeShort(run)) || isAlone(run))
        runs.push(run);
      else single.push(run);
    if (isKnown) empty.push(...all.filter((run) => isDivision((run[0] as Candidate).kind) && !hasText(run)));
  }
  return { runs, single, empty };
}

/** Whether a sequence is a column of a table: most of its articles have almost no text. */
function isCell(run: Run): boolean {
  const { kind } = run[0] as Candidate;
  if (!isArticle(kind) && !(isAnnex(kind) && run.length > 1)) return false;
  const filled = run.filter((one, at) => one.isRepealed || textOf(run.slice(at, at + 2)) >= CELL);
  return filled.length * 2 < run.length;
}

const CELL = 5;

/** Drops references such as `Section 2.1` if the text has sections with these numbers but without a word. */
function withoutReferences(runs: readonly Run[], bare: readonly Candidate[]): readonly Run[] {
  const isDecimal = (run: Run) => run.some(({ name }) => /^(?:\p{L}+|§+)\s\d+\.\d/u.test(name));
  if (!runs.some(isDecimal)) return runs;
  const sections = new Set(
    collect(bare).runs.flatMap((run) => run.map(({ label }) => label.numbers.join('.'))),
  );
  return runs.filter(
    (run) => !isDecimal(run) || !run.every(({ label }) => sections.has(label.numbers.join('.'))),
  );
}

const MIN_ARTICLES = 3;

function articlesOf(runs: readonly Run[]): readonly Candidate[] {
  const articles = runs.filter((run) => isArticle((run[0] as Candidate).kind)).flat();
  return articles.length < MIN_ARTICLES ? [] : articles.sort((a, b) => a.start - b.start);
}

/** Drops sequences of chapters or sections that contain no article: tables of contents and lists. */
function withoutLists(runs: readonly Run[]): readonly Run[] {
  const articles = articlesOf(runs);
  const words = runs.flat().sort((a, b) => a.start - b.start);
  const countTo = ({ start }: Candidate) => countWhile(articles, (article) => article.start < start);
  const isHolder = (run: Run) => countTo(run.at(-1) as Candidate) > countTo(run[0] as Candidate);
  const holders = new Set(runs.filter(isHolder).map((run) => (run[0] as Candidate).kind));
  return runs.filter((run) => {
    const first = run[0] as Candidate;
    const last = run.at(-1) as Candidate;
    if (run.length === 1 || !isDivision(first.kind) || run.some(({ isMarked }) => isMarked)) return true;
    if (isHolder(run) || countTo(last) === articles.length) return true;
    if (holders.has(first.kind)) return countTo(last) > 0;
    return !isArticle(words[countWhile(words, ({ start }) => start < first.start) - 1]?.kind ?? '');
  });
}

/**
 * Drops numbered paragraphs within articles. In a text with articles, a number without a word is kept in two cases:
 * it has several levels, or it is outside of articles or directly above a number with a word.
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

function leading(
  single: readonly Run[],
  candidates: readonly Candidate[],
  accepted: readonly Run[],
): readonly Run[] {
  const known = new Set(accepted.flatMap((run) => run.map(({ start }) => start)));
  const indexes = new Map(candidates.map(({ start }, index) => [start, index]));
  const isKnown = (candidate: Candidate | undefined) => candidate !== undefined && known.has(candidate.start);
  const leads = ({ start }: Candidate) => {
    let after = (indexes.get(start) as number) + 1;
    while (candidates[after]?.start === start) after++;
    return candidates[after]?.isAfterText === false && isKnown(candidates[after]);
  };
  const isLed = ({ start, isAfterText }: Candidate) => {
    let before = (indexes.get(start) as number) - 1;
    while (candidates[before]?.start === start) before--;
    return !isAfterText && isKnown(candidates[before]);
  };
  // Starts with the last sequence, because a sequence may be accepted only thanks to the heading after it.
  const runs = [...single].sort((a, b) => (b[0] as Candidate).start - (a[0] as Candidate).start);
  return runs.filter((run) => {
    const [first] = run as readonly [Candidate];
    if (!isFirst(first) || run.length !== (isBare(run) ? 2 : 1)) return false;
    const isItem = isBare(run) && (isListMark(first.kind) || first.kind === '1');
    if (isItem ? !run.every(leads) : !isLed(first) && !leads(first)) return false;
    for (const { start } of run) known.add(start);
    return true;
  });
}

function canBeShort(run: Run): boolean {
  const [first] = run as readonly [Candidate];
  return !first.label.isBare || (run.length > 1 && !isListMark(first.kind) && isFirst(first));
}

function isBare(run: Run): boolean {
  return (run[0] as Candidate).label.isBare;
}

function minimumLength(run: Run): number {
  if (run.some(({ isMarked }) => isMarked)) return 1;
  if (!isBare(run)) return 2;
  if (isListMark((run[0] as Candidate).kind) && textOf(run) < LONG * run.length)
    return Number.POSITIVE_INFINITY;
  return run.some(({ label }) => label.depth > 1) ? 2 : 3;
}

/** A sequence with a higher mean number of characters between its numbers is not a list. */
const LONG = 200;

function textOf(run: Run): number {
  return (run.at(-1) as Candidate).inkBefore - (run[0] as Candidate).inkBefore;
}

/** Whether a sequence is an annex. A text may have only one annex. */
function isAlone(run: Run): boolean {
  const [first] = run as readonly [Candidate];
  const { kind, name, label, isAfterText } = first;
  if (!isAnnex(kind) || !isAfterText || !isFirst(first)) return false;
  const hasNumber = !/^\p{L}+$/u.test(name.slice(0, label.end));
  return hasNumber || /^[^\p{Ll}]+(?!\p{L})/u.test(name);
}

function hasText(run: Run): boolean {
  let empty = 0;
  let filled = 0;
  // Members with a single level may be rows of a table, so text between them must contain sentences.
  const isFlat = isBare(run) && run.length > 2 && run.every(({ label }) => label.depth === 1);
  for (let at = 1; at < run.length; at++) {
    const before = run[at - 1] as Candidate;
    const after = run[at] as Candidate;
    if (before.isMarked || before.isRepealed) continue;
    if (after.label.depth > before.label.depth) continue;
    const isFilled = isFlat
      ? after.sentencesBefore > before.sentencesBefore
      : after.inkBefore > before.inkBefore;
    if (isFilled) filled++;
    else empty++;
  }
  return filled >= empty;
}
