import {
  type Chunker,
  type CutFinder,
  countCodePoints,
  cutAtDelimiters,
  cutAtTokens,
  cutAtWhiteSpace,
  cutAtWordSigns,
  type Factory,
  isLineBreak,
  type Outline,
  refusedError,
  type Span,
  type TokenizedText,
  withFields,
} from '../../../core/kit.ts';
import { startOnLine } from '../../toolkit/lines.ts';
import { cutAtClauseEnds, cutAtSentenceEnds } from '../../toolkit/prose/index.ts';
import type manifest from './manifest.ts';
import type { JsonOptions } from './manifest.ts';
import { type Position, positionsOf } from './pointers.ts';
import { findProblem, type Problem } from './syntax.ts';
import { BACKSLASH, COLON, COMMA, isCloser, isOpener, Tokens } from './tokens.ts';

/** Ranks of boundaries, best first: before top-level values on a new line, on the same line, then by depth. */
const BETWEEN_LINES = 0;
const BETWEEN_VALUES = 1;
/** Deeper boundaries share this rank, because packing makes one pass for each rank. */
const MAX_RANK = 32;

/**
 * Finds the boundaries between members, elements and consecutive values. A comma belongs to the value before it,
 * indentation to the value after it, and an opening bracket to its first member. Only brackets, strings and commas
 * count, so invalid JSON has boundaries too.
 */
function findMembers(text: string): Outline {
  const edges = [0];
  const ranks = [BETWEEN_LINES];
  const tokens = new Tokens(text);
  let depth = 0;
  let isBehindComma = false;
  let isBehindColon = true;
  let before = tokens.end;
  for (; tokens.next(); before = tokens.end) {
    const { kind } = tokens;
    if (kind === COMMA || kind === COLON) {
      isBehindComma = kind === COMMA;
      isBehindColon = kind === COLON;
      continue;
    }
    const closes = isCloser(kind);
    if (!closes && (isBehindComma || (depth === 0 && !isBehindColon))) {
      const edge = startOnLine(text, before, tokens.start);
      edges.push(edge);
      const isNewLine = depth === 0 && isLineBreak(text.charCodeAt(edge - 1));
      ranks.push(isNewLine ? BETWEEN_LINES : Math.min(BETWEEN_VALUES + depth, MAX_RANK));
    }
    isBehindComma = false;
    isBehindColon = false;
    if (isOpener(kind)) depth++;
    else if (closes && depth > 0) depth--;
  }
  edges.push(text.length);
  ranks.push(BETWEEN_LINES);
  return { edges, ranks };
}

const createJsonChunker: Factory<typeof manifest> = (): Chunker<JsonOptions> => ({
  chunk(text, options, { tokens, divide, packStructure }) {
    const problem = options.tolerant ? undefined : findProblem(text);
    if (problem !== undefined) throw refusal(text, problem);
    const outline = findMembers(text);
    const finders = finderList(tokens);
    const spans = packStructure(
      {
        outline,
        divide(start, end, size) {
          if (options.oversize === 'keep') return [{ start, end }];
          return divide({ start, end }, finders, { size });
        },
      },
      options,
    );
    return withPositions(text, spans);
  },
});

export default createJsonChunker;

function withPositions(text: string, spans: readonly Span[]): Span[] {
  const positions = positionsOf(text, spans);
  const isSequence = (positions.at(-1)?.records[1] ?? 1) > 1;
  return spans.map((span, index) => {
    const { pointer, records, elements } = positions[index] as Position;
    return withFields(span, { pointer, ...(elements && { elements }), ...(isSequence && { records }) });
  });
}

function refusal(text: string, { offset, expected }: Problem): Error {
  const lines = text.slice(0, offset).split(/\r\n|\r|\n/);
  const last = lines.at(-1) ?? '';
  const position = `line ${lines.length}, column ${countCodePoints(last, 0, last.length) + 1}`;
  const message = `text: not valid JSON at ${position}: expected ${expected}. Set tolerant to chunk it all the same.`;
  return refusedError(message);
}

function finderList(tokens: TokenizedText): readonly CutFinder[] {
  return [
    cutAtDelimiters(['\\n', '\n']),
    cutAtSentenceEnds(['. ', '! ', '? ']),
    cutAtClauseEnds([', ', '; ', ': ']),
    cutAtWhiteSpace,
    cutAtWordSigns,
    cutBesideEscapes(tokens),
  ];
}

function cutBesideEscapes(tokens: TokenizedText): CutFinder {
  const find = cutAtTokens(tokens);
  return (text, start, end) => {
    const cuts = find(text, start, end);
    return text.slice(start, end).includes('\\') ? withoutEscapes(text, start, cuts) : cuts;
  };
}

function withoutEscapes(text: string, start: number, cuts: readonly number[]): number[] {
  let at = start;
  return cuts.filter((cut) => {
    while (at < cut) at = text.charCodeAt(at) === BACKSLASH ? escapeEnd(text, at) : at + 1;
    return at === cut;
  });
}

/** An escape sequence. The two `\u` escapes of a surrogate pair are one sequence. */
const ESCAPE = /\\(?:u[dD][89abAB]..\\u[dD][c-fC-F].{0,2}|u.{0,4}|.?)/sy;

function escapeEnd(text: string, at: number): number {
  ESCAPE.lastIndex = at;
  ESCAPE.test(text);
  return ESCAPE.lastIndex;
}
