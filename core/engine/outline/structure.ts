import type { Span } from '../../contracts/chunk.ts';
import type { ChunkContext, Outline } from '../../contracts/chunker.ts';
import { type Carried, type Context, carriedContext } from './carried-context.ts';

/** A text whose structure a chunker has found. */
export interface Structure {
  readonly text: string;
  readonly outline: Outline;
  /** What a chunk that begins at an offset carries, if anything. Offsets rise but for steps back to the begin of a chunk. */
  carriedAt?(start: number): Carried | undefined;
  /** Cuts a stretch that is too large and has no edges within into chunks of at most `size` tokens. */
  divide(start: number, end: number, size: number): readonly Span[];
}

/** The options by which structured texts are packed (see `options.ts`). */
export interface StructureRules {
  readonly chunk_size: number;
  readonly min_chunk_size: number;
  readonly count_context?: boolean;
  /** At edges of this rank and below, a chunk begins even where more would fit; none without it. */
  readonly always?: number;
}

/**
 * Packs a structured text. Each span has as `context` what it carries, of at most half of `chunk_size` tokens: more is
 * shortened and then left out, and `context_shortened` says so. With `count_context` the limit holds for the context, a
 * line feed and the text together.
 */
export function packStructure(structure: Structure, rules: StructureRules, context: ChunkContext): Span[] {
  const { text, outline, carriedAt } = structure;
  const {
    chunk_size: size,
    min_chunk_size,
    count_context = false,
    always = Number.NEGATIVE_INFINITY,
  } = rules;
  const minimum = min_chunk_size < 1 ? min_chunk_size * size : min_chunk_size;
  const read = carriedContext(context.count, Math.floor(size / 2));
  const contextAt = (start: number) => read(carriedAt?.(start));
  const roomAt = (start: number) => size - contextAt(start).tokens;
  const limits = { size, minimum, always, ...(count_context ? { roomAt } : {}) };
  const spans = context.packOutline(outline, limits, (start, end) => {
    // What its parts carry is what its last character would.
    const room = count_context ? Math.min(roomAt(start), roomAt(end - 1)) : size;
    return structure.divide(start, end, room);
  });
  return spans.map((span) => {
    const found = contextAt(span.start);
    const isOver = count_context && found.text !== undefined && countBoth(text, span, found, context) > size;
    return isOver ? withContext(span, LEFT_OUT) : withContext(span, found);
  });
}

const LEFT_OUT: Context = { text: undefined, tokens: 0, isShortened: true };

function countBoth(
  text: string,
  { start, end }: Span,
  { text: carried }: Context,
  context: ChunkContext,
): number {
  return context.count(`${carried}\n${text.slice(start, end)}`);
}

function withContext(span: Span, { text, isShortened }: Context): Span {
  if (text === undefined && !isShortened) return span;
  return {
    ...span,
    ...(text === undefined ? {} : { context: text }),
    ...(isShortened ? { extra: { ...span.extra, context_shortened: true } } : {}),
  };
}
