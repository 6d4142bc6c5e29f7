import { decodeReferences } from '../../../toolkit/markup/index.ts';
import { type Block, BlockScanner, type Scan, signsOf } from '../blocks.ts';

const TITLE = /^(={1,6}|#{1,6})[ \t]+(\S.*)$/;
const UNDERLINE = /^([=\-~^+])\1*$/;
const UNDERLINES = '=-~^+';
const TITLED = /^(?!\.).*[\p{L}\p{N}_]/u;
const VERBATIM = /^(?:-{4,}|\.{4,}|\+{4,}|\/{4,}|[|,:!]={3,})$/;
const COMPOUND = /^(?:={4,}|\*{4,}|_{4,}|--|"")$/;
const FENCE = /^```(?:[^\s`]\S*)?$/;
const ATTRIBUTES = /^\[(?:|\[[\p{L}_:][^\]]*\]|[\p{L}\p{N}_.#%{,"'].*)\]$/u;
const BLOCK_TITLE = /^\.\.?[^ \t.]/;
const ENTRY = /^:(!?[\p{L}\p{N}_][^:]*):(?:[ \t]+(.*))?$/u;
const PREPROCESSOR = /^(?:ifn?def|ifeval|endif)::/;
const BREAK = /^(?:'{3,}|<{3,}|---|- - -|\*\*\*|\* \* \*)$/;
const ITEM = /^[ \t]*(?:[-•]|\*{1,5}|\.{1,5}|\d+\.|[a-zA-Z]\.|[ivxIVX]+\)|<[\d.]+>)[ \t]+\S/;
const TERM = /^[ \t]*[^\s/].*?(?::{2,4}|;;)(?:[ \t]|$)/;
const RAW_STYLE = /^\[(?:source|listing|literal|stem|latexmath|asciimath|pass|verse)\b/;
const SOURCE = /^\[(?:source)?(?:%\w+)*,[ ]*(?:language=)?["']?([\w+#.-]{1,40})/;
const MAX_NESTING = 8;

/** Finds blocks as Asciidoctor does. A title counts only where a block may begin, outside other blocks. */
export function scanAsciiDoc(text: string): Scan {
  const scanner = new Scanner(text);
  return { blocks: scanner.scan(), plain: (title) => plainTitle(title, scanner.attributes) };
}

class Scanner extends BlockScanner {
  /** Values of attributes; undefined for an attribute with several values. */
  readonly attributes = new Map<string, string | undefined>();
  readonly #open: string[] = [];
  #isFirst = true;
  /** Added to the levels of titles: 1 in a book, because its parts are below the book's title; otherwise 0. */
  #shift = 0;
  /** The attributes of the next block. */
  #isDiscrete = false;
  #isRaw = false;
  #language: string | undefined;
  #isAttached = false;

  override scan(): readonly Block[] {
    return super.scan(this.#frontMatter());
  }

  #frontMatter(): number {
    const { lines } = this;
    if (lines.content(0) !== '---') return 0;
    let end = 1;
    while (end < lines.count && lines.content(end) !== '---') end++;
    if (end >= lines.count || end === 1) return 0;
    this.blocks.add('metadata', 0, { hasLines: true, from: lines.start(1), to: lines.start(end) });
    return end + 1;
  }

  protected override addBlock(line: number): number {
    const content = this.lines.content(line);
    const beforeBlock = this.#beforeBlock(line, content);
    if (beforeBlock !== undefined) return beforeBlock;
    const end = this.#title(line, content) ?? this.#delimited(line, content) ?? this.#text(line, content);
    this.#isFirst = false;
    this.#isDiscrete = false;
    this.#isRaw = false;
    this.#isAttached = false;
    this.#language = undefined;
    return end;
  }

  #beforeBlock(line: number, content: string): number | undefined {
    const { lines } = this;
    const open = this.#open.indexOf(content);
    if (open !== -1) {
      this.#open.length = open;
      return line + 1;
    }
    if (isComment(content)) return this.#comment(line);
    if (content === '+') this.#isAttached = true;
    else if (PREPROCESSOR.test(content)) {
      if (!content.startsWith('endif')) this.blocks.lead(lines.start(line));
    } else if (ATTRIBUTES.test(content)) this.#attribute(line, content);
    else if (BLOCK_TITLE.test(content) && !this.lines.isBlank(line + 1)) this.blocks.lead(lines.start(line));
    else if (ENTRY.test(content)) return this.#entry(line, content);
    else return undefined;
    return line + 1;
  }

  /** Reads comments. They may be between a block and the lines that describe the block. */
  #comment(line: number): number {
    const { lines } = this;
    let end = line;
    while (end < lines.count && isComment(lines.content(end))) end++;
    if (this.blocks.hasLead) this.blocks.lead(lines.start(line));
    else this.blocks.add('comment', lines.start(line), { hasLines: true, depth: this.#depth() });
    return end;
  }

  #attribute(line: number, content: string): void {
    this.blocks.lead(this.lines.start(line));
    if (/^\[(?:discrete|float)\b/.test(content)) this.#isDiscrete = true;
    if (RAW_STYLE.test(content) || SOURCE.test(content)) this.#isRaw = true;
    this.#language = SOURCE.exec(content)?.[1] ?? this.#language;
  }

  #entry(line: number, content: string): number {
    const { lines } = this;
    const [, name = '', value = ''] = ENTRY.exec(content) ?? [];
    const isNew = !this.attributes.has(name) || this.attributes.get(name) === value;
    this.attributes.set(name, isNew ? value : undefined);
    if (name === 'doctype' && value === 'book') this.#shift = 1;
    const depth = this.blocks.lastKind === 'metadata' ? 1 : 0;
    this.blocks.add('metadata', lines.start(line), { depth });
    let end = line + 1;
    while (end < lines.count && lines.content(end - 1).endsWith(' \\')) end++;
    return end;
  }

  #title(line: number, content: string): number | undefined {
    const { lines } = this;
    const marked = TITLE.exec(content);
    const isDiscrete = this.#isDiscrete;
    if (!isDiscrete && (this.#open.length > 0 || this.#isAttached)) return undefined;
    const level = marked === null ? this.#underlined(line, content) : (marked[1] as string).length;
    if (level === 0) return undefined;
    const behindMark = marked === null ? 0 : content.length - (marked[2] as string).length;
    const start = (lines.inks[line] as number) + behindMark;
    const isHeader = this.#isFirst && level === 1;
    const end = line + (marked === null ? 2 : 1);
    this.blocks.add('heading', lines.start(line), {
      level: isDiscrete ? 0 : level + (isHeader ? 0 : this.#shift),
      title: [start, start + content.length - behindMark],
    });
    return isHeader ? this.#header(end) : end;
  }

  /** The level of a title whose underline is about as long as the title; 0 for other lines. */
  #underlined(line: number, content: string): number {
    const underline = this.lines.content(line + 1);
    const [, mark] = UNDERLINE.exec(underline) ?? [];
    if (mark === undefined || !TITLED.test(content)) return 0;
    return Math.abs([...content].length - underline.length) < 2 ? UNDERLINES.indexOf(mark) + 1 : 0;
  }

  #header(line: number): number {
    const { lines } = this;
    if (lines.isBlank(line)) return line;
    let at = line;
    for (; at < lines.count && !lines.isBlank(at); at++) {
      const content = lines.content(at);
      const [, name = '', value = ''] = ENTRY.exec(content) ?? [];
      if (name !== '') this.attributes.set(name, value);
      if (name === 'doctype' && value === 'book') this.#shift = 1;
    }
    this.blocks.add('metadata', lines.start(line), { hasLines: true });
    return at;
  }

  #delimited(line: number, content: string): number | undefined {
    const { lines } = this;
    const depth = this.#depth();
    if (COMPOUND.test(content) && this.#open.length < MAX_NESTING) {
      this.blocks.lead(lines.start(line));
      if (this.#isRaw) return this.#verbatim(line, content, 'code');
      this.#open.push(content);
      if (lines.firstInked(line + 1) >= lines.count) this.blocks.add('block', lines.start(line), { depth });
      return line + 1;
    }
    if (FENCE.test(content)) {
      this.#language ??= content.slice(3, 43) || undefined;
      return this.#verbatim(line, '```', 'code');
    }
    if (!VERBATIM.test(content)) return undefined;
    const isTable = /^[|,:!]=/.test(content);
    return this.#verbatim(line, content, isTable ? 'table' : content.startsWith('/') ? 'comment' : 'code');
  }

  #verbatim(line: number, delimiter: string, kind: Block['kind']): number {
    const { lines } = this;
    let end = line + 1;
    while (end < lines.count && lines.content(end) !== delimiter) end++;
    this.blocks.add(kind, lines.start(line), {
      hasLines: true,
      depth: this.#depth(),
      from: lines.start(line + 1),
      to: lines.start(Math.min(end, lines.count)),
      language: kind === 'code' ? this.#language : undefined,
    });
    return Math.min(end + 1, lines.count);
  }

  #depth(): number {
    return this.#open.length + (this.#isAttached ? 2 : 0);
  }

  #text(line: number, content: string): number {
    const { lines } = this;
    if (BREAK.test(content)) {
      this.blocks.add('break', lines.start(line), { depth: this.#depth() });
      return line + 1;
    }
    const isItem = ITEM.test(content) || TERM.test(content);
    const isLiteral = this.#isRaw || (!isItem && lines.isIndented(line));
    const kind = isItem ? 'list' : isLiteral ? 'code' : 'paragraph';
    const nested = isItem && this.blocks.lastKind === 'list' ? 1 + markerDepth(content) : 0;
    this.blocks.add(kind, lines.start(line), {
      depth: this.#depth() + nested,
      hasLines: isLiteral,
      language: isLiteral ? this.#language : undefined,
    });
    let end = line + 1;
    while (end < lines.count && !lines.isBlank(end) && !this.#endsText(lines.content(end), isItem)) end++;
    return end;
  }

  #endsText(content: string, isItem: boolean): boolean {
    if (VERBATIM.test(content) || COMPOUND.test(content) || FENCE.test(content)) return true;
    if (ATTRIBUTES.test(content) || this.#open.includes(content)) return true;
    return isItem && (content === '+' || ITEM.test(content) || TERM.test(content));
  }
}

function isComment(content: string): boolean {
  return content.startsWith('//') && !content.startsWith('///');
}

function markerDepth(content: string): number {
  const [, mark = ''] = /^[ \t]*(\*{1,5}|\.{1,5})[ \t]/.exec(content) ?? [];
  return Math.min(Math.max(mark.length - 1, 0), 3);
}

const INTRINSIC = signsOf(
  `empty= zwsp= cpp=C++ plus=+ amp=& lt=< gt=> apos=' quot=" asterisk=* tilde=~ caret=^ backslash=\\ backtick=\`
  two-colons=:: startsb=[ endsb=] vbar=| hash=# deg=° ndash=– mdash=—`,
);
for (const name of ['nbsp', 'sp']) INTRINSIC.set(name, ' ');
const CONSTRAINED = ['*', '_', '`', '#'].map((mark) => {
  const sign = `\\${mark}`;
  const other = `[^\\${mark}]`;
  return new RegExp(
    `(?<![\\w${sign};:}])(?:\\[[^\\]]*\\])?${sign}(\\S(?:${other}*[^\\s${sign}])?)${sign}(?!\\w)`,
    'g',
  );
});

function plainTitle(title: string, attributes: ReadonlyMap<string, string | undefined>): string {
  const attributeValue = (all: string, name: string) =>
    attributes.get(name.toLowerCase()) ?? INTRINSIC.get(name) ?? all;
  let plain = title
    .replace(/[ \t]+(?:={1,6}|#{1,6})$/, '')
    .replace(/\[\[[^\]]*\]\]|anchor:[^\s[]+\[[^\]]*\]/g, '');
  // A value may name another attribute.
  for (let depth = 0; depth < 3; depth++) plain = plain.replace(/(?<!\\)\{([\w-]+)\}/g, attributeValue);
  plain = plain
    .replace(/(?:link|xref|mailto):[^\s[]*\[([^\]]*)\]/g, (_, words: string) => words.replace(/[,^].*$/, ''))
    .replace(/\bhttps?:[^\s[]+\[([^\]]+)\]/g, (_, words: string) => words.replace(/[,^].*$/, ''))
    .replace(/<<[^<>,]*(?:,([^<>]*))?>>/g, (all, words?: string) => words?.trim() ?? all)
    .replace(/(?:image|icon|footnote|indexterm2?|pass):[^\s[]*\[([^\]]*)\]/g, (all, words: string) =>
      /^(?:pass|indexterm2)/.test(all) ? words : '',
    )
    .replace(/(?:kbd|btn|menu):[^\s[]*\[([^\]]*)\]/g, '$1')
    .replace(/(\*\*|__|``|##|\+\+\+|\+\+)(?!\s)(.+?)\1/g, '$2');
  for (const mark of CONSTRAINED) plain = plain.replace(mark, '$1');
  return decodeReferences(
    plain.replace(/(?<!\w)\+(\S(?:[^+]*\S)?)\+(?!\w)/g, '$1').replace(/\\([{*_`#+[<])/g, '$1'),
  );
}
