import {
  type Carried,
  type ChunkContext,
  type Chunker,
  countUpTo,
  countWhile,
  cutAtCodePoints,
  cutAtOffsets,
  cutAtTokens,
  cutAtWordSigns,
  type Factory,
  type Span,
  withFields,
} from '../../../core/kit.ts';
import { headingPaths } from '../../toolkit/heading-paths.ts';
import { MarkupReader } from '../../toolkit/markup/index.ts';
import { createTextFinders, sparing } from '../../toolkit/markup-cuts.ts';
import type manifest from './manifest.ts';
import type { HtmlOptions } from './manifest.ts';
import type { Contents } from './structure/contents.ts';
import type { Outline } from './structure/edges.ts';
import type { Kind } from './structure/elements.ts';
import { findStructure, type HtmlStructure } from './structure/find-structure.ts';
import type { Skipped } from './structure/skipped.ts';
import type { Table } from './structure/tables.ts';

/** Cuts HTML along its headings and between its blocks; every chunk is a slice of the source. */
const createHtmlChunker: Factory<typeof manifest> = async (): Promise<Chunker<HtmlOptions>> => {
  const { decodeHTML } = await import('entities/decode');
  const dividerOf = createDivider();
  return {
    chunk(text, { skip, carry, oversize, split_level, ...rules }, context) {
      const structure = findStructure(text, skip, decodeHTML);
      const { outline, units, contents, skipped } = structure;
      const { carriedAt, describe } = createDescriber(text, structure, carry);
      const divideAny = dividerOf(text, structure, context);
      const keepsWhole = oversize === 'keep';
      const divide: typeof divideAny = (start, end, size) =>
        keepsWhole && within(units, start, end).length > 0 ? [{ start, end }] : divideAny(start, end, size);
      const whole = keepsWhole ? withoutEdgesIn(outline, units) : outline;
      if (skip.length > 0) reportSkipped(skipped, context);
      return partsBetween(whole, skipped.stretches, contents).flatMap((part) =>
        context
          .packStructure({ outline: part, carriedAt, divide }, { ...rules, always: split_level })
          .map(describe),
      );
    },
  };
};

export default createHtmlChunker;

function reportSkipped({ counts }: Skipped, { report }: ChunkContext): void {
  const counted = [...counts].map(([name, count]) => `${name} ${count}`).sort();
  report('html-skipped', counted.join('; ') || 'none');
}

function partsBetween(outline: Outline, skipped: readonly Span[], contents: Contents): readonly Outline[] {
  if (skipped.length === 0) return [outline];
  const before = (offset: number) => countWhile(outline.edges, (edge) => edge < offset);
  const starts = [0, ...skipped.map(({ end }) => before(end))];
  const ends = [...skipped.map(({ start }) => before(start)), outline.edges.length - 1];
  const parts = starts.map((from, index) => {
    const behind = (ends[index] as number) + 1;
    return { edges: outline.edges.slice(from, behind), ranks: outline.ranks.slice(from, behind) };
  });
  return parts.filter(
    ({ edges }) => edges.length > 1 && contents.hasContent(edges[0] as number, edges.at(-1) as number),
  );
}

/** Removes the boundaries within stretches. @param stretches in text order */
function withoutEdgesIn({ edges, ranks }: Outline, stretches: readonly Span[]): Outline {
  const isKept = edges.map((edge) => (at(stretches, edge)?.start ?? edge) === edge);
  return {
    edges: edges.filter((_, index) => isKept[index]),
    ranks: ranks.filter((_, index) => isKept[index]),
  };
}

const BREAKS = ['<br>', '<br/>', '<br />', '<BR>'];
const CODE: ReadonlySet<Kind> = new Set(['code', 'script', 'style']);

/**
 * Divides stretches that contain no boundary: after sentences, lines, clauses and words, and between inline elements
 * and tokens. Cuts after headings come next; cuts within tags, comments and entities come last.
 */
function createDivider() {
  const { prose, code } = createTextFinders(BREAKS);
  return (text: string, { headings, contents }: HtmlStructure, { tokens, divide }: ChunkContext) => {
    const betweenTokens = cutAtTokens(tokens);
    return (start: number, end: number, size: number): readonly Span[] => {
      const leads = within(headings, start, end).filter(
        (heading) => tokens.count(heading.start, heading.end) <= size / 2,
      );
      const isCode = contents.kindsIn(start, end).some((kind) => CODE.has(kind));
      const sparingFinders = (leads: readonly Span[]) => {
        const { starts, ends, between } = findObstacles(text, start, end, leads);
        const finders = [
          ...(isCode ? code : prose),
          cutAtOffsets(between),
          cutAtWordSigns,
          betweenTokens,
          cutAtCodePoints,
        ];
        return finders.map((find) => sparing(find, starts, ends));
      };
      const behindHeadings = leads.length > 0 ? sparingFinders([]) : [];
      return divide({ start, end }, [...sparingFinders(leads), ...behindHeadings, ...code], { size });
    };
  };
}

type Path = readonly string[];

const BYTE_ORDER_MARK = '\ufeff';

function createDescriber(text: string, structure: HtmlStructure, carry: HtmlOptions['carry']) {
  const { headings, tables, contents } = structure;
  const paths = headingPaths(headings);
  const beginning = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
  const named = memoized((path: Path) => (path.includes('') ? path.filter((name) => name !== '') : path));
  const headerOf = memoized(({ start, headerEnd }: Table) => text.slice(start, headerEnd).trimEnd());

  return {
    carriedAt(start: number): Carried | undefined {
      const table = carry.includes('header') ? tableAround(tables, start) : undefined;
      const path = carry.includes('headings') ? named(paths.above(start)) : undefined;
      if (table === undefined && path === undefined) return undefined;
      return { path, opening: table && headerOf(table) };
    },
    describe(span: Span): Span {
      const { start, end } = span;
      const fields = {
        heading_path: named(paths.within(Math.max(start, beginning), end)),
        kinds: contents.kindsIn(start, end),
        rows: rowsIn(tables, start, end),
      };
      return withFields(span, span.extra === undefined ? fields : { ...fields, ...span.extra });
    },
  };
}

function memoized<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const values = new Map<Key, Value>();
  return (key) => {
    const value = values.get(key) ?? make(key);
    values.set(key, value);
    return value;
  };
}

/** The table around an offset, if its header ends at or before that offset. */
function tableAround(tables: readonly Table[], offset: number): Table | undefined {
  const table = at(tables, offset);
  const isBehindHeader = table !== undefined && table.headerEnd > table.start && offset >= table.headerEnd;
  return isBehindHeader ? table : undefined;
}

/** First and last row (from 1) in a stretch; undefined if the stretch has no row, or overlaps several tables. */
function rowsIn(tables: readonly Table[], start: number, end: number): [number, number] | undefined {
  const [table, ...others] = within(tables, start, end);
  if (table === undefined || others.length > 0) return undefined;
  const last = countUpTo(table.rows, end - 1);
  const first = Math.max(countUpTo(table.rows, start), 1);
  return last === 0 ? undefined : [first, last];
}

function within<T extends Span>(stretches: readonly T[], start: number, end: number): T[] {
  return stretches.slice(
    firstBehind(stretches, start),
    countWhile(stretches, (stretch) => stretch.start < end),
  );
}

function at<T extends Span>(stretches: readonly T[], offset: number): T | undefined {
  const stretch = stretches[firstBehind(stretches, offset)];
  return stretch !== undefined && stretch.start <= offset ? stretch : undefined;
}

function firstBehind(stretches: readonly Span[], offset: number): number {
  return countWhile(stretches, ({ end }) => end <= offset);
}

interface Obstacles {
  /** Starts and ends of tags, comments, entities and headings, in ascending order. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** Cuts before the opening tags and after the closing tags of inline elements. */
  readonly between: readonly number[];
}

const ENTITY = /&(?:#\d{1,9}|#[xX][\da-fA-F]{1,9}|[a-zA-Z][a-zA-Z\d]{0,31});?/g;

/** @param headings headings that must stay with the text after them */
function findObstacles(text: string, start: number, end: number, headings: readonly Span[]): Obstacles {
  const found = headings.map((heading) => ({ start: heading.start, end: heading.end + 1 }));
  const between: number[] = [];
  const reader = new MarkupReader(text.slice(start, end));
  let behind = start;
  while (reader.read()) {
    const tag = { start: start + reader.start, end: start + reader.end };
    addEntities(found, text, behind, tag.start);
    found.push(tag);
    between.push(reader.isClosing || reader.name === '' ? tag.end : tag.start);
    behind = tag.end;
  }
  addEntities(found, text, behind, end);
  return { ...joined(found), between };
}

function addEntities(found: Span[], text: string, from: number, to: number): void {
  const part = text.slice(from, to);
  if (!part.includes('&')) return;
  for (const { index, 0: entity } of part.matchAll(ENTITY))
    found.push({ start: from + index, end: from + index + entity.length });
}

/** Merges overlapping stretches. */
function joined(stretches: Span[]): Pick<Obstacles, 'starts' | 'ends'> {
  const starts: number[] = [];
  const ends: number[] = [];
  for (const { start, end } of stretches.sort((a, b) => a.start - b.start)) {
    const lastEnd = ends.at(-1) ?? -1;
    if (start < lastEnd) ends[ends.length - 1] = Math.max(lastEnd, end);
    else {
      starts.push(start);
      ends.push(end);
    }
  }
  return { starts, ends };
}
