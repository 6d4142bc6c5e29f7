import type { Span } from '../../../core/contracts/chunk.ts';
import { isArticle, isListMark } from './kinds.ts';
import { type Label, labelsOf, MAX_READ } from './labels.ts';

/** An open quotation that contains sections, as in acts that amend other acts. */
interface Quote {
  readonly mark: string;
  readonly first: number;
}

/** Lines that may be headings. If they are already marked as a heading, a number at their start is enough. */
export interface HeadingLines extends Span {
  readonly isMarked?: boolean;
}

export interface Candidate extends Span {
  readonly label: Label;
  readonly kind: string;
  readonly name: string;
  readonly isMarked: boolean;
  readonly isRepealed: boolean;
  /** Number of characters in the lines before this one, excluding headings. */
  readonly inkBefore: number;
  /** Number of lines before this one that end like a sentence, excluding headings. */
  readonly sentencesBefore: number;
  readonly isAfterText: boolean;
  /** Numbers of the last earlier candidate of another family. A subsection's number may begin with these numbers. */
  readonly under: readonly number[];
}

interface Line extends Span {
  readonly ink: string;
  readonly inkEnd: number;
  readonly indent: number;
  readonly isMarked: boolean;
  readonly mayBeHeading: boolean;
}

/** Maximum characters of a title: without a word such as `Article`, with a word, and on the line below a number. */
const MAX_TITLE_LENGTH = 160;
const MAX_TITLE_LENGTH_OF_WORD = 300;
const MAX_TITLE_LENGTH_BELOW = 110;
/** Maximum characters of a heading without a word if the next line is not blank. */
const MAX_OPEN = 60;
/** Maximum spaces before a number without a word. Numbers with more spaces are items of a list. */
const MAX_INDENTED = 3;
const TAIL = 60;

const LEADER = /(?:\.\s?){4,}\d*$|…\s*\d+$|[·⋯]{2,}\s*\d*$|(?:\s{3,}|\t)\d{1,4}$/;
const REPEALED =
  /\b(?:weggefallen|aufgehoben|gegenstandslos|zukünftig in Kraft|repealed|reserved|deleted|omitted|abrogée?s?|supprimée?s?|derogado|suprimido|abrogato|soppresso)\b|削除/i;
/** Words that show, after the number of a section, that the line only refers to that section. */
const REFERENCE =
  /^(?:Abs|Absatz|Absätze|Absatzes|Satz|Sätze|Nr|Nrn|Nummer|Nummern|Buchstabe|Halbsatz|Unterabs|Unterabsatz|Alinea|Ziffer|Paragraph|Paragraphs|Subsection|Subsections|Artikel|Section|Article|BGB|GG|StGB|AO|EStG|SGB)(?![\p{L}])(?! ?[-–—])/u;
const PART_OF_ANNEX = /^(?:Abschnitt|Kapitel|Teil|Titel|Chapter|Part|Title)(?![\p{L}])(?! ?[-–—])/u;
const SENTENCE_END = /[.!?:;。！？；：”»"')）\]]/;
const SENTENCE = /[.;:。；：！？!?][)\]”’»"]?$/;
const UNFINISHED = /[,;，；、]$|[^.]\.$|[。！？]$|:$|：$/;

export function readCandidates(text: string, within?: readonly HeadingLines[]): Candidate[] {
  const lines = new Lines(text, within);
  const layout = layoutOf(text);
  const candidates: Candidate[] = [];
  let ink = 0;
  let sentences = 0;
  // Whether a heading may begin: after a blank line, after a heading, or (if blank lines are rare) after a paragraph.
  let isFree = true;
  let quote: Quote | undefined;
  for (let line = lines.read(); line !== undefined; line = lines.read()) {
    if (line.ink === '') {
      isFree = true;
      continue;
    }
    if (isFree && opensQuote(line.ink)) quote = { mark: line.ink.charAt(0), first: candidates.length };
    else if (quote !== undefined && closesQuote(line.ink, quote.mark)) {
      if (candidates.length - quote.first <= MAX_QUOTED) candidates.length = quote.first;
      quote = undefined;
    }
    const fit = line.mayBeHeading && (isFree || line.isMarked) ? labelsIn(line, lines, layout) : [];
    const below = fit[0] !== undefined && fit[0].rest >= line.ink.length ? titleBelow(lines) : undefined;
    if (fit.length === 0) {
      if (!LEADER.test(tail(line.ink)) && !isReference(line.ink)) ink += line.ink.length;
      const next = lines.peek(0)?.ink ?? '';
      if (SENTENCE.test(tail(line.ink))) sentences++;
      const isSentence = !layout.isSpaced && SENTENCE_END.test(line.ink.slice(-1));
      isFree = isSentence || endsParagraph(line.ink, next, layout);
      continue;
    }
    const before = candidates.at(-1);
    for (const label of fit) candidates.push(candidateOf(line, label, below, { ink, sentences }, before));
    if (below !== undefined) lines.skipTo(below);
    else if (isRunIn(line, fit[0] as Label)) {
      ink += line.ink.length;
      sentences++;
    }
    isFree = true;
  }
  return candidates;
}

/** If a quotation has more candidates than this, its closing mark was missed, so the candidates are kept. */
const MAX_QUOTED = 100;
const CLOSING: Readonly<Record<string, string>> = { '‘': '’', '“': '”', '«': '»', '„': '“' };
/** A note below a text. A closing mark at the end of a note does not end a quotation. */
const NOTE = /^\( ?\*|\bp\. ?\d+\W*$/;

function opensQuote(ink: string): boolean {
  const mark = ink.charAt(0);
  if (CLOSING[mark] === undefined || quotesLeft(ink, mark) <= 0) return false;
  const rest = ink.slice(1, MAX_READ).trimStart();
  return rest === '' || labelsOf(rest).some(({ isBare, depth }) => !isBare || depth > 1);
}

function closesQuote(ink: string, mark: string): boolean {
  return /[’”»“]\W*$/.test(tail(ink)) && quotesLeft(ink, mark) < 0 && !NOTE.test(ink);
}

function quotesLeft(ink: string, mark: string): number {
  const isApostrophe = (at: number) => /[\p{L}\d]/u.test(ink.charAt(at + 1));
  let left = 0;
  for (let at = 0; at < ink.length; at++) {
    if (ink[at] === mark) left++;
    else if (ink[at] === CLOSING[mark] && !isApostrophe(at)) left--;
  }
  return left;
}

function candidateOf(
  line: Line,
  label: Label,
  below: Line | undefined,
  { ink, sentences }: { readonly ink: number; readonly sentences: number },
  before: Candidate | undefined,
): Candidate {
  const isRun = isRunIn(line, label);
  const own = isRun ? line.ink.slice(0, label.end) : line.ink;
  return {
    start: line.start,
    end: below?.inkEnd ?? (isRun ? line.start + line.ink.length : line.inkEnd),
    label,
    kind: label.kind,
    name: below === undefined ? own : `${own} ${below.ink}`,
    isMarked: line.isMarked,
    isRepealed: REPEALED.test(line.ink.slice(0, MAX_TITLE_LENGTH)),
    inkBefore: ink,
    sentencesBefore: sentences,
    isAfterText: before === undefined || ink > before.inkBefore,
    under:
      before === undefined ? [] : before.label.family === label.family ? before.under : before.label.numbers,
  };
}

/** A line that begins with the first of several authors: `A. Smith; B. Jones`. */
const AUTHOR = /^\p{Lu}\. \p{Lu}[\p{L}-]+;/u;

function labelsIn(line: Line, lines: Lines, layout: Layout): readonly Label[] {
  const labels = labelsOf(line.ink.slice(0, MAX_READ));
  if (labels.length === 0 || line.isMarked) return labels;
  if ((labels[0] as Label).isBare && line.indent > MAX_INDENTED) return [];
  if (LEADER.test(tail(line.ink))) return [];
  const next = lines.peek(0);
  const goesOn =
    next !== undefined && next.ink !== '' && next.mayBeHeading && !endsParagraph(line.ink, next.ink, layout);
  // If the next line is indented more, both lines are an item of a list.
  if (
    goesOn &&
    (next as Line).indent > line.indent &&
    labels.every(({ isBare, depth }) => isBare && depth === 1)
  )
    return [];
  // A short sentence is a heading if its number is decimal, and a blank line and then ordinary text follow.
  if (
    (labels[0] as Label).depth > 1 &&
    (labels[0] as Label).rest < line.ink.length &&
    line.ink.length <= MAX_OPEN &&
    next?.ink === '' &&
    /[.:]$/.test(line.ink)
  ) {
    const below = lines.peek(1)?.ink ?? '';
    if (/^\p{Lu}/u.test(below) && labelsOf(below.slice(0, MAX_READ)).length === 0) return labels;
  }
  return labels.filter((label) => isHeading(label, line, goesOn ? (next as Line).ink : ''));
}

/** @param next the next line, if it may continue this line; otherwise empty */
function isHeading(label: Label, { ink }: Line, next: string): boolean {
  const rest = ink.slice(label.rest);
  const isWrapped = /^[\p{Ll},;)]/u.test(next) && labelsOf(next.slice(0, MAX_READ)).length === 0;
  if (rest === '') return !isWrapped && (!label.isBare || /^(?:I|一)/.test(label.kind));
  if (label.isBare) {
    // A long line that is followed by another line may be the beginning of a sentence.
    if (isWrapped || (next !== '' && (isListMark(label.kind) || ink.length > MAX_OPEN))) return false;
    if (AUTHOR.test(ink)) return false;
    const isShort = rest.length <= MAX_TITLE_LENGTH;
    // A longer title must be of a subsection or in capitals, and must not contain the end of a sentence.
    if (!isShort && (/[.;]\s/.test(rest) || (label.depth === 1 && /\p{Ll}/u.test(rest)))) return false;
    return isTitle(rest, label.depth > 1) && !UNFINISHED.test(tail(rest));
  }
  if (REPEALED.test(rest.slice(0, MAX_TITLE_LENGTH)) && rest.length < MAX_TITLE_LENGTH) return true;
  if (
    REFERENCE.test(rest) ||
    (!isArticle(label.kind) && PART_OF_ANNEX.test(rest)) ||
    (label.end === label.rest && rest.startsWith('('))
  )
    return false;
  if (label.isDivided || /^[(（]\d{1,2}[a-z]?[)）]\s+\S/.test(rest))
    return isTitle(rest.slice(0, 40), !isArticle(label.kind));
  return !isWrapped && isTitle(rest, /^zu /.test(rest)) && !UNFINISHED.test(tail(rest));
}

function isTitle(words: string, mayBeLower: boolean): boolean {
  if (words.length > MAX_TITLE_LENGTH_OF_WORD || !/\p{L}/u.test(words)) return false;
  return mayBeLower
    ? !/^[,;:.)]/.test(words)
    : /^[\p{Lu}\p{Lo}\d([{"“”„«»‘’'`<?¿¡_*►（【《「\\–-]/u.test(words);
}

/** Whether the text of a section begins on the line of its number. In that case, only the number is the heading. */
function isRunIn({ ink, isMarked }: Line, label: Label): boolean {
  if (isMarked || label.isBare || label.rest >= ink.length) return false;
  const rest = ink.slice(label.rest);
  if (rest.length > MAX_TITLE_LENGTH_OF_WORD || (isArticle(label.kind) && /[，；：。]./.test(rest)))
    return true;
  if (!UNFINISHED.test(tail(rest)) || REPEALED.test(rest)) return false;
  // After a chapter's number, a phrase with a period may be a title; after an article's number, it is text.
  return (
    isArticle(label.kind) ||
    rest.length > MAX_TITLE_LENGTH ||
    /[.!?]\s/.test(rest) ||
    !/[:–—-]/.test(ink.slice(label.end, label.rest))
  );
}

function isReference(ink: string): boolean {
  if (ink.length > MAX_TITLE_LENGTH) return false;
  const cell = ink.replace(/^[—–] ?/, '');
  const [label] = labelsOf(cell);
  return label === undefined ? /^[\d—–]*$/.test(cell) : !label.isBare && !/[.;:]$/.test(cell);
}

/** The title on the line after a number, with or without a blank line between. A title is short and unpunctuated. */
function titleBelow(lines: Lines): Line | undefined {
  const next = lines.peek(0);
  const isApart = next?.ink === '';
  const title = isApart ? lines.peek(1) : next;
  if (
    title === undefined ||
    title.ink === '' ||
    title.isMarked ||
    !title.mayBeHeading ||
    title.ink.length > MAX_TITLE_LENGTH_BELOW
  )
    return undefined;
  if (!isTitle(title.ink, false) || UNFINISHED.test(tail(title.ink))) return undefined;
  if (LEADER.test(tail(title.ink)) || labelsOf(title.ink.slice(0, MAX_READ)).length > 0) return undefined;
  const after = lines.peek(isApart ? 2 : 1)?.ink ?? '';
  const goesOn = isApart ? after !== '' : /^\p{Ll}/u.test(after);
  return goesOn ? undefined : title;
}

function tail(ink: string): string {
  return ink.slice(-TAIL);
}

class Lines {
  readonly #text: string;
  readonly #within: readonly HeadingLines[] | undefined;
  readonly #ahead: Line[] = [];
  #at = 0;
  #range = 0;

  constructor(text: string, within: readonly HeadingLines[] | undefined) {
    this.#text = text;
    this.#within = within;
  }

  read(): Line | undefined {
    return this.#ahead.shift() ?? this.#next();
  }

  /** Returns a later line without reading it. `peek(0)` returns the next line. */
  peek(count: number): Line | undefined {
    while (this.#ahead.length <= count) {
      const line = this.#next();
      if (line === undefined) return undefined;
      this.#ahead.push(line);
    }
    return this.#ahead[count];
  }

  skipTo(line: Line): void {
    while (this.read() !== line);
  }

  #next(): Line | undefined {
    const text = this.#text;
    const start = this.#at;
    if (start >= text.length) return undefined;
    const feed = text.indexOf('\n', start);
    const end = feed === -1 ? text.length : feed;
    this.#at = feed === -1 ? text.length : feed + 1;
    const lines = this.#linesAt(start);
    const line = text.slice(start, end);
    const ink = inkOf(line);
    const indent = line.length - line.trimStart().length;
    const inkEnd = end > start && text.charCodeAt(end - 1) === CARRIAGE_RETURN ? end - 1 : end;
    const isMarked = lines?.isMarked === true;
    // If a marked heading has several lines, only its first line may be a numbered heading.
    const mayBeHeading =
      this.#within === undefined || (lines !== undefined && (!isMarked || lines.start === start));
    return { start, end, ink, inkEnd, indent, isMarked, mayBeHeading };
  }

  #linesAt(offset: number): HeadingLines | undefined {
    const within = this.#within;
    if (within === undefined) return undefined;
    while (this.#range < within.length && (within[this.#range] as HeadingLines).end <= offset) this.#range++;
    const lines = within[this.#range];
    return lines !== undefined && lines.start <= offset ? lines : undefined;
  }
}

const CARRIAGE_RETURN = 13;

function inkOf(line: string): string {
  const ink = line.trim().replace(/^#{1,6}[ \t]+/, '');
  return /^[*_]/.test(ink) ? ink.replace(/^[*_]{1,3}(?=\S)/, '').replace(/[*_]{1,3}$/, '') : ink;
}

interface Layout {
  readonly isSpaced: boolean;
  readonly width: number;
}

/** If at least one in this many lines is blank, a heading must follow a blank line. */
const SPACED = 8;
const SAMPLE = 100_000;
/** In a text with lines wider than this, each line is a whole paragraph. */
const WIDEST = 150;
/** A line ends a paragraph if the line and the next word would fill at most this share of the width. */
const FILLED = 0.85;

function layoutOf(text: string): Layout {
  const lines = text.slice(0, SAMPLE).split('\n');
  const widths = lines.flatMap((line) => (/\S/.test(line) ? [columnsOf(line.trim())] : []));
  const width = widths.sort((a, b) => a - b)[Math.floor(widths.length * 0.95)] ?? 0;
  return { isSpaced: (lines.length - widths.length) * SPACED >= lines.length - 1, width };
}

function endsParagraph(line: string, next: string, { isSpaced, width }: Layout): boolean {
  if (isSpaced) return false;
  if (width > WIDEST) return true;
  const word = /^(?:[\u3000-\uffef]|\S{1,40})/.exec(next)?.[0] ?? '';
  return columnsOf(line) + 1 + columnsOf(word) <= width * FILLED;
}

/** The width of a line in columns. Chinese and Japanese characters are two columns wide. */
function columnsOf(line: string): number {
  return line.length + (line.match(/[\u3000-\uffef]/g)?.length ?? 0);
}
