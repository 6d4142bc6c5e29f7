import {
  type ChunkContext,
  type CutFinder,
  countUpTo,
  cutAtCodePoints,
  cutAtDelimiters,
  cutAtOffsets,
  cutAtTokens,
  cutAtWhiteSpace,
  cutAtWordSigns,
  type Span,
} from '../../../core/kit.ts';
import { cutAtClauseEnds, cutAtSentenceEnds } from '../../toolkit/prose/index.ts';
import { CDATA, CDATA_END, CDATA_START, CLOSING, localName, OPENING, XmlReader } from './structure/syntax.ts';

/** Cuts a stretch without boundaries into chunks of at most `size` tokens. */
export type Divide = (start: number, end: number, size: number) => readonly Span[];

const SENTENCES = ['. ', '! ', '? ', '.\n', '!\n', '?\n', '.\r\n', '!\r\n', '?\r\n'];
const CLAUSES = [', ', '; ', ': ', ' - ', ' – ', ' — '];
/** Elements whose text is code: cut between lines, not sentences. */
const CODE = new Set(
  'programlisting screen literallayout synopsis codeblock pre code eg script style sourcecode artwork'.split(
    ' ',
  ),
);

/**
 * Creates what divides the stretches of a text: after sentences, lines, clauses and words, and between elements. An
 * element, a tag, a comment, a section of CDATA or a reference that fits is never cut.
 */
export function prepareDivide() {
  const cutAtLines = cutAtDelimiters(['\r\n', '\n', '\r']);
  const prose = [
    cutAtDelimiters(['\n\n', '\r\n\r\n']),
    cutAtSentenceEnds(SENTENCES),
    cutAtLines,
    cutAtClauseEnds(CLAUSES),
    cutAtWhiteSpace,
  ];
  const code = [cutAtLines, cutAtWhiteSpace];
  return (text: string, { tokens, divide }: ChunkContext): Divide => {
    const betweenTokens = cutAtTokens(tokens);
    return (start, end, size) => {
      const count = (from: number, to: number) => tokens.count(start + from, start + to);
      const { wholes, isCode } = findWholes(text.slice(start, end), size, count);
      const starts = wholes.map((whole) => start + whole.start);
      const ends = wholes.map((whole) => start + whole.end);
      const beside = cutAtOffsets([...starts, ...ends].sort((one, other) => one - other));
      const finders = [...(isCode ? code : prose), beside, cutAtWordSigns, betweenTokens, cutAtCodePoints];
      const sparing = finders.map(
        (find): CutFinder =>
          (...range) =>
            outside(find(...range), range[1], starts, ends),
      );
      return divide({ start, end }, sparing, { size, introductions: false });
    };
  };
}

/** The cuts that do not lie within stretches. */
function outside(
  cuts: readonly number[],
  from: number,
  starts: readonly number[],
  ends: readonly number[],
): number[] {
  let next = countUpTo(ends, from);
  const kept: number[] = [];
  for (const cut of cuts) {
    while ((ends[next] ?? Number.POSITIVE_INFINITY) <= cut) next++;
    if ((starts[next] ?? Number.POSITIVE_INFINITY) >= cut) kept.push(cut);
  }
  return kept;
}

/** Something in a stretch that is kept whole if it fits: an element, or a tag, a comment, a section and the like. */
interface Part {
  readonly start: number;
  end: number;
  /** Tokens before it and until its end, each text and each tag counted alone. */
  readonly before: number;
  until: number;
  readonly isElement: boolean;
}

type Count = (from: number, to: number) => number;

/** Maximum counts of elements within each other that are only a little too large by their parts. */
const MAX_COUNTS = 8;

interface Wholes {
  /** In the order of the text, none within another one. */
  readonly wholes: readonly Span[];
  readonly isCode: boolean;
}

/** What is kept whole in a stretch: the outermost elements that fit, and other markup and references that fit. */
function findWholes(xml: string, size: number, count: Count): Wholes {
  const { parts, isCode } = findParts(xml, count);
  const wholes: Span[] = [];
  const fits = (start: number, end: number) => end - start <= size || count(start, end) <= size;
  let behind = 0;
  let counts = 0;
  for (const { start, end, before, until, isElement } of parts) {
    if (start < behind) continue;
    const sum = until - before;
    const isNear = sum > size && sum <= 1.25 * size + 2 && counts < MAX_COUNTS;
    if (isNear) counts++;
    const isWhole = sum <= size || (isNear && count(start, end) <= size);
    if (isElement && !isWhole) continue;
    addReferences(wholes, xml, behind, start, fits);
    if (isWhole) wholes.push({ start, end });
    else addPieces(wholes, xml, start, end, fits);
    behind = end;
    counts = 0;
  }
  addReferences(wholes, xml, behind, xml.length, fits);
  return { wholes, isCode };
}

/** The parts of a stretch by their starts: elements before their tags, and before what is in them. */
function findParts(xml: string, count: Count): { readonly parts: readonly Part[]; readonly isCode: boolean } {
  const parts: Part[] = [];
  const open = new Map<string, Part[]>();
  const reader = new XmlReader(xml);
  let isCode = false;
  let total = 0;
  let behind = 0;
  for (; reader.read(); behind = reader.end) {
    const { kind, name, start, end } = reader;
    if (start > behind) total += count(behind, start);
    isCode ||= kind === CDATA || (kind === OPENING && CODE.has(localName(name)));
    if (kind === OPENING) {
      const element = { start, end, before: total, until: Number.POSITIVE_INFINITY, isElement: true };
      parts.push(element);
      const namesakes = open.get(name);
      if (namesakes === undefined) open.set(name, [element]);
      else namesakes.push(element);
    }
    const before = total;
    total += count(start, end);
    parts.push({ start, end, before, until: total, isElement: false });
    const element = kind === CLOSING ? open.get(name)?.pop() : undefined;
    if (element !== undefined) {
      element.end = end;
      element.until = total;
    }
  }
  return { parts, isCode };
}

type Fits = (start: number, end: number) => boolean;

/** What is kept whole in markup that is too large: the marks of a section, and references. */
function addPieces(wholes: Span[], xml: string, start: number, end: number, fits: Fits): void {
  if (!xml.startsWith(CDATA_START, start)) {
    addReferences(wholes, xml, start, end, fits);
    return;
  }
  const [inner, innerEnd] = [start + CDATA_START.length, end - CDATA_END.length];
  if (fits(start, inner)) wholes.push({ start, end: inner });
  if (fits(innerEnd, end)) wholes.push({ start: innerEnd, end });
}

const REFERENCE = /&(?:#\d{1,9}|#x[\da-fA-F]{1,9}|[A-Za-z_:][\w.:-]{0,63});/g;

function addReferences(wholes: Span[], xml: string, from: number, to: number, fits: Fits): void {
  const part = xml.slice(from, to);
  if (!part.includes('&')) return;
  for (const { index, 0: reference } of part.matchAll(REFERENCE)) {
    const start = from + index;
    const end = start + reference.length;
    if (fits(start, end)) wholes.push({ start, end });
  }
}
