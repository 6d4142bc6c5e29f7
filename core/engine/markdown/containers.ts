import type { OpenBlock } from './block.ts';
import { noteEnd } from './definitions.ts';
import { CLOSE_PAREN, DASH, DOT, isBlank, isDigit, isSpace, PLUS, STAR } from './letters.ts';
import { type Begun, MOST_CONTAINERS, type Scan } from './scan.ts';

/** How many of the open containers the present line goes on with. */
export function matchContainers({ line, open }: Scan): number {
  let matched = 0;
  for (; matched < open.length; matched++) {
    const { kind, isFilled, width } = open[matched] as OpenBlock;
    if (kind === 'list') continue;
    if (kind === 'quote') {
      if (!line.consumeQuote()) break;
    } else if (line.isBlank) {
      if (!isFilled) break;
    } else if (line.indent >= width) line.column += width;
    else break;
  }
  return matched;
}

export function beginQuote(scan: Scan, depth: number): Begun {
  if (depth >= MOST_CONTAINERS) return 'nothing';
  scan.beginContainer('quote', depth);
  scan.line.consumeQuote();
  return 'container';
}

export function beginFootnote(scan: Scan, depth: number): Begun {
  const { line, text } = scan;
  const behind = noteEnd(text, line.ink, line.end);
  if (behind === -1 || depth >= MOST_CONTAINERS) return 'nothing';
  scan.beginContainer('footnote', depth).width = 4;
  line.consume(behind - line.ink);
  line.column += line.indent;
  return 'container';
}

/** @param text the open text that the line could go on with, unless that would be lazy */
export function beginItem(scan: Scan, depth: number, text: OpenBlock | undefined): Begun {
  const { line } = scan;
  const marker = markerLetters(scan);
  const behind = line.ink + marker;
  if (marker === 0 || (behind < line.end && !isSpace(scan.text.charCodeAt(behind)))) return 'nothing';
  if (depth >= MOST_CONTAINERS - 1 || (text !== undefined && !interruptsText(scan, marker))) return 'nothing';
  const mark = scan.text.charCodeAt(behind - 1);
  const offset = line.indent;
  const around = scan.open[depth - 1];
  if (around?.kind !== 'list' || around.mark !== mark) scan.beginContainer('list', depth).mark = mark;
  else scan.closeTo(depth);
  const item = scan.beginContainer('item', scan.open.length);
  line.consume(marker);
  const gap = line.isBlank || line.indent > 4 ? 1 : line.indent;
  item.width = offset + marker + gap;
  if (!line.isBlank) line.column += gap;
  return 'container';
}

/** Letters of the mark of an item: one, or up to nine digits and what closes them; 0 if there is none. */
function markerLetters({ text, line: { ink, end, unit } }: Scan): number {
  if (unit === DASH || unit === STAR || unit === PLUS) return 1;
  let at = ink;
  while (at < end && at - ink < 10 && isDigit(text.charCodeAt(at))) at++;
  const digits = at - ink;
  const close = at < end ? text.charCodeAt(at) : 0;
  return digits > 0 && digits < 10 && (close === DOT || close === CLOSE_PAREN) ? digits + 1 : 0;
}

/** Whether an item may end a paragraph: one that is not empty, and the first if items are numbered. */
function interruptsText({ text, line: { ink, end } }: Scan, marker: number): boolean {
  const isFirst = marker === 1 || /^0*1$/.test(text.slice(ink, ink + marker - 1));
  return isFirst && !isBlank(text, ink + marker, end);
}
