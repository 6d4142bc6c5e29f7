import { type Block, Blocks, Held, type Scan } from '../blocks.ts';
import { Lines } from '../lines.ts';

/** A line of one punctuation character, which underlines a title or divides a text. */
const ADORNMENT = /^([!-/:-@[-`{-~])\1*$/;
/** Shortest line that is an adornment even if a title is longer than it. */
const MIN_ADORNMENT = 4;
const GRID_TABLE = /^\+-[-+]+-\+$/;
const SIMPLE_TABLE = /^=+(?: +=+)+$/;
const BORDER = /^=+[ =]*$/;
const EXPLICIT = /^\.\.(?: |$)|^__(?: |$)/;
const DIRECTIVE = /^\.\. (?:\|[^|]+\| )?([\w:+.-]+?) ?::(?: +(.*))?$/;
const TARGET = /^\.\. _(?!_)[^:]*(?::[^:]+)*:$|^\.\. index::|^\.\. _[^:]+:\s*$/;
const CODE =
  /^(?:code-block|sourcecode|code|literalinclude|parsed-literal|doctest|testcode|prompt|highlight|raw|math|graphviz|ipython|jupyter-execute)$/;
const TABLE = /^(?:table|csv-table|list-table|flat-table)$/;
const ITEM = /^(?:[-+*•‣⁃]|\(?(?:\d+|#|[A-Za-z]|[ivxlcdmIVXLCDM]+)[.)]|\|)(?: +|$)/;
const FIELD = /^:(?![: ])(?:[^:\\]|\\.|:(?!$|[ `]))*:(?: +|$)/;
const DOCTEST = />>>(?: |$)/y;

/**
 * Finds the blocks of reStructuredText as docutils does: titles stand only at the left margin, and their levels are in
 * the order in which their adornments appear.
 */
export function scanRestructuredText(text: string): Scan {
  const scanner = new Scanner(new Lines(text));
  return { blocks: scanner.scan(), plain: (title) => plainTitle(title, scanner.replacements) };
}

class Scanner {
  readonly replacements = new Map<string, string>();
  readonly #lines: Lines;
  readonly #blocks = new Blocks();
  /** The adornments of titles, that of the highest level first. */
  readonly #styles: string[] = [];
  #level = 0;
  /** Whether an indented block is literal, because the paragraph before it ends in `::`. */
  #isLiteral = false;
  #hasTable = true;

  constructor(lines: Lines) {
    this.#lines = lines;
  }

  scan(): readonly Block[] {
    const lines = this.#lines;
    for (let line = lines.firstInked(0); line < lines.count; line = lines.firstInked(line))
      line = this.#block(line);
    return this.#blocks.finish(lines.text.length);
  }

  /** Adds the block that begins with a line. Returns the line after it. */
  #block(line: number): number {
    const lines = this.#lines;
    const wasLiteral = this.#isLiteral;
    this.#isLiteral = false;
    if (lines.indent(line) > 0) return this.#indented(line, wasLiteral);
    const content = lines.content(line);
    if (wasLiteral && /^[!-/:-@[-`{-~]/.test(content)) return this.#quotedLiteral(line, content);
    if (GRID_TABLE.test(content)) return this.#table(line, lines.firstBlank(line));
    if (SIMPLE_TABLE.test(content)) return this.#simpleTable(line, content);
    if (EXPLICIT.test(content)) return this.#explicit(line, content);
    const behindTitle = ADORNMENT.test(content)
      ? this.#overlined(line, content)
      : this.#underlined(line, content);
    return behindTitle ?? this.#text(line, content);
  }

  #indented(line: number, isLiteral: boolean): number {
    const end = this.#lines.firstFlush(line);
    this.#add(isLiteral ? 'code' : 'quote', line, line, 0);
    return end;
  }

  #quotedLiteral(line: number, content: string): number {
    const lines = this.#lines;
    this.#add('code', line, line, 0);
    let at = line;
    while (at < lines.count && !lines.isBlank(at) && lines.content(at)[0] === content[0]) at++;
    return at;
  }

  /** @param first the line of its content */
  #add(kind: Block['kind'], line: number, first: number, depth: number, language?: string): void {
    const lines = this.#lines;
    const from = lines.start(Math.min(first, lines.count));
    this.#blocks.add(kind, lines.start(line), { hasLines: true, from, depth, language });
  }

  #table(line: number, end: number): number {
    this.#add('table', line, line + 2, 0);
    return end;
  }

  /** A simple table ends with its second border, or with one before a blank line. */
  #simpleTable(line: number, content: string): number {
    const lines = this.#lines;
    let found = 0;
    for (let at = line + 1; this.#hasTable && at < lines.count; at++) {
      const border = lines.content(at);
      if (!BORDER.test(border)) continue;
      if (border.length !== content.length) return this.#table(line, at);
      found++;
      if (found === 2 || lines.isBlank(at + 1)) return this.#table(line, at + 1);
    }
    this.#hasTable = false;
    return this.#text(line, content);
  }

  /** A directive, a comment, a target, a footnote: with all indented lines below it. */
  #explicit(line: number, content: string): number {
    const lines = this.#lines;
    const isEmptyComment = content === '..' && lines.isBlank(line + 1);
    const end = isEmptyComment ? line + 1 : lines.firstFlush(line + 1);
    const [, name, argument = ''] = DIRECTIVE.exec(content) ?? [];
    if (name === 'replace') this.#replacement(content, argument);
    if (TARGET.test(content)) {
      this.#blocks.lead(lines.start(line));
      return end;
    }
    const kind = kindOfDirective(name, content);
    const language = kind === 'code' && /^(?:code|sourcecode|code-block)$/.test(name ?? '') ? argument : '';
    const first = kind === 'comment' ? line : lines.firstInked(line + 1);
    this.#add(kind, line, first, 0, /^\S{1,40}$/.test(language) ? language : undefined);
    return end;
  }

  #replacement(content: string, argument: string): void {
    const [, name] = /^\.\. \|([^|]+)\|/.exec(content) ?? [];
    if (name !== undefined) this.replacements.set(name.toLowerCase(), argument);
  }

  /** A title between two adornments, or a transition; undefined if the line is text. */
  #overlined(line: number, overline: string): number | undefined {
    const lines = this.#lines;
    if (overline === '::') return undefined;
    const isShort = overline.length < MIN_ADORNMENT;
    if (lines.isBlank(line + 1)) {
      if (isShort) return undefined;
      this.#blocks.add('break', lines.start(line));
      return line + 1;
    }
    const title = lines.content(line + 1);
    const isAdorned = lines.content(line + 2) === overline && !lines.isIndented(line + 2);
    if (!isAdorned || (isShort && widthOf(title) > overline.length)) return undefined;
    return this.#title(line, line + 1, `${overline[0]}${overline[0]}`) ? line + 3 : undefined;
  }

  /** A title above an adornment; undefined if the line is text. */
  #underlined(line: number, content: string): number | undefined {
    const lines = this.#lines;
    const underline = lines.content(line + 1);
    if (!ADORNMENT.test(underline) || lines.isIndented(line + 1)) return undefined;
    if (isItem(content, lines, line) || FIELD.test(content) || DOCTEST.test(content)) return undefined;
    if (underline.length < MIN_ADORNMENT && widthOf(content) > underline.length) return undefined;
    return this.#title(line, line, underline[0] as string) ? line + 2 : undefined;
  }

  /** Adds a title, unless its level is inconsistent. @param titled the line of its words */
  #title(line: number, titled: number, style: string): boolean {
    const lines = this.#lines;
    const known = this.#styles.indexOf(style);
    const isNew = known === -1;
    if (isNew ? this.#styles.length !== this.#level : known > this.#level) return false;
    if (isNew) this.#styles.push(style);
    this.#level = isNew ? this.#styles.length : known + 1;
    const title = [lines.inks[titled] as number, lines.next(titled)] as const;
    this.#blocks.add('heading', lines.start(line), { level: this.#level, title });
    return true;
  }

  /** A paragraph, an item or a field. */
  #text(line: number, content: string): number {
    const lines = this.#lines;
    const isField = FIELD.test(content);
    const isListed = isItem(content, lines, line) || isField || lines.isIndented(line + 1);
    if (isListed) return this.#item(line, isField ? 'metadata' : 'list');
    let end = line + 1;
    while (end < lines.count && !lines.isBlank(end) && lines.indent(end) === 0) end++;
    this.#isLiteral = lines.content(end - 1).endsWith('::');
    this.#blocks.add('paragraph', lines.start(line));
    return end;
  }

  #item(line: number, kind: 'list' | 'metadata'): number {
    const lines = this.#lines;
    const isNext = this.#blocks.lastKind === kind;
    this.#add(kind, line, line, isNext ? 1 : 0);
    return lines.firstFlush(line + 1);
  }
}

function kindOfDirective(name: string | undefined, content: string): Block['kind'] {
  if (name === undefined)
    return /^\.\. [_[|]/.test(content) || content.startsWith('__') ? 'metadata' : 'comment';
  if (CODE.test(name)) return 'code';
  return TABLE.test(name) ? 'table' : 'block';
}

/** Whether a line begins an item. One with a number does not if the next line is neither blank, indented nor an item. */
function isItem(content: string, lines: Lines, line: number): boolean {
  if (!ITEM.test(content)) return false;
  if (/^[-+*•‣⁃|]/.test(content)) return true;
  return lines.isBlank(line + 1) || lines.isIndented(line + 1) || ITEM.test(lines.content(line + 1));
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/g;
const COMBINING = /\p{M}/gu;

/** Columns that a title takes. */
function widthOf(title: string): number {
  const wide = title.match(WIDE)?.length ?? 0;
  const combining = /[^ -~]/.test(title) ? (title.match(COMBINING)?.length ?? 0) : 0;
  return [...title].length + wide - combining;
}

const LITERAL = /``(.+?)``(?![`\w])/g;
const ROLE = /:[\w.+:-]+:`((?:[^`\\]|\\.)+)`/g;
const PHRASE = /`((?:[^`\\]|\\.)+)`(?:__?|:[\w.+:-]+:)?/g;
const HIDDEN = /^(?:!|~(?:.*\.)?)/;

/** A title without roles, references, emphasis and escapes. */
function plainTitle(title: string, replacements: ReadonlyMap<string, string>): string {
  const held = new Held();
  const hidden = title.replace(LITERAL, (_, code: string) => held.hold(code));
  const plain = hidden
    .replace(ROLE, (_, words: string) => withoutTarget(words).replace(HIDDEN, ''))
    .replace(PHRASE, (_, words: string) => withoutTarget(words))
    .replace(
      /\|([^|\s](?:[^|]*[^|\s])?)\|(?:__?)?/g,
      (all, name: string) => replacements.get(name.toLowerCase()) ?? all,
    )
    .replace(/(?<![\w*\\])\*\*(\S(?:[^*]*[^*\s\\])?)\*\*(?![\w*])/g, '$1')
    .replace(/(?<![\w*\\])\*(\S(?:[^*]*[^*\s\\])?)\*(?![\w*])/g, '$1')
    .replace(/(?<=[A-Za-z0-9])__?(?![\w])/g, '')
    .replace(/\\ /g, '')
    .replace(/\\(.)/g, '$1');
  return held.release(plain);
}

/** The words of a reference without the target in angle brackets. */
function withoutTarget(words: string): string {
  return words.replace(/\s*<[^<>]*>$/, '') || words;
}
