import { countUpTo } from '../../../../core/kit.ts';
import { type Block, BlockScanner, Held, type Scan } from '../blocks.ts';

/** Maximum level of a section. Every chunk repeats the path of its section. */
const MAX_LEVEL = 32;
const HEADLINE = /^(\*+)[ \t]+(.*)$/;
const OPENING = /^[ \t]*#\+begin_(\S+)(?:[ \t]+(\S+))?/i;
const DYNAMIC = /^[ \t]*#\+begin:[ \t]/i;
const TITLE = /^#\+title:[ \t]*(\S.*)$/i;
const TODO = /^#\+(?:seq_|typ_)?todo:[ \t]*(.*)$/i;
const KEYWORD = /^[ \t]*#\+\S+?:/;
const AFFILIATED =
  /^[ \t]*#\+(?:caption|name|header|headers|plot|results|attr_\w+|label|tblname|source|srcname)(?:\[.*?\])?:/i;
const COMMENT = /^[ \t]*#(?: |$)/;
const DRAWER = /^[ \t]*:[\w-]+:$/;
const DRAWER_END = /^[ \t]*:end:$/i;
const PLANNING = /^[ \t]*(?:SCHEDULED|DEADLINE|CLOSED):/;
const ITEM = /^(?:[-+]|[ \t]+\*|[ \t]*(?:\d+|[a-zA-Z])[.)]|[ \t]+[-+])(?:[ \t]|$)/;
const ENVIRONMENT = /^[ \t]*\\begin\{([^{}]{1,40})\}/;

/** Finds the blocks of Org. A line with stars within a complete block is not a headline. */
export function scanOrg(text: string): Scan {
  const scanner = new Scanner(text);
  return { blocks: scanner.scan(), plain: (title) => plainTitle(title, scanner.keywords) };
}

class Scanner extends BlockScanner {
  /** Task states that may begin a headline. */
  readonly keywords = new Set(['TODO', 'DONE']);
  /** Added to the levels of headlines: 1 if the text has a title, otherwise 0. */
  #shift = 0;
  /** Numbers of the lines that end blocks, by the key from `nameOfEnd`. */
  readonly #ends = new Map<string, number[]>();
  readonly #headlines: number[] = [];
  #isBelowHeadline = true;

  constructor(text: string) {
    super(text);
    const { lines } = this;
    for (let line = 0; line < lines.count; line++) {
      const content = lines.content(line);
      const name = nameOfEnd(content);
      if (name !== undefined) {
        const ends = this.#ends.get(name);
        if (ends === undefined) this.#ends.set(name, [line]);
        else ends.push(line);
      }
      if (HEADLINE.test(content)) this.#headlines.push(line);
      const [, states] = TODO.exec(content) ?? [];
      for (const state of states?.split(/[\s|]+/) ?? []) {
        if (state !== '') this.keywords.add(state.replace(/\(.*$/, ''));
      }
    }
  }

  protected override addBlock(line: number): number {
    const { lines } = this;
    const content = lines.content(line);
    const isBelowHeadline = this.#isBelowHeadline;
    this.#isBelowHeadline = false;
    if (this.#headline(line, content)) return line + 1;
    if (isBelowHeadline && PLANNING.test(content)) {
      this.#isBelowHeadline = true;
      this.blocks.lead(lines.start(line));
      return line + 1;
    }
    if (AFFILIATED.test(content)) {
      this.blocks.lead(lines.start(line));
      return line + 1;
    }
    return this.#delimited(line, content, isBelowHeadline) ?? this.#lined(line, content);
  }

  #headline(line: number, content: string): boolean {
    const { lines } = this;
    const [, stars, words] = HEADLINE.exec(content) ?? [];
    const title = stars === undefined && this.#shift === 0 ? TITLE.exec(content)?.[1] : words;
    if (title === undefined) return false;
    if (stars === undefined) this.#shift = 1;
    const depth = stars === undefined ? 1 : stars.length + this.#shift;
    const level = depth <= MAX_LEVEL ? depth : 0;
    const end = (lines.inks[line] as number) + content.trimStart().length;
    this.blocks.add('heading', lines.start(line), { level, title: [end - title.length, end] });
    this.#isBelowHeadline = true;
    return true;
  }

  #delimited(line: number, content: string, isBelowHeadline: boolean): number | undefined {
    const [, name, argument] = OPENING.exec(content) ?? [];
    if (name !== undefined) {
      const kind = /^(?:src|example|export|comment)$/i.test(name)
        ? 'code'
        : /^(?:quote|verse)$/i.test(name)
          ? 'quote'
          : 'block';
      return this.#until(
        line,
        `#+end_${name.toLowerCase()}`,
        kind,
        /^src$/i.test(name) ? argument : undefined,
      );
    }
    if (DYNAMIC.test(content)) return this.#until(line, '#+end', 'block');
    if (DRAWER.test(content) && !DRAWER_END.test(content)) {
      const end = this.#until(line, ':end', 'metadata');
      // The drawer of a headline is before the headline's text.
      this.#isBelowHeadline = isBelowHeadline && end !== undefined;
      return end;
    }
    const [, environment] = ENVIRONMENT.exec(content) ?? [];
    return environment === undefined ? undefined : this.#until(line, `\\end{${environment}}`, 'block');
  }

  /** Reads a block up to its last line. @returns undefined if the last line is missing or after the next headline */
  #until(line: number, name: string, kind: Block['kind'], language?: string): number | undefined {
    const { lines } = this;
    const end = lineAfter(this.#ends.get(name) ?? [], line);
    if (end === undefined) return undefined;
    const isCode = kind === 'code';
    const hidesHeadlines = (lineAfter(this.#headlines, line) ?? end) < end;
    if (!isCode && kind !== 'quote' && hidesHeadlines) return undefined;
    this.blocks.add(kind, lines.start(line), {
      hasLines: true,
      from: lines.start(line + 1),
      to: lines.start(end),
      language: language !== undefined && language.length <= 40 ? language : undefined,
    });
    return end + 1;
  }

  #lined(line: number, content: string): number {
    const kind = kindOfLine(content);
    const isItem = kind === 'list';
    const { lines } = this;
    const indent = lines.indent(line);
    const nested = isItem && this.blocks.lastKind === 'list' ? 1 + Math.min(indent >> 1, 3) : 0;
    const hasLines = kind !== 'paragraph' && !isItem;
    this.blocks.add(kind, lines.start(line), { depth: nested, hasLines });
    let end = line + 1;
    while (end < lines.count && !lines.isBlank(end) && this.#goesOn(kind, lines.content(end))) end++;
    return end;
  }

  #goesOn(kind: Block['kind'], content: string): boolean {
    if (HEADLINE.test(content) || OPENING.test(content) || AFFILIATED.test(content)) return false;
    const next = kindOfLine(content);
    return kind === 'list' ? next === 'paragraph' && /^[ \t]/.test(content) : next === kind;
  }
}

/** The first of `lines` after a line. @param lines in ascending order */
function lineAfter(lines: readonly number[], line: number): number | undefined {
  return lines[countUpTo(lines, line)];
}

function kindOfLine(content: string): Block['kind'] {
  if (/^[ \t]*\|/.test(content)) return 'table';
  if (COMMENT.test(content)) return 'comment';
  if (KEYWORD.test(content)) return 'metadata';
  if (/^[ \t]*:(?: |$)/.test(content)) return 'code';
  if (/^[ \t]*-{5,}$/.test(content)) return 'break';
  return ITEM.test(content) ? 'list' : 'paragraph';
}

/** The key of a line that ends a block, in lower case; undefined for other lines. */
function nameOfEnd(content: string): string | undefined {
  const trimmed = content.trimStart();
  if (trimmed.startsWith('\\end{')) return /^\\end\{[^{}]{1,40}\}/.exec(trimmed)?.[0];
  const lower = trimmed.length <= 60 ? trimmed.toLowerCase() : '';
  if (lower.startsWith('#+end_')) return lower;
  if (lower === '#+end:' || lower === '#+end') return '#+end';
  return lower === ':end:' ? ':end' : undefined;
}

const EMPHASIS = /(?<![^\s\-('"{[])([*/_+])(?!\s)(.{1,200}?)(?<!\s)\1(?![^\s\-.,;:!?'")}\]\\[])/g;
const VERBATIM = /(?<![^\s\-('"{[*/_+])([=~])(?!\s)(.{1,200}?)(?<!\s)\1(?![^\s\-.,;:!?'")}\]\\[*/_+])/g;

function plainTitle(title: string, keywords: ReadonlySet<string>): string {
  let plain = title.replace(/[ \t]+:[\p{L}\p{N}_@#%:]+:[ \t]*$/u, '');
  if (/^:[\p{L}\p{N}_@#%:]+:$/u.test(plain)) return '';
  const [first = ''] = plain.split(/[ \t]/, 1);
  if (keywords.has(first)) plain = plain.slice(first.length).trimStart();
  plain = plain.replace(/^\[#\w+\][ \t]*/, '').replace(/^COMMENT(?:[ \t]+|$)/, '');
  plain = plain.replace(/[ \t]*\[(?:\d*\/\d*|\d*%)\]/g, '').replace(/<<<?([^<>\n]*)>>>?/g, '');
  plain = plain.replace(/\[fn:[^\]]*\]/g, '').replace(/@@[\w-]+:.*?@@/g, '');
  plain = plain.replace(
    /\[\[([^[\]]*)\](?:\[([^[\]]*(?:\][^[\]]+)*)\])?\]/g,
    (_, target: string, words?: string) => words ?? target.replace(/^file:/, ''),
  );
  const held = new Held();
  plain = plain.replace(VERBATIM, (_, _mark, code: string) => held.hold(code));
  for (let depth = 0; depth < 2; depth++) plain = plain.replace(EMPHASIS, '$2');
  return held.release(plain);
}
