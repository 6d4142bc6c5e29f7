import { splitsCodePoint } from '../../../../core/kit.ts';

interface Run {
  readonly mark: string;
  readonly piece: number;
  readonly length: number;
  readonly opens: boolean;
  readonly closes: boolean;
  left: number;
  before: Run | undefined;
  after: Run | undefined;
}

/** Strikethrough has at most two tildes. */
const MAX_TILDES = 2;

/** Matches delimiter runs as CommonMark does ("process emphasis"), and removes matched marks from the pieces. */
export class Delimiters {
  readonly #source: string;
  readonly #pieces: string[];
  #last: Run | undefined;
  count = 0;

  constructor(source: string, pieces: string[]) {
    this.#source = source;
    this.#pieces = pieces;
  }

  /** Reads the run at an offset. @returns the end of the run */
  read(at: number): number {
    const source = this.#source;
    const mark = source.charAt(at);
    let end = at + 1;
    while (source[end] === mark) end++;
    const length = end - at;
    const { opens, closes } = flanksOf(source, at, end);
    if ((opens || closes) && (mark !== '~' || length <= MAX_TILDES)) {
      const before = this.#last;
      const piece = this.#pieces.length;
      const run = { mark, piece, length, opens, closes, left: length, before, after: undefined };
      if (before !== undefined) before.after = run;
      this.#last = run;
      this.count++;
    }
    this.#pieces.push(source.slice(at, end));
    return end;
  }

  /** Matches the open runs except the first `kept` of them, and drops runs without a match. */
  match(kept: number): void {
    let first = this.#last;
    for (let index = this.count - 1; index > kept; index--) first = first?.before;
    if (this.count <= kept) return;
    const bottom = first?.before;
    /** For each kind of closing run, the run at which the search for an opening run stops. */
    const floors = new Map<string, Run | undefined>();
    let closer = first;
    while (closer !== undefined) {
      const kind = kindOf(closer);
      const floor = floors.has(kind) ? floors.get(kind) : bottom;
      const opener = closer.closes ? openerOf(closer, floor, bottom) : undefined;
      if (opener !== undefined) closer = this.#pair(opener, closer);
      else {
        if (closer.closes) floors.set(kind, closer.before);
        closer = closer.after;
      }
    }
    this.#last = bottom;
    if (bottom !== undefined) bottom.after = undefined;
    this.count = kept;
  }

  /** @returns the next run that may be a closing run */
  #pair(opener: Run, closer: Run): Run | undefined {
    const marks = closer.mark === '~' ? closer.left : Math.min(opener.left, closer.left, 2);
    opener.left -= marks;
    closer.left -= marks;
    this.#pieces[opener.piece] = opener.mark.repeat(opener.left);
    this.#pieces[closer.piece] = closer.mark.repeat(closer.left);
    const before = opener.left > 0 ? opener : opener.before;
    closer.before = before;
    if (before !== undefined) before.after = closer;
    if (closer.left > 0) return closer;
    const { after } = closer;
    if (before !== undefined) before.after = after;
    if (after !== undefined) after.before = before;
    return after;
  }
}

function kindOf({ mark, opens, length, left }: Run): string {
  return mark === '~' ? `~${left}` : `${mark}${opens}${length % 3}`;
}

function openerOf(closer: Run, floor: Run | undefined, bottom: Run | undefined): Run | undefined {
  let run = closer.before;
  while (run !== undefined && run !== floor && run !== bottom && !matches(run, closer)) run = run.before;
  return run === floor || run === bottom ? undefined : run;
}

function matches(opener: Run, closer: Run): boolean {
  if (opener.mark !== closer.mark || !opener.opens) return false;
  if (closer.mark === '~') return opener.left === closer.left;
  const isAmbiguous = opener.closes || closer.opens;
  const isThird = (opener.length + closer.length) % 3 === 0;
  return !isAmbiguous || !isThird || (opener.length % 3 === 0 && closer.length % 3 === 0);
}

const PUNCTUATION = /[\p{P}\p{S}]/u;
/** In scripts without spaces between words, punctuation next to a delimiter run is ignored. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

function flanksOf(source: string, start: number, end: number): { opens: boolean; closes: boolean } {
  const before = characterBefore(source, start);
  const after = characterAt(source, end);
  const isSpaceBefore = before.trim() === '';
  const isSpaceAfter = after.trim() === '';
  const isMarkBefore = PUNCTUATION.test(before);
  const isMarkAfter = PUNCTUATION.test(after);
  const isWordly = source[start] === '_';
  const isFreeBefore = isSpaceBefore || isMarkBefore || (!isWordly && UNSPACED.test(before));
  const isFreeAfter = isSpaceAfter || isMarkAfter || (!isWordly && UNSPACED.test(after));
  const isLeft = !isSpaceAfter && (!isMarkAfter || isFreeBefore);
  const isRight = !isSpaceBefore && (!isMarkBefore || isFreeAfter);
  if (!isWordly) return { opens: isLeft, closes: isRight };
  return { opens: isLeft && (!isRight || isMarkBefore), closes: isRight && (!isLeft || isMarkAfter) };
}

function characterAt(source: string, at: number): string {
  return source.slice(at, at + (splitsCodePoint(source, at + 1) ? 2 : 1));
}

function characterBefore(source: string, at: number): string {
  return at === 0 ? '' : source.slice(at - (splitsCodePoint(source, at - 1) ? 2 : 1), at);
}
