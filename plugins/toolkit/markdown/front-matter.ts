import { matchEnd } from '../../../core/engine/search.ts';
import { openBlock } from './block.ts';
import type { Scan } from './scan.ts';

const OPENING = /^\ufeff?(---|\+\+\+)[ \t]*(?:\r\n|\r|\n)/;
/** A comment or a member. */
const FIRST = /[ \t]*(?:(#)|[^\s:=][^:=\r\n]*[:=])/y;
/** A blank line, or a comment. */
const EMPTY_LINE = /[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n)/y;
/** A member of YAML or TOML whose name has one or two words: more are the beginning of a sentence. */
const MEMBER_LINE =
  /(?:["']?[\w.$-]+(?: [\w.$-]+)?["']?[ \t]*(?::(?=\s)|=)[^\r\n]*|\[+[\w.-]+\]+[ \t]*)(?:\r\n|\r|\n)/y;
/** What belongs to the member above: it is indented, an item, or closes a bracket. */
const INNER_LINE = /[ \t\-\]}][^\r\n]*(?:\r\n|\r|\n)/y;

/**
 * Metadata between lines of `---` or `+++` at the beginning of the text, which begins with a member. After a comment,
 * which could be a heading, all of its lines have to be metadata. A document that begins with a rule keeps it.
 */
export function readFrontMatter({ text, line, found }: Scan): void {
  const open = OPENING.exec(text);
  if (open === null) return;
  const start = open[0].length;
  FIRST.lastIndex = start;
  const first = FIRST.exec(text);
  if (first === null) return;
  const close = open[1] === '---' ? /^(?:---|\.\.\.)[ \t]*$/gm : /^\+\+\+[ \t]*$/gm;
  close.lastIndex = start;
  const last = close.exec(text);
  if (last === null || (first[1] !== undefined && !isData(text, start, last.index))) return;
  while (line.next <= last.index) line.read();
  found.push(openBlock('front_matter', 0, line.next, 0, 0));
}

/** Whether all lines of a stretch are comments, blank or members, at least one of them a member. */
function isData(text: string, start: number, end: number): boolean {
  let hasMember = false;
  for (let at = start; at < end; ) {
    let next = matchEnd(EMPTY_LINE, text, at);
    if (next === -1 && hasMember) next = matchEnd(INNER_LINE, text, at);
    if (next === -1) {
      next = matchEnd(MEMBER_LINE, text, at);
      hasMember = true;
    }
    if (next === -1) return false;
    at = next;
  }
  return hasMember;
}
