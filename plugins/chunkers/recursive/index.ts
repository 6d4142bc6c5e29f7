import {
  type Chunker,
  type CutFinder,
  countWhile,
  cutAtDelimiters,
  cutAtOffsets,
  type Factory,
  isWhiteSpace,
  type Span,
  withFields,
} from '../../../core/kit.ts';
import type { DiffFile } from '../../toolkit/diff.ts';
import { type Heading, headingPaths } from '../../toolkit/heading-paths.ts';
import { findNumberedHeadings, type NumberedHeading } from '../../toolkit/numbered/index.ts';
import type manifest from './manifest.ts';
import type { RecursiveOptions } from './manifest.ts';
import { type Hierarchy, loadRecipes } from './recipes.ts';

const createRecursiveChunker: Factory<typeof manifest> = (tools): Chunker<RecursiveOptions> => {
  const recipes = loadRecipes(tools);
  return {
    check: ({ recipe }) => {
      const problem = typeof recipe === 'string' ? recipes.problemOf(recipe) : undefined;
      return problem === undefined ? [] : [problem];
    },
    chunk(text, options, { divide }) {
      const { recipe, lang, delimiters, levels } = options;
      const given = delimiters.length > 0 ? [delimiters] : levels;
      const { finders, introductions, titles, files } =
        given.length > 0 ? givenHierarchy(given) : recipes.hierarchyOf(recipe, lang, text);
      const headings = options.numbered_headings ? findNumberedHeadings(text) : [];
      const spans = divide({ start: 0, end: text.length }, belowHeadings(finders, headings, text), {
        size: options.chunk_size,
        minCharacters: options.min_characters_per_chunk,
        overlap: options.chunk_overlap,
        introductions,
        titles: titles && headings.length === 0,
      });
      if (files !== undefined) return withPaths(spans, files.map(headingOfFile));
      const named = headings.map((heading): Heading => ({ ...heading, name: () => heading.name }));
      return options.numbered_headings ? withPaths(spans, named) : spans;
    },
  };
};

function givenHierarchy(levels: readonly (readonly string[])[]): Hierarchy {
  return { finders: levels.map((level) => cutAtDelimiters(level)), introductions: true, titles: true };
}

function headingOfFile({ start, end, path }: DiffFile): Heading {
  return { start, level: 1, isLead: false, reach: end, name: () => path };
}

/** Number of heading levels that are cut one by one; deeper headings are cut together. */
const LEVELS = 6;

/** Cuts before headings first, from the highest level down, and never between a heading and the text below it. */
function belowHeadings(
  finders: readonly CutFinder[],
  headings: readonly NumberedHeading[],
  text: string,
): readonly CutFinder[] {
  if (headings.length === 0) return finders;
  const levels = [...new Set(headings.map(({ level }) => Math.min(level, LEVELS)))].sort((a, b) => a - b);
  const before = levels.map((most) => {
    const cut = headings.filter(({ level }) => level <= most || most === LEVELS);
    return cutAtOffsets(cut.map(({ start }) => start));
  });
  const texts = headings.map(({ end }) => firstInk(text, end));
  const isInHeading = (cut: number) => {
    const heading = countWhile(headings, ({ start }) => start < cut) - 1;
    return heading >= 0 && cut <= (texts[heading] as number);
  };
  const within = finders.map(
    (find): CutFinder =>
      (...stretch) =>
        find(...stretch).filter((cut) => !isInHeading(cut)),
  );
  return [...before, ...within];
}

function firstInk(text: string, from: number): number {
  let at = from;
  while (at < text.length && isWhiteSpace(text.charCodeAt(at))) at++;
  return at;
}

function withPaths(spans: readonly Span[], headings: readonly Heading[]): Span[] {
  const paths = headingPaths(headings);
  return spans.map((span) => withFields(span, { heading_path: paths.within(span.start, span.end) }));
}

export default createRecursiveChunker;
