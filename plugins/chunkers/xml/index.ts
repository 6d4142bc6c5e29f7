import {
  type Carried,
  type ChunkContext,
  type Chunker,
  cutAtCodePoints,
  cutAtOffsets,
  cutAtTokens,
  cutAtWordSigns,
  type Factory,
  type Span,
  withFields,
} from '../../../core/kit.ts';
import { headingPaths } from '../../toolkit/heading-paths.ts';
import { createTextFinders, sparing } from '../../toolkit/markup-cuts.ts';
import type manifest from './manifest.ts';
import type { XmlOptions } from './manifest.ts';
import { findStructure } from './structure/find-structure.ts';
import {
  CDATA,
  CDATA_END,
  CDATA_START,
  CLOSING,
  localName,
  OPENING,
  wordsIn,
  XmlReader,
} from './structure/syntax.ts';

/** Cuts XML between its elements; every chunk is a slice of the source. */
const createXmlChunker: Factory<typeof manifest> = (): Chunker<XmlOptions> => {
  const dividerOf = createDivider();
  return {
    chunk(text, { carry, ...rules }, context) {
      const { edges, headings, tree } = findStructure(text);
      const outline = edges.outline(text.length, rules.chunk_size, context.tokens);
      const paths = headingPaths(headings);
      const divide = dividerOf(text, context);
      const carries = carry.includes('headings');
      const carriedAt = (start: number): Carried | undefined =>
        carries ? { path: paths.above(start) } : undefined;
      return context.packStructure({ outline, carriedAt, divide }, rules).map((span): Span => {
        const { start, end } = span;
        const { xpath, elements } = tree.locate(start, end);
        const heading_path = paths.within(start, end);
        const fields = elements === undefined ? { xpath, heading_path } : { xpath, elements, heading_path };
        return withFields(span, { ...fields, ...span.extra });
      });
    },
  };
};

export default createXmlChunker;

/**
 * Divides stretches that contain no boundary: after sentences, lines, clauses and words, and between elements.
 * Elements, other markup and references that fit are never cut.
 */
function createDivider() {
  const { prose, code } = createTextFinders([]);
  return (text: string, { tokens, divide }: ChunkContext) => {
    const betweenTokens = cutAtTokens(tokens);
    return (start: number, end: number, size: number): readonly Span[] => {
      const count = (from: number, to: number) => tokens.count(start + from, start + to);
      const { wholes, isCode } = findWholes(text.slice(start, end), size, count);
      const starts = wholes.map((whole) => start + whole.start);
      const ends = wholes.map((whole) => start + whole.end);
      const beside = cutAtOffsets([...starts, ...ends].sort((a, b) => a - b));
      const finders = [...(isCode ? code : prose), beside, cutAtWordSigns, betweenTokens, cutAtCodePoints];
      return divide(
        { start, end },
        finders.map((find) => sparing(find, starts, ends)),
        { size, introductions: false },
      );
    };
  };
}

/** Elements whose text is code, which is cut between lines instead of sentences. */
const CODE = wordsIn(
  'programlisting screen literallayout synopsis codeblock pre code eg script style sourcecode artwork',
);

interface Part {
  readonly start: number;
  end: number;
  /** Tokens before the part, as the sum of separately counted texts and tags. */
  readonly before: number;
  /** Tokens up to the end of the part, summed in the same way. */
  until: number;
  readonly isElement: boolean;
}

type Count = (from: number, to: number) => number;

/** Maximum nested elements that are counted exactly, because the sums of their parts are just above the limit. */
const MAX_COUNTS = 8;

interface Wholes {
  /** In text order, without nesting. */
  readonly wholes: readonly Span[];
  readonly isCode: boolean;
}

/** Finds the stretches that are not cut: the outermost elements, other markup and references, if they fit. */
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

/** Finds the parts in text order; an element precedes its tags and content. */
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

/** Adds the delimiters of an oversized CDATA section; for other oversized markup, adds the references in it. */
function addPieces(wholes: Span[], xml: string, start: number, end: number, fits: Fits): void {
  if (!xml.startsWith(CDATA_START, start)) {
    addReferences(wholes, xml, start, end, fits);
    return;
  }
  const inner = start + CDATA_START.length;
  const innerEnd = end - CDATA_END.length;
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
