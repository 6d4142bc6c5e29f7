import type { Outline } from '../../../core/contracts/structure.ts';
import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  isBehindLine,
  OPEN_LIST,
  OPEN_OBJECT,
  startOnLine,
  Tokens,
} from './tokens.ts';

/** Ranks: between records on lines of their own, between values on one line, then members and elements by depth. */
const BETWEEN_LINES = 0;
const BETWEEN_VALUES = 1;
/** What is nested deeper ranks alike, because each rank costs the packing a pass. */
const HIGHEST_RANK = 32;

/**
 * The edges between the members and elements of JSON, and between values that follow each other. A comma goes with what
 * stands before it, an indentation with what stands behind it, an opening bracket with its first member. It looks at
 * brackets, strings and commas alone, so that what is no JSON has edges too.
 */
export function findMembers(text: string): Outline {
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
    const isCloser = kind === CLOSE_LIST || kind === CLOSE_OBJECT;
    if (!isCloser && (isBehindComma || (depth === 0 && !isBehindColon))) {
      const edge = startOnLine(text, before, tokens.start);
      edges.push(edge);
      ranks.push(depth === 0 && isBehindLine(text, edge) ? BETWEEN_LINES : rankOf(depth));
    }
    isBehindComma = false;
    isBehindColon = false;
    if (kind === OPEN_LIST || kind === OPEN_OBJECT) depth++;
    else if (isCloser && depth > 0) depth--;
  }
  edges.push(text.length);
  ranks.push(BETWEEN_LINES);
  return { edges, ranks };
}

function rankOf(depth: number): number {
  return Math.min(BETWEEN_VALUES + depth, HIGHEST_RANK);
}
