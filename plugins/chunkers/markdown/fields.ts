import { keepOptimised, type Located, type Span, withFields } from '../../../core/kit.ts';
import type { HeadingPaths } from '../../toolkit/heading-paths.ts';
import { LineEnds } from '../../toolkit/lines.ts';
import type { BlockKind, MarkdownBlock } from '../../toolkit/markdown/index.ts';

export interface Markdown {
  readonly text: string;
  readonly outer: readonly MarkdownBlock[];
  readonly opened: readonly MarkdownBlock[];
  readonly paths: HeadingPaths;
}

/**
 * Adds to each chunk its heading path, kinds of blocks, language and table rows.
 *
 * @param spans in the order of the text
 * @param lists whether to list the blocks of each chunk
 */
export function describe(
  { text, outer, opened, paths }: Markdown,
  spans: readonly Span[],
  lists: boolean,
): Span[] {
  const rows = new RowCounter(text);
  const described: Span[] = [];
  let top = 0;
  let first = 0;
  for (const span of spans) {
    top = firstAfter(outer, top, span.start);
    first = firstAfter(opened, first, span.start);
    const fields = {
      heading_path: paths.within(span.start, span.end),
      kinds: kindsIn(outer, top, span.end),
      language: languageIn(text, opened, first, span.end),
      rows: rowsIn(opened, first, span, rows),
    };
    const extra = span.extra === undefined ? fields : { ...fields, ...span.extra };
    const located = lists ? { blocks: locatedIn(text, outer, top, span) } : undefined;
    described.push(withFields(span, extra, located));
  }
  return described;
}

function firstAfter(blocks: readonly MarkdownBlock[], from: number, offset: number): number {
  let index = from;
  while (index < blocks.length && (blocks[index] as MarkdownBlock).end <= offset) index++;
  return index;
}

function kindsIn(blocks: readonly MarkdownBlock[], first: number, end: number): BlockKind[] {
  const kinds: BlockKind[] = [];
  for (let index = first; index < blocks.length; index++) {
    const { kind, start } = blocks[index] as MarkdownBlock;
    if (start >= end) break;
    if (!kinds.includes(kind)) kinds.push(kind);
  }
  return kinds;
}

function languageIn(
  text: string,
  blocks: readonly MarkdownBlock[],
  first: number,
  end: number,
): string | undefined {
  let common: string | undefined;
  for (let index = first; index < blocks.length; index++) {
    const block = blocks[index] as MarkdownBlock;
    if (block.start >= end) break;
    const language = languageOf(text, block);
    if (language === undefined || language === common) continue;
    if (common !== undefined) return undefined;
    common = language;
  }
  return common;
}

function rowsIn(
  blocks: readonly MarkdownBlock[],
  first: number,
  { start, end }: Span,
  rows: RowCounter,
): [number, number] | undefined {
  let table: MarkdownBlock | undefined;
  for (let index = first; index < blocks.length; index++) {
    const block = blocks[index] as MarkdownBlock;
    if (block.start >= end) break;
    if (block.kind !== 'table') continue;
    if (table !== undefined) return undefined;
    table = block;
  }
  if (table === undefined || end <= table.inner) return undefined;
  const from = rows.before(table, Math.max(start, table.inner)) + 1;
  return [from, Math.max(rows.before(table, Math.min(end, table.end)), from)];
}

/** Counts the rows of tables. Offsets must not decrease between calls. */
class RowCounter {
  readonly #lines: LineEnds;
  #table: MarkdownBlock | undefined;
  #at = 0;
  #rows = 0;

  constructor(text: string) {
    this.#lines = new LineEnds(text);
  }

  before(table: MarkdownBlock, end: number): number {
    if (this.#table !== table) {
      this.#table = table;
      this.#at = table.inner;
      this.#rows = 0;
    }
    for (; this.#at < end; this.#rows++) this.#at = this.#lines.next(this.#at);
    return this.#rows;
  }
}

keepOptimised(new RowCounter(''));

function locatedIn(text: string, blocks: readonly MarkdownBlock[], first: number, span: Span): Located[] {
  const located: Located[] = [];
  for (let index = first; index < blocks.length; index++) {
    const block = blocks[index] as MarkdownBlock;
    if (block.start >= span.end) break;
    const { kind, level } = block;
    const language = languageOf(text, block);
    located.push({
      start: Math.max(block.start, span.start),
      end: Math.min(block.end, span.end),
      fields: { kind, ...(level > 0 ? { level } : {}), ...(language === undefined ? {} : { language }) },
    });
  }
  return located;
}

const MAX_READ = 200;
const MAX_NAME = 40;

/** The info string of a fence, or the arguments of a tag of Jekyll, Octopress or Hugo. */
const INFO =
  /^(?:`{3,}|~{3,}|\{%-?[ \t]*(?:highlight|codeblock)\b|\{\{[<%][ \t]*highlight\b)[ \t]*([^\r\n]*)/;
/** The language in an info string, before annotations of tools: `js{4}`, `rust,no_run`, `js:title`, `js=12`. */
const WORD = /^(?:lang(?:uage)?-)?([^\s`~{}%,:;=]+)(?=$|[\s`~{}%,:;]|=(?:\d|\s|$))/i;
/** Braces with classes (`{.python .numberLines}`), a raw format (`{=html}`), or an engine (`{r, echo=FALSE}`). */
const CLASS = /[\s{]\.([^\s`{}.,=]+)/g;
const FORMAT = /^\{=([\w-]+)\}/;
const ENGINE = /^\{+[ \t]*([a-z][\w+#.-]*)[ \t]*[}\s,;]/i;
/** Directives of MyST. A language follows the name of a directive only if the directive is for code. */
const CODE_DIRECTIVE = /^\{(?:code|code-block|code-cell|sourcecode)\}[ \t]*/;
const DIRECTIVE = /^\{[\w:.-]+\}[ \t]*\S/;
const DIRECTIVES: ReadonlySet<string> = new Set(
  `admonition attention caution danger dropdown error exercise figure hint image important include list-table math note
  proof seealso tab-item tab-set table tableofcontents tip toctree topic warning`.split(/\s+/),
);
const NUMBERING = /^(?:number-?lines|line-?numbers|line-?anchors)$/i;

function languageOf(text: string, { kind, inner, end }: MarkdownBlock): string | undefined {
  if (kind !== 'fence') return undefined;
  const info = INFO.exec(text.slice(inner, Math.min(end, inner + MAX_READ)))?.[1] ?? '';
  const name = info.startsWith('{') ? inBraces(info) : WORD.exec(info)?.[1];
  return name !== undefined && name.length <= MAX_NAME && /\p{L}/u.test(name) ? name : undefined;
}

function inBraces(info: string): string | undefined {
  const code = CODE_DIRECTIVE.exec(info);
  if (code !== null) return WORD.exec(info.slice(code[0].length))?.[1];
  if (DIRECTIVE.test(info)) return undefined;
  const format = FORMAT.exec(info)?.[1];
  if (format !== undefined) return format;
  const engine = ENGINE.exec(info)?.[1];
  if (engine !== undefined) return DIRECTIVES.has(engine) ? undefined : engine;
  for (const [, name] of info.slice(0, info.indexOf('}') + 1).matchAll(CLASS))
    if (name !== undefined && !NUMBERING.test(name)) return name.replace(/^language-/, '');
  return undefined;
}
