import {
  type Carried,
  type ChunkContext,
  type Chunker,
  type CutFinder,
  countUpTo,
  countWhile,
  cutAtCodePoints,
  cutAtDelimiters,
  cutAtOffsets,
  cutAtTokens,
  cutAtWhiteSpace,
  cutAtWordSigns,
  type Factory,
  type Span,
  withFields,
} from '../../../core/kit.ts';
import { headingPaths } from '../../toolkit/heading-paths.ts';
import { MarkupReader } from '../../toolkit/markup/index.ts';
import { cutAtClauseEnds, cutAtSentenceEnds } from '../../toolkit/prose/index.ts';
import type manifest from './manifest.ts';
import type { HtmlOptions } from './manifest.ts';
import { type Edges, findStructure, type HtmlStructure } from './structure/find-structure.ts';
import type { Skipped } from './structure/skipped.ts';
import type { Table } from './structure/tables.ts';

/** Cuts a stretch without preferred boundaries into chunks of at most `size` tokens. */
type Divide = (start: number, end: number, size: number) => readonly Span[];

const BREAKS = ['<br>', '<br/>', '<br />', '<BR>', '\n\n', '\r\n\r\n'];
const SENTENCES = ['. ', '! ', '? ', '.\n', '!\n', '?\n', '.\r\n', '!\r\n', '?\r\n'];
const CLAUSES = [', ', '; ', ': ', ' - ', ' – ', ' — '];
const CODE = new Set(['code', 'script', 'style']);

/**
 * Creates what divides the stretches of a text: after sentences, lines, clauses and words, between inline elements
 * and tokens; after headings only if nothing else is left to cut, and within tags, comments and entities only as the
 * last resort.
 */
function prepareDivide() {
  const cutAtLines = cutAtDelimiters(['\r\n', '\n', '\r']);
  const cutAtBreaks = cutAtDelimiters(BREAKS);
  const cutAtSentences = cutAtSentenceEnds(SENTENCES);
  const cutAtClauses = cutAtClauseEnds(CLAUSES);
  const prose = [cutAtBreaks, cutAtSentences, cutAtLines, cutAtClauses, cutAtWhiteSpace];
  const code = [cutAtLines, cutAtWhiteSpace];
  return (text: string, { headings, contents }: HtmlStructure, { tokens, divide }: ChunkContext): Divide => {
    const betweenTokens = cutAtTokens(tokens);
    return (start, end, size) => {
      const leads = within(headings, start, end).filter(
        (heading) => tokens.count(heading.start, heading.end) <= size / 2,
      );
      const isCode = contents.kindsIn(start, end).some((kind) => CODE.has(kind));
      const careful = (leads: readonly Span[]) => {
        const obstacles = findObstacles(text, start, end, leads);
        const finders = [
          ...(isCode ? code : prose),
          cutAtOffsets(obstacles.between),
          cutAtWordSigns,
          betweenTokens,
          cutAtCodePoints,
        ];
        return finders.map((find) => sparing(find, obstacles));
      };
      const behindHeadings = leads.length > 0 ? careful([]) : [];
      const anywhere = [cutAtLines, cutAtWhiteSpace];
      return divide({ start, end }, [...careful(leads), ...behindHeadings, ...anywhere], { size });
    };
  };
}

/**
 * The parts of an outline between stretches that are left out, which lie between boundaries of it, in the order of
 * the text.
 */
function partsBetween({ edges, ranks }: Edges, left: readonly Span[]): Edges[] {
  const before = (offset: number) => countWhile(edges, (edge) => edge < offset);
  const starts = [0, ...left.map(({ end }) => before(end))];
  const ends = [...left.map(({ start }) => before(start)), edges.length - 1];
  const parts = starts.map((from, index) => {
    const behind = (ends[index] as number) + 1;
    return { edges: edges.slice(from, behind), ranks: ranks.slice(from, behind) };
  });
  return parts.filter((part) => part.edges.length > 1);
}

/** An outline without the boundaries within rising stretches. */
function withoutEdgesIn({ edges, ranks }: Edges, stretches: readonly Span[]): Edges {
  const isKept = edges.map((edge) => (at(stretches, edge)?.start ?? edge) === edge);
  return {
    edges: edges.filter((_, index) => isKept[index]),
    ranks: ranks.filter((_, index) => isKept[index]),
  };
}

/** Cuts HTML along its headings and between its blocks; every chunk is a slice of the source. */
const createHtmlChunker: Factory<typeof manifest> = async (): Promise<Chunker<HtmlOptions>> => {
  const { decodeHTML } = await import('entities/decode');
  const divideIn = prepareDivide();
  return {
    chunk(text, { skip, carry, oversize, split_level, ...rules }, context) {
      const structure = findStructure(text, skip, decodeHTML);
      const { outline, units, contents, skipped } = structure;
      const { carriedAt, describe } = createDescriber(text, structure, carry);
      const divideAny = divideIn(text, structure, context);
      const keeps = oversize === 'keep';
      const divide: typeof divideAny = (start, end, size) =>
        keeps && within(units, start, end).length > 0 ? [{ start, end }] : divideAny(start, end, size);
      const whole = keeps ? withoutEdgesIn(outline, units) : outline;
      const isAll = skipped.found.length === 0;
      const parts = isAll ? [whole] : partsBetween(whole, skipped.found);
      if (skip.length > 0) reportSkipped(skipped, context);
      return parts
        .filter(({ edges }) => isAll || contents.isIn(edges[0] ?? 0, edges.at(-1) ?? 0))
        .flatMap((part) => {
          const limits = { ...rules, always: split_level };
          return context.packStructure({ outline: part, carriedAt, divide }, limits).map(describe);
        });
    },
  };
};

export default createHtmlChunker;

/** Reports how many elements were left out: `script 3; style 1`. */
function reportSkipped({ counts }: Skipped, { report }: ChunkContext): void {
  const names = [...counts.keys()].sort();
  report('html-skipped', names.map((name) => `${name} ${counts.get(name)}`).join('; ') || 'none');
}

type Path = readonly string[];

const BYTE_ORDER_MARK = '\ufeff';

/** Describes the content and the context of the chunks of one text. */
function createDescriber(text: string, structure: HtmlStructure, carry: HtmlOptions['carry']) {
  const { headings, tables, contents } = structure;
  const paths = headingPaths(headings);
  const beginning = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
  const named = memoized((path: Path) => (path.includes('') ? path.filter((name) => name !== '') : path));
  const headerOf = memoized(({ start, headerEnd }: Table) => text.slice(start, headerEnd).trimEnd());

  return {
    /** What a chunk that begins at an offset carries. */
    carriedAt(start: number): Carried | undefined {
      const table = carry.includes('header') ? tableAround(tables, start) : undefined;
      const path = carry.includes('headings') ? named(paths.above(start)) : undefined;
      if (table === undefined && path === undefined) return undefined;
      return { path, opening: table && headerOf(table) };
    },
    describe(span: Span): Span {
      const { start, end } = span;
      const own = {
        heading_path: named(paths.within(Math.max(start, beginning), end)),
        kinds: contents.kindsIn(start, end),
        rows: rowsIn(tables, start, end),
      };
      return withFields(span, span.extra === undefined ? own : { ...own, ...span.extra });
    },
  };
}

/** A function that is called once for each object. */
function memoized<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const value = known.get(key) ?? make(key);
    known.set(key, value);
    return value;
  };
}

/** The table whose rows continue at an offset, if it has a header. */
function tableAround(tables: readonly Table[], offset: number): Table | undefined {
  const table = at(tables, offset);
  const isBehindHeader = table !== undefined && table.headerEnd > table.start && offset >= table.headerEnd;
  return isBehindHeader ? table : undefined;
}

/** The first and last row in a stretch, from 1, if all its rows are in one table. */
function rowsIn(tables: readonly Table[], start: number, end: number): [number, number] | undefined {
  const [table, ...others] = within(tables, start, end);
  if (table === undefined || others.length > 0) return undefined;
  const last = countUpTo(table.rows, end - 1);
  const first = Math.max(countUpTo(table.rows, start), 1);
  return last === 0 ? undefined : [first, last];
}

/** Those of rising stretches that overlap `[start, end)`. */
function within<T extends Span>(stretches: readonly T[], start: number, end: number): T[] {
  return stretches.slice(
    firstBehind(stretches, start),
    countWhile(stretches, (one) => one.start < end),
  );
}

/** The one of rising stretches that contains an offset. */
function at<T extends Span>(stretches: readonly T[], offset: number): T | undefined {
  const one = stretches[firstBehind(stretches, offset)];
  return one !== undefined && one.start <= offset ? one : undefined;
}

/** The index of the first that ends after an offset. */
function firstBehind(stretches: readonly Span[], offset: number): number {
  return countWhile(stretches, ({ end }) => end <= offset);
}

/** What must not be cut in a stretch of HTML. */
interface Obstacles {
  /** Rising stretches that must not be cut: tags, comments, entities, and given ones. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** Between inline elements: before their opening and after their closing tags. */
  readonly between: readonly number[];
}

const ENTITY = /&(?:#\d{1,9}|#[xX][\da-fA-F]{1,9}|[a-zA-Z][a-zA-Z\d]{0,31});?/g;

/**
 * Finds the obstacles of a stretch that begins in text.
 *
 * @param others rising stretches that must not be cut, nor cut off
 */
function findObstacles(text: string, start: number, end: number, others: readonly Span[]): Obstacles {
  // The ends of the others must not be cut either.
  const found = others.map((other) => ({ start: other.start, end: other.end + 1 }));
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

/** Stretches by their starts; those that overlap are one. */
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

/** Removes the cuts of a finder that lie within obstacles. */
function sparing(find: CutFinder, { starts, ends }: Obstacles): CutFinder {
  return (text, start, end) => {
    const cuts = find(text, start, end);
    let next = countUpTo(ends, start);
    return cuts.filter((cut) => {
      while ((ends[next] ?? Number.POSITIVE_INFINITY) <= cut) next++;
      return (starts[next] ?? Number.POSITIVE_INFINITY) >= cut;
    });
  };
}
