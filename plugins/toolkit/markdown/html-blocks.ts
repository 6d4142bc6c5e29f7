import { matchEnd } from '../../../core/engine/search.ts';

/** Which of CommonMark's seven kinds of HTML block a line begins. */
export const NO_HTML = 0;
export const TAG_ALONE = 7;

const BLOCKS =
  `address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt
  fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link
  main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th thead
  title tr track ul`.replace(/\s+/g, '|');

/** How the first kinds begin and end. Those without an end, and a tag alone, end before a blank line. */
const KINDS: readonly (readonly [opening: RegExp, closing?: RegExp])[] = [
  [/^<(?:script|pre|style|textarea)(?:[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<![a-z]/i, />/],
  [/^<!\[CDATA\[/, /\]\]>/],
  [new RegExp(`^</?(?:${BLOCKS})(?:\\s|/?>|$)`, 'i')],
];

/** The kind of HTML block that begins with the `<` at `start`, on a line whose text ends at `end`. */
export function htmlKindOf(text: string, start: number, end: number): number {
  const line = text.slice(start, end);
  // Most lines are of the last kind.
  for (let kind = KINDS.length; kind > 0; kind--) if (KINDS[kind - 1]?.[0].test(line)) return kind;
  return isTagAlone(line) ? TAG_ALONE : NO_HTML;
}

/** Whether a block of a kind ends with the line `[start, end)`. */
export function closesHtml(kind: number, text: string, start: number, end: number): boolean {
  return KINDS[kind - 1]?.[1]?.test(text.slice(start, end)) ?? false;
}

const CLOSING_TAG = /^<\/[a-z][a-z0-9-]*[ \t]*>[ \t]*$/i;
const TAG_START = /<[a-z][a-z0-9-]*/iy;
const ATTRIBUTE = /[ \t]+[a-z_:][\w.:-]*(?:[ \t]*=[ \t]*(?:"[^"]*"|'[^']*'|[^ \t"'=<>`]+))?/iy;
const TAG_END = /[ \t]*\/?>[ \t]*$/y;

/** Whether a line is one complete tag and nothing else. One expression for all of it could overflow its stack. */
function isTagAlone(line: string): boolean {
  if (CLOSING_TAG.test(line)) return true;
  let at = matchEnd(TAG_START, line, 0);
  if (at === -1) return false;
  for (let next = at; next !== -1; next = matchEnd(ATTRIBUTE, line, at)) at = next;
  return matchEnd(TAG_END, line, at) !== -1;
}
