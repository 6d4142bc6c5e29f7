import type { ChunkContext, Chunker } from '../../../core/contracts/chunker.ts';
import type { Factory } from '../../../core/contracts/plugin.ts';
import { createDescriber } from './describe.ts';
import { prepareDivide } from './divide.ts';
import type manifest from './manifest.ts';
import type { HtmlOptions } from './manifest.ts';
import { partsBetween, withoutEdgesIn } from './parts.ts';
import { within } from './stretches.ts';
import { findStructure } from './structure/find-structure.ts';
import type { Skipped } from './structure/skipped.ts';

/** Cuts HTML along its headings and between its blocks; every chunk is a slice of the source. */
const createHtmlChunker: Factory<typeof manifest> = ({ kit }): Chunker<HtmlOptions> => {
  const divideIn = prepareDivide(kit);
  return {
    chunk(text, { skip, carry, oversize, split_level, ...rules }, context) {
      const structure = findStructure(text, skip);
      const { outline, units, contents, skipped } = structure;
      const { carriedAt, describe } = createDescriber(kit, text, structure, carry);
      const divideAny = divideIn(text, structure, context);
      const keeps = oversize === 'keep';
      const divide: typeof divideAny = (start, end, size) =>
        keeps && within(units, start, end).length > 0 ? [{ start, end }] : divideAny(start, end, size);
      const whole = keeps ? withoutEdgesIn(outline, units) : outline;
      const isAll = skipped.found.length === 0;
      const parts = isAll ? [whole] : partsBetween(whole, skipped.found);
      if (skip.length > 0) reportSkipped(skipped, context);
      return parts
        .filter(({ edges }) => isAll || contents.isIn(edges[0] ?? 0, edges[edges.length - 1] ?? 0))
        .flatMap((part) => {
          const limits = { ...rules, always: split_level };
          return context.packStructure({ outline: part, carriedAt, divide }, limits).map(describe);
        });
    },
  };
};

export default createHtmlChunker;

/** Says how many elements were left out: `script 3; style 1`. */
function reportSkipped({ counts }: Skipped, { report }: ChunkContext): void {
  const names = [...counts.keys()].sort();
  report('html-skipped', names.map((name) => `${name} ${counts.get(name)}`).join('; ') || 'none');
}
