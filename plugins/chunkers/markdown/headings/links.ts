import { matchEnd } from '../../../../core/kit.ts';

/** Longest label of a link. */
const MAX_LABEL = 999;
const LABEL = /^\[((?:[^[\]\\]|\\[\s\S])*)\]/;
const NOTE = /^\[\^([^[\]\s]+)\]/;
const SPACE = /[ \t]*(?:\r\n|\r|\n)?[ \t]*/y;
const POINTED = /<(?:[^<>\\\r\n]|\\.)*>/y;
const TITLE = /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|\((?:[^()\\]|\\[\s\S])*\)/y;

/** The label between brackets at an offset, without them. */
export function labelAt(source: string, at: number): string | undefined {
  return source[at] === '[' ? LABEL.exec(source.slice(at, at + MAX_LABEL + '[]'.length))?.[1] : undefined;
}

/** The label of the reference to a footnote at an offset. */
export function noteAt(source: string, at: number): string | undefined {
  return source[at + 1] === '^' ? NOTE.exec(source.slice(at, at + MAX_LABEL))?.[1] : undefined;
}

/** Where a link ends, after the bracket that closes it, whose destination begins at an offset; -1 if there is none. */
export function destinationEnd(source: string, from: number): number {
  let at = matchEnd(SPACE, source, from);
  at = source[at] === '<' ? matchEnd(POINTED, source, at) : bareEnd(source, at);
  if (at === -1) return -1;
  const behind = matchEnd(SPACE, source, at);
  if (source[behind] === ')') return behind + 1;
  const title = behind > at ? matchEnd(TITLE, source, behind) : -1;
  if (title === -1) return -1;
  const end = matchEnd(SPACE, source, title);
  return source[end] === ')' ? end + 1 : -1;
}

const MAX_NESTED = 32;
const [OPEN, CLOSE, BACKSLASH, SPACE_UNIT, DELETE] = [40, 41, 92, 32, 127];

/** Where a destination ends that is not between `<` and `>`: its brackets are balanced. */
function bareEnd(source: string, from: number): number {
  let nested = 0;
  let at = from;
  for (; at < source.length; at++) {
    const unit = source.charCodeAt(at);
    if (unit <= SPACE_UNIT || unit === DELETE) break;
    if (unit === BACKSLASH) at++;
    else if (unit === OPEN && ++nested > MAX_NESTED) return -1;
    else if (unit === CLOSE && --nested < 0) return at;
  }
  return nested > 0 ? -1 : at;
}
