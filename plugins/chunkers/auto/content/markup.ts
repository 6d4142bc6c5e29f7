import { findMarkdownBlocks } from '../../../toolkit/markdown/index.ts';

/** Elements that texts without a head begin with; XML and code with type parameters rarely have such names. */
const ELEMENT =
  /^<(?:a|article|aside|b|blockquote|body|center|div|dl|em|figure|footer|form|h[1-6]|head|header|i|iframe|img|main|nav|ol|p|pre|section|script|span|strong|style|svg|table|ul)[\s>]/i;
const CLOSING = /<\/[a-z][a-z0-9]*\s*>/i;
/** A Markdown heading or fence; Markdown may begin with HTML. */
const MARKDOWN = /^(#{1,6} \S|```)/m;

/** Whether a text is HTML: by its doctype or root element, or because it begins with an HTML element. */
export function isHtml(sample: string): boolean {
  const start = sample.replace(/^\uFEFF?\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*)*/, '');
  if (/^<(!doctype\s+html|html)\b/i.test(start)) return true;
  return ELEMENT.test(start) && CLOSING.test(start) && !MARKDOWN.test(sample);
}

/** Whether an HTML text is only a table. */
export function isHtmlTable(text: string): boolean {
  const trimmed = text.trim().toLowerCase();
  return /^<table[\s>]/.test(trimmed) && trimmed.indexOf('</table>') === trimmed.length - '</table>'.length;
}

/** A heading, or a comment of many languages. */
const HEADING = /^(#{1,6}) \S.*$/gm;
/** A link, emphasis or code in Markdown syntax. */
const MARK = /\[[^[\]\n]+\]\([^)\s]{1,500}\)|\*\*\S[^*\n]*\*\*|`[^`\n]+`/g;
/** A list item, which plain texts may also have. */
const ITEM = /^[-*+] \S/gm;
/** Minimum marks and items in a text without a heading of its own, a fence or a table. */
const MIN_MARKS = 2;

/** Whether a text is Markdown (`markdown`), only a Markdown table (`table`), or neither (`recursive`). */
export function proseOrMarkdown(sample: string): 'markdown' | 'table' | 'recursive' {
  const headings = headingsIn(sample);
  // No table holds a heading, so that its blocks need not be found.
  if (headings.ofTheirOwn > 0) return 'markdown';
  const blocks = findMarkdownBlocks(sample);
  const tables = blocks.filter(({ kind }) => kind === 'table').length;
  if (tables > 0) return tables === blocks.length ? 'table' : 'markdown';
  if (blocks[0]?.kind === 'front_matter') return 'markdown';
  const marks = headings.all + (sample.match(MARK)?.length ?? 0);
  const items = sample.match(ITEM)?.length ?? 0;
  return marks > 0 && marks + items >= MIN_MARKS ? 'markdown' : 'recursive';
}

interface Headings {
  readonly all: number;
  /** Those followed by a blank line. */
  readonly ofTheirOwn: number;
}

const NO_HEADINGS: Headings = { all: 0, ofTheirOwn: 0 };

/** The headings of a text. Lines of one level of which most stand next to other text are comments. */
function headingsIn(sample: string): Headings {
  let [all, ofTheirOwn, alone] = [0, 0, 0];
  const levels = new Set<string>();
  for (const { 0: line, 1: level, index } of sample.matchAll(HEADING)) {
    all++;
    levels.add(level as string);
    const isFollowed = !/^\r?\n[ \t]*\r?(?:\n|$)/.test(
      sample.slice(index + line.trimEnd().length, index + line.length + 80),
    );
    if (isFollowed) continue;
    ofTheirOwn++;
    if (/(?:^|\n[ \t]*\r?\n)$/.test(sample.slice(Math.max(index - 80, 0), index))) alone++;
  }
  return all > 1 && levels.size < 2 && alone < all / 2 ? NO_HEADINGS : { all, ofTheirOwn };
}
