import type { Chunk } from '../../../core/contracts/chunk.ts';
import type { RefineContext, Refinery } from '../../../core/contracts/refinery.ts';
import { groupsOf } from './groups.ts';
import { createIds } from './ids.ts';
import type { ParentsOptions } from './manifest.ts';
import { endsOfRuns } from './runs.ts';

export default function createParentsRefinery(): Refinery<ParentsOptions, 'tokenizer'> {
  return {
    refine(chunks, options, context) {
      const { document, join, signal } = context;
      const idOf = createIds();
      return groupsOf(chunks, options, document)
        .flatMap((group) => runsOf(group, options.parent_size, context))
        .flatMap((run) => {
          signal.throwIfAborted();
          const parent = join(run);
          const parent_id = idOf(document.id ?? parent.document_id, parent.text);
          return run.map((chunk, index) => withParent(chunk, index, parent, parent_id));
        });
    },
  };
}

/** Divides neighbours into parents of at most so many tokens, what the chunks repeat of each other counted once. */
function runsOf(
  group: readonly Chunk[],
  parentSize: number,
  { tokenizer, join, signal }: RefineContext<'tokenizer'>,
): readonly (readonly Chunk[])[] {
  const sizeOf = ({ text }: Chunk) => {
    signal.throwIfAborted();
    return tokenizer.tokenize(text).count(0, text.length);
  };
  const ends = endsOfRuns({
    sizes: group.map(sizeOf),
    most: parentSize,
    fits: (start, end) => sizeOf(join(group.slice(start, end))) <= parentSize,
  });
  return ends.map((end, index) => group.slice(ends[index - 1] ?? 0, end));
}

/** @param index the chunk's place in its parent */
function withParent(chunk: Chunk, index: number, parent: Chunk, parent_id: string): Chunk {
  const { parent_text: _, ...own } = chunk;
  return {
    ...own,
    parent_id,
    parent_start_index: parent.start_index,
    parent_end_index: parent.end_index,
    ...(index === 0 && { parent_text: parent.text }),
  };
}
