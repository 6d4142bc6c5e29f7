import type { Candidate } from './candidates.ts';
import { isArticle, isDivision } from './kinds.ts';
import { CAPITALS, LETTERS } from './labels.ts';

export type Run = readonly Candidate[];

const AHEAD = 40;
/** Maximum number of interrupted sequences that are remembered, so that a number may continue one of them. */
const MAX_OUTER = 3;
/** Maximum gap in a sequence that is accepted without looking at the numbers after it. */
const STEP = 5;

/**
 * Divides the candidates of a family into sequences, in which each number follows the previous number. Drops a
 * candidate that would interrupt a sequence if the sequence continues after the candidate.
 */
export function chain(family: readonly Candidate[]): Candidate[][] {
  const members = ofOneForm(family);
  const decimals = nextDecimals(members);
  const runs: Candidate[][] = [];
  let outer: Candidate[][] = [];
  let run: Candidate[] = [];
  members.forEach((candidate, index) => {
    const last = run.at(-1);
    if (last !== undefined && isItem(last, members, index, decimals[index] as number)) return;
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
      if (last !== undefined) outer = [...outer.slice(-MAX_OUTER), run];
      run = [candidate];
      runs.push(run);
    }
  });
  return runs;
}

/** Whether a number is only a reference: the next decimal number continues the last number, but not this one. */
function isEarly(last: Candidate, candidate: Candidate, next: Candidate | undefined): boolean {
  return (
    next?.label.isBare === true && next.label.depth > 1 && follows(last, next) && !follows(candidate, next)
  );
}

/**
 * Whether a number belongs to a list item within a section. If so, the next decimal number continues the last
 * section, but would not continue this number.
 *
 * @param at index of the next number with several levels
 */
function isItem(last: Candidate, members: readonly Candidate[], index: number, at: number): boolean {
  const candidate = members[index] as Candidate;
  const { label, isMarked } = candidate;
  const next = members[at];
  const holder = members[at - 1];
  if (next === undefined || isMarked || !label.isBare || label.depth > 1 || isLettered(candidate))
    return false;
  // A number that directly follows a heading without text between them is not an item.
  if (!candidate.isAfterText && members[index - 1]?.inkBefore !== candidate.inkBefore) return false;
  const [above, second, ...further] = next.label.numbers;
  const isHeld = at - 1 > index && holder?.label.numbers[0] === above;
  if (follows(candidate, next)) return isHeld;
  const isAbove = above === (last.label.numbers[0] as number) + 1 && second === 1 && further.length === 0;
  return (isAbove && last.label.depth > 1) || (follows(last, next) && !isHeld);
}

function nextDecimals(members: readonly Candidate[]): readonly number[] {
  const indexes: number[] = new Array(members.length);
  for (let at = members.length - 1, next = members.length; at >= 0; at--) {
    indexes[at] = next;
    if ((members[at] as Candidate).label.depth > 1) next = at;
  }
  return indexes;
}

/** If all numbers with subsections end in a period, or none does, drops top-level numbers that differ. */
function ofOneForm(family: readonly Candidate[]): readonly Candidate[] {
  const holders = family.filter((one, at) => {
    const next = family[at + 1];
    return one.label.depth === 1 && !isLettered(one) && next?.label.depth === 2 && follows(one, next);
  });
  const closed = holders.filter(isClosed).length;
  if (holders.length === 0 || (closed > 0 && closed < holders.length)) return family;
  return family.filter(
    (one) => one.isMarked || one.label.depth > 1 || isLettered(one) || isClosed(one) === closed > 0,
  );
}

function isClosed({ name, label }: Candidate): boolean {
  return name.charAt(label.end - 1) === '.';
}

/** Whether the letter A continues decimal sections as an appendix: A.1 or B.1 follows, but no further section. */
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

function sameSequence(members: readonly Candidate[], index: number): readonly Candidate[] {
  const ahead = members.slice(index + 1, index + 1 + AHEAD);
  const end = ahead.findIndex((other) => isFirst(other));
  return end === -1 ? ahead : ahead.slice(0, end + 1);
}

/** Whether a number directly follows another: 2.2 or 3 after 2.1, 12a or 13 after 12, 2.1.1 after 2.1. */
function follows({ label: before }: Candidate, { label }: Candidate): boolean {
  return stepOf(before.through, label.numbers, label.isBare) === 1;
}

/**
 * The distance from one number to a later one at the first level where they differ. 0 if `after` is not later;
 * infinite if its further levels do not begin with 1.
 */
function stepOf(before: readonly number[], after: readonly number[], isBare: boolean): number {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at++;
  const from = before[at] ?? 0;
  const to = after[at] ?? 0;
  const isFree =
    from > CAPITALS !== to > CAPITALS ||
    (from > CAPITALS && to > from) ||
    (!isBare && at > 0 && after[at] === 0);
  if (at >= after.length) return isFree ? 1 : 0;
  const step = isFree ? 1 : to - from;
  if (step <= 0) return 0;
  const further = after.slice(at + 1);
  // Without a word, 3.1 cannot follow 2: the number 3 is missing.
  if (isBare && further.length > 0) return Number.POSITIVE_INFINITY;
  return further.every((number) => number === 1 || number > CAPITALS) ? step : Number.POSITIVE_INFINITY;
}

export function isAfter({ label }: Candidate, { label: before }: Candidate): boolean {
  return stepOf(before.numbers, label.numbers, label.isBare) > 0;
}

/** Whether a number continues a sequence after a gap. The missing numbers must not occur later. */
function skips(last: Candidate, candidate: Candidate, members: readonly Candidate[], index: number): boolean {
  const { isBare, isDivided } = candidate.label;
  if (isLettered(candidate)) return false;
  const isLoose = !isBare || isDivided;
  const step = stepOf(last.label.through, candidate.label.numbers, isBare);
  // Without a word, large gaps are refused: a letter may be a Roman number of another sequence.
  if (step === 0 || (isBare && step > (isDivided ? STEP : 2))) return false;
  const later = sameSequence(members, index);
  if (later.some((other) => follows(last, other) && !isAfter(other, candidate))) return false;
  if (later.some((other) => follows(candidate, other))) return true;
  const next = later[0];
  return isLoose && (step <= STEP || next === undefined || isAfter(next, candidate) || isFirst(next));
}

/** Whether a number begins a sequence: it is the first, or its successors follow and the last sequence is over. */
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
  // Articles may begin at any number: the text may be an excerpt, or the first articles may be repealed.
  if (last === undefined && rises(candidate, later)) return true;
  const { isBare, depth, numbers } = candidate.label;
  // Subsections may begin without their section, because the line of the section may be missing.
  const goOn = later[1] !== undefined && follows(later[0] as Candidate, later[1]);
  if (isBare) return next === 0 && goOn && depth > 1 && numbers.at(-1) === 1;
  if (next !== 0) return false;
  return last !== undefined || goOn;
}

/** Whether a chapter or section begins a new sequence: the next number continues it, but not the last sequence. */
function restarts(last: Candidate, candidate: Candidate, next: Candidate | undefined): boolean {
  if (next === undefined || !isDivision(candidate.kind) || !isFirst(candidate)) return false;
  return isAfter(next, candidate) && !isAfter(next, last);
}

/** Whether the next articles are consecutive. In a code with numbers such as L121-2, rising numbers are enough. */
function rises(candidate: Candidate, later: readonly Candidate[]): boolean {
  const next = [candidate, ...later.slice(0, 3)];
  const isCode = next.every(({ label }) => label.numbers.length > 1);
  const isInOrder = (one: Candidate, at: number) =>
    isCode ? isAfter(one, next[at] as Candidate) : follows(next[at] as Candidate, one);
  return next.length > 3 && next.every(({ kind }) => isArticle(kind)) && next.slice(1).every(isInOrder);
}

/** Whether a number is the first of its kind, or the first below its heading. */
export function isFirst({ label: { numbers, depth, isBare }, under }: Candidate): boolean {
  if (depth === 1 || !isBare) {
    if (numbers.every((number) => number <= 1)) return true;
    if (depth === 1) return false;
  }
  const above = under.map((number) => number % LETTERS);
  return numbers.at(-1) === 1 && above.length > 0 && numbers.slice(0, -1).join() === above.join();
}
