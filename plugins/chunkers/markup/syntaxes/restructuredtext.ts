import { type Block, BlockScanner, Held, type Scan } from '../blocks.ts';
import type { Lines } from '../lines.ts';

/** A line of one repeated punctuation character: the underline of a title, or a transition. */
const ADORNMENT = /^([!-/:-@[-`{-~])\1*$/;
/** An adornment of at least this length may be shorter than its title. */
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
 * Finds blocks as docutils does. Titles begin at the left margin. The adornment that is used first in a text marks the
 * highest level.
 */
export function scanRestructuredText(text: string): Scan {
  const scanner = new Scanner(text);
  return { blocks: scanner.scan(), plain: (title) => plainTitle(title, scanner.replacements) };
}

class Scanner extends BlockScanner {
  readonly replacements = new Map<string, string>();
  /** Adornments of titles, highest level first. */
  readonly #styles: string[] = [];
  #level = 0;
  /** Whether the last paragraph ends in `::`, so that the next indented block is literal. */
  #isLiteral = false;
  #hasTable = true;

  protected override addBlock(line: number): number {
    const { lines } = this;
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
    const end = this.lines.firstFlush(line);
    this.#add(isLiteral ? 'code' : 'quote', line, line, 0);
    return end;
  }

  #quotedLiteral(line: number, content: string): number {
    const { lines } = this;
    this.#add('code', line, line, 0);
    let at = line;
    while (at < lines.count && !lines.isBlank(at) && lines.content(at)[0] === content[0]) at++;
    return at;
  }

  /** @param first first line of the content */
  #add(kind: Block['kind'], line: number, first: number, depth: number, language?: string): void {
    const { lines } = this;
    const from = lines.start(Math.min(first, lines.count));
    this.blocks.add(kind, lines.start(line), { hasLines: true, from, depth, language });
  }

  #table(line: number, end: number): number {
    this.#add('table', line, line + 2, 0);
    return end;
  }

  /** A simple table ends at its second border, or at a border before a blank line. */
  #simpleTable(line: number, content: string): number {
    const { lines } = this;
    let borders = 0;
    for (let at = line + 1; this.#hasTable && at < lines.count; at++) {
      const border = lines.content(at);
      if (!BORDER.test(border)) continue;
      if (border.length !== content.length) return this.#table(line, at);
      borders++;
      if (borders === 2 || lines.isBlank(at + 1)) return this.#table(line, at + 1);
    }
    this.#hasTable = false;
    return this.#text(line, content);
  }

  #explicit(line: number, content: string): number {
    const { lines } = this;
    const isEmptyComment = content === '..' && lines.isBlank(line + 1);
    const end = isEmptyComment ? line + 1 : lines.firstFlush(line + 1);
    const [, name, argument = ''] = DIRECTIVE.exec(content) ?? [];
    if (name === 'replace') this.#replacement(content, argument);
    if (TARGET.test(content)) {
      this.blocks.lead(lines.start(line));
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

  /** Reads a title between two adornments, or a transition. @returns undefined if the line is text */
  #overlined(line: number, overline: string): number | undefined {
    const { lines } = this;
    if (overline === '::') return undefined;
    const isShort = overline.length < MIN_ADORNMENT;
    if (lines.isBlank(line + 1)) {
      if (isShort) return undefined;
      this.blocks.add('break', lines.start(line));
      return line + 1;
    }
    const title = lines.content(line + 1);
    const isAdorned = lines.content(line + 2) === overline && !lines.isIndented(line + 2);
    if (!isAdorned || (isShort && widthOf(title) > overline.length)) return undefined;
    return this.#title(line, line + 1, `${overline[0]}${overline[0]}`) ? line + 3 : undefined;
  }

  /** @returns undefined if the line is text */
  #underlined(line: number, content: string): number | undefined {
    const { lines } = this;
    const underline = lines.content(line + 1);
    if (!ADORNMENT.test(underline) || lines.isIndented(line + 1)) return undefined;
    if (isItem(content, lines, line) || FIELD.test(content) || DOCTEST.test(content)) return undefined;
    if (underline.length < MIN_ADORNMENT && widthOf(content) > underline.length) return undefined;
    return this.#title(line, line, underline[0] as string) ? line + 2 : undefined;
  }

  /** Adds a title, unless its level is inconsistent. @param titled the line that contains the words of the title */
  #title(line: number, titled: number, style: string): boolean {
    const { lines } = this;
    const index = this.#styles.indexOf(style);
    const isNew = index === -1;
    if (isNew ? this.#styles.length !== this.#level : index > this.#level) return false;
    if (isNew) this.#styles.push(style);
    this.#level = isNew ? this.#styles.length : index + 1;
    const title = [lines.inks[titled] as number, lines.next(titled)] as const;
    this.blocks.add('heading', lines.start(line), { level: this.#level, title });
    return true;
  }

  #text(line: number, content: string): number {
    const { lines } = this;
    const isField = FIELD.test(content);
    const isListed = isItem(content, lines, line) || isField || lines.isIndented(line + 1);
    if (isListed) return this.#item(line, isField ? 'metadata' : 'list');
    let end = line + 1;
    while (end < lines.count && !lines.isBlank(end) && lines.indent(end) === 0) end++;
    this.#isLiteral = lines.content(end - 1).endsWith('::');
    this.blocks.add('paragraph', lines.start(line));
    return end;
  }

  #item(line: number, kind: 'list' | 'metadata'): number {
    const { lines } = this;
    const isNext = this.blocks.lastKind === kind;
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

/** Whether a line begins an item. After a numbered item, the next line is blank, indented or an item. */
function isItem(content: string, lines: Lines, line: number): boolean {
  if (!ITEM.test(content)) return false;
  if (/^[-+*•‣⁃|]/.test(content)) return true;
  return lines.isBlank(line + 1) || lines.isIndented(line + 1) || ITEM.test(lines.content(line + 1));
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/g;
const COMBINING = /\p{M}/gu;

/** Wide characters have two columns, combining characters none. */
function widthOf(title: string): number {
  const wide = title.match(WIDE)?.length ?? 0;
  const combining = /[^ -~]/.test(title) ? (title.match(COMBINING)?.length ?? 0) : 0;
  return [...title].length + wide - combining;
}

const LITERAL = /``(.+?)``(?![`\w])/g;
const ROLE = /:[\w.+:-]+:`((?:[^`\\]|\\.)+)`/g;
const PHRASE = /`((?:[^`\\]|\\.)+)`(?:__?|:[\w.+:-]+:)?/g;
const HIDDEN = /^(?:!|~(?:.*\.)?)/;

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

function withoutTarget(words: string): string {
  return words.replace(/\s*<[^<>]*>$/, '') || words;
}
