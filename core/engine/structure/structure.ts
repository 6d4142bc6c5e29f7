import type { Span } from '../../contracts/chunk.ts';
import type { Carried, Structure, StructureRules } from '../../contracts/chunker.ts';
import type { TokenizedText } from '../../contracts/tokenizer.ts';
import { embeddedText } from '../cuts/cuts.ts';
import { withFields } from '../packing/packing.ts';
import { packOutline } from './pack-outline.ts';

interface Source {
  readonly text: string;
  readonly tokens: TokenizedText;
  count(text: string): number;
}

/** Packs a text along its structure; see `ChunkContext.packStructure`. */
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
    // A later part of the piece may carry a longer context: that of the piece's last character.
    const room = count_context ? Math.min(roomAt(start), roomAt(end - 1)) : size;
    return structure.divide(start, end, room);
  });
  if (structure.carriedAt === undefined) return spans;
  const packed: Span[] = [];
  for (const span of spans) {
    const found = contextAt(span.start);
    const isOver = count_context && found.text !== undefined && countBoth(source, span, found.text) > size;
    packed.push(withContext(span, isOver ? LEFT_OUT : found));
  }
  return packed;
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

interface Context {
  readonly text: string | undefined;
  /** Tokens of the text followed by a line feed. */
  readonly tokens: number;
  readonly isShortened: boolean;
}

const NOTHING: Context = { text: undefined, tokens: 0, isShortened: false };
const NO_PATH: readonly string[] = [];

/**
 * Returns a function that writes the carried text of chunks: the path on one line, joined by ` > `, then the opening
 * without its final line break. Above `most` tokens, the highest headings are left out one by one, then the opening.
 *
 * @param count counts the tokens of a text
 */
function carriedContext(
  count: (text: string) => number,
  most: number,
): (carried: Carried | undefined) => Context {
  const known = new Map<readonly string[], Map<string, Context>>();
  return (carried) => {
    if (carried === undefined) return NOTHING;
    const { path = NO_PATH, opening = '' } = carried;
    const ofPath = known.get(path) ?? new Map<string, Context>();
    known.set(path, ofPath);
    const context = ofPath.get(opening) ?? write(path, opening, count, most);
    ofPath.set(opening, context);
    return context;
  };
}

function write(
  path: readonly string[],
  opening: string,
  count: (text: string) => number,
  most: number,
): Context {
  const begin = opening.replace(/(?:\r\n|\r|\n)$/, '');
  for (let first = 0; first <= path.length; first++) {
    const names = path.slice(first).join(' > ');
    const context = names !== '' && begin !== '' ? `${names}\n${begin}` : names + begin;
    const tokens = context === '' ? 0 : count(`${context}\n`);
    if (context !== '' && tokens <= most) return { text: context, tokens, isShortened: first > 0 };
  }
  return path.length === 0 && opening === '' ? NOTHING : { ...NOTHING, isShortened: true };
}
