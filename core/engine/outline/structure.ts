import type { Span } from '../../contracts/chunk.ts';
import type { Structure, StructureRules } from '../../contracts/structure.ts';
import type { TokenizedText } from '../../contracts/tokenizer.ts';
import { withFields } from '../span-fields.ts';
import { embeddedText } from '../text.ts';
import { type Context, carriedContext } from './carried-context.ts';
import { packOutline } from './pack.ts';

/** A text as a tokenizer reads it. */
interface Source {
  readonly text: string;
  readonly tokens: TokenizedText;
  /** Counts the tokens of any text. */
  count(text: string): number;
}

/** Packs a text along its structure, see `ChunkContext.packStructure`. */
export function packStructure(source: Source, structure: Structure, rules: StructureRules): Span[] {
  const {
    chunk_size: size,
    min_chunk_size,
    count_context = false,
    always = Number.NEGATIVE_INFINITY,
  } = rules;
  const minimum = min_chunk_size < 1 ? min_chunk_size * size : min_chunk_size;
  const read = carriedContext(source.count, Math.floor(size / 2));
  const contextAt = (start: number) => read(structure.carriedAt?.(start));
  const roomAt = (start: number) => size - contextAt(start).tokens;
  const limits = { size, minimum, always, ...(count_context ? { roomAt } : {}) };
  const spans = packOutline(structure.outline, source.tokens, limits, (start, end) => {
    // What its parts carry is what its last character would.
    const room = count_context ? Math.min(roomAt(start), roomAt(end - 1)) : size;
    return structure.divide(start, end, room);
  });
  if (structure.carriedAt === undefined) return spans;
  return spans.map((span) => {
    const found = contextAt(span.start);
    const isOver = count_context && found.text !== undefined && countBoth(source, span, found.text) > size;
    return withContext(span, isOver ? LEFT_OUT : found);
  });
}

const SHORTENED = Object.freeze({ context_shortened: true });
const LEFT_OUT: Context = { text: undefined, tokens: 0, isShortened: true };

function countBoth({ text, count }: Source, { start, end }: Span, context: string): number {
  return count(embeddedText(text.slice(start, end), context));
}

function withContext(span: Span, { text, isShortened }: Context): Span {
  if (text === undefined && !isShortened) return span;
  return withFields({ ...span, context: text }, isShortened ? SHORTENED : undefined);
}
