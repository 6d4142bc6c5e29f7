import type { Chunker } from '../../../core/contracts/chunker.ts';
import type { Factory } from '../../../core/contracts/plugin.ts';
import { isContainer } from './blocks.ts';
import { carriedIn } from './carried.ts';
import { describe, type Markdown } from './fields.ts';
import { headingsOf } from './headings.ts';
import type manifest from './manifest.ts';
import type { MarkdownOptions } from './manifest.ts';
import { outlineOf } from './outline.ts';
import { createDivider } from './stretches.ts';

const createMarkdownChunker: Factory<typeof manifest> = ({ kit }): Chunker<MarkdownOptions> => {
  const dividerOf = createDivider(kit);
  return {
    chunk(text, options, context) {
      const { chunk_size, split_level, oversize, carry, count_context, include_blocks } = options;
      const blocks = kit.findMarkdownBlocks(text);
      const leaves = blocks.filter((block) => !isContainer(block));
      const markdown: Markdown = { text, blocks, leaves, paths: kit.headingPaths(headingsOf(text, blocks)) };
      const keepsWhole = oversize === 'keep';
      // Counted with its context, a chunk has room for half of the limit at least.
      const room = count_context ? chunk_size / 2 : chunk_size;
      const carriedAt = carriedIn(markdown, carry);
      const spans = context.packStructure(
        {
          outline: outlineOf(text, blocks, { keepsWhole, room, tokens: context.tokens }),
          divide: dividerOf(leaves, keepsWhole, context),
          ...(carriedAt === undefined ? {} : { carriedAt }),
        },
        { ...options, always: split_level },
      );
      return describe(markdown, spans, include_blocks);
    },
  };
};

export default createMarkdownChunker;
