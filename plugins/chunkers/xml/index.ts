import { type Carried, type Chunker, type Factory, type Span, withFields } from '../../../core/kit.ts';
import { headingPaths } from '../../toolkit/heading-paths.ts';
import { countNear } from './count.ts';
import { prepareDivide } from './divide.ts';
import type manifest from './manifest.ts';
import type { XmlOptions } from './manifest.ts';
import { findStructure } from './structure/find-structure.ts';

/** Cuts XML between its elements; every chunk is a slice of the source. */
const createXmlChunker: Factory<typeof manifest> = (): Chunker<XmlOptions> => {
  const divideIn = prepareDivide();
  return {
    chunk(text, { carry, ...rules }, context) {
      const { edges, headings, tree } = findStructure(text);
      const { chunk_size } = rules;
      const count = countNear(chunk_size, text.length, context.tokens);
      const outline = edges.outline(text.length, chunk_size, count);
      const paths = headingPaths(headings);
      const divide = divideIn(text, context);
      const carries = carry.includes('headings');
      const carriedAt = (start: number): Carried | undefined =>
        carries ? { path: paths.above(start) } : undefined;
      return context.packStructure({ outline, carriedAt, divide }, rules).map((span): Span => {
        const { start, end } = span;
        const { xpath, elements } = tree.place(start, end);
        const heading_path = paths.within(start, end);
        const own = elements === undefined ? { xpath, heading_path } : { xpath, elements, heading_path };
        return withFields(span, { ...own, ...span.extra });
      });
    },
  };
};

export default createXmlChunker;
