import { type Block, Blocks, type Scan, withDenseLevels } from '../blocks.ts';
import { Lines } from '../lines.ts';
import { argumentsAt, plainLatex, skipSpace } from './latex-titles.ts';

const LEVELS: Readonly<Record<string, number>> = {
  ...{ title: 1, part: 2, chapter: 3, addchap: 3, section: 4, addsec: 4, subsection: 5, subsubsection: 6 },
  ...{ paragraph: 7, subparagraph: 8 },
};
const TOKEN =
  /\\(?:(begin|end)[ \t]*\{([^{}\n]{1,60})\}|(part|chapter|(?:sub){0,2}section|(?:sub)?paragraph|title|addchap|addsec)(?![A-Za-z@])|verb\*?([^A-Za-z\s*])|[^\n])|%/g;
const VERBATIM =
  /(?:verbatim|listing|minted|^comment|^filecontents|^alltt|^code|Code)[A-Za-z]*\*?$|^tcblisting$/i;
const WHOLE =
  /^(?:equation|align|alignat|flalign|gather|multline|eqnarray|displaymath|math|array|tabular|tabularx|longtable|figure|wrapfigure|table|sidewaystable|tikzpicture|tikzcd|algorithm|algorithmic|picture|pspicture|subequations|mathpar|prooftree)\*?$/;
const TABLE = /^(?:tabular|tabularx|longtable|table|sidewaystable)\*?$/;
/** The text before a command that is defined or passed on instead of used. */
const DEFINED =
  /(?:\\(?:re|provide|Declare)?(?:new)?(?:command|robustcmd|DeclareRobustCommand)\*?|\\[egx]?def|\\let|\\expandafter|\\string|\\csname|=)[ \t]*\{?[ \t]*$/;
const MAX_OPEN = 64;

/** Finds the sections and environments of LaTeX in the body of a document, or in a text without a preamble. */
export function scanLatex(text: string): Scan {
  const scanner = new Scanner(text);
  return { blocks: scanner.scan(), plain: plainLatex };
}

/** A text whose commands define others: packages, classes, styles. No title counts. */
export function scanLatexDefinitions(text: string): Scan {
  const lines = new Lines(text);
  const blocks = new Blocks();
  for (let line = lines.firstInked(0); line < lines.count; line = lines.firstInked(lines.firstBlank(line)))
    blocks.add('code', lines.start(line), { hasLines: true });
  return { blocks: blocks.finish(text.length), plain: plainLatex };
}

/** BibTeX: entries are whole. */
export function scanBibliography(text: string): Scan {
  const lines = new Lines(text);
  const blocks = new Blocks();
  for (let line = 0; line < lines.count; line++)
    if (/^[ \t]*@\w+[ \t]*[{(]/.test(lines.content(line)))
      blocks.add('block', lines.start(line), { hasLines: true, from: lines.start(line) });
  return { blocks: blocks.finish(text.length), plain: plainLatex };
}

class Scanner {
  readonly #text: string;
  readonly #lines: Lines;
  readonly #blocks = new Blocks();
  /** Names of the environments that are open. */
  readonly #open: string[] = [];
  /** Where each environment ends last; the last `\]`. */
  readonly #lastEnds: ReadonlyMap<string, number>;
  /** Where the body begins and ends. */
  readonly #body: readonly [start: number, end: number];
  #hasTitle = false;
  /** Where the next token is read: after titles and verbatim text. */
  #at = 0;
  /** The last token that was looked for; null if there are no more. */
  #found: RegExpExecArray | null | undefined;
  /** Whether the next line with text begins a block. */
  #isNew = true;

  constructor(text: string) {
    this.#text = text;
    this.#lines = new Lines(text);
    this.#lastEnds = lastEndsIn(text);
    const start = /^[^%\n]*\\document(?:class|style)\b/m.test(text) ? text.indexOf('\\begin{document}') : 0;
    const end = text.lastIndexOf('\\end{document}');
    this.#body = [start === -1 ? text.length : start, end === -1 ? text.length : end];
  }

  scan(): readonly Block[] {
    const lines = this.#lines;
    for (let line = 0; line < lines.count; line++) {
      if (lines.next(line) <= this.#at) continue;
      if (lines.isBlank(line)) this.#isNew = true;
      else this.#line(line);
    }
    return withDenseLevels(this.#blocks.finish(this.#text.length));
  }

  #line(line: number): void {
    const lines = this.#lines;
    const start = Math.max(lines.start(line), this.#at);
    const end = lines.next(line);
    const ink = Math.max(lines.inks[line] as number, this.#at);
    this.#beginBlock(start, ink, end);
    this.#at = start;
    while (this.#at < end) {
      const token = this.#tokenFrom(this.#at);
      if (token === null || token.index >= end || token[0] === '%') break;
      this.#at = token.index + token[0].length;
      this.#token(token, token.index === ink ? start : token.index, end);
    }
    this.#at = Math.max(this.#at, end);
  }

  /** The first token from an offset on. The last one found serves as long as it is not before the offset. */
  #tokenFrom(at: number): RegExpExecArray | null {
    if (this.#found === null || (this.#found !== undefined && this.#found.index >= at)) return this.#found;
    TOKEN.lastIndex = at;
    this.#found = TOKEN.exec(this.#text);
    return this.#found;
  }

  /** Adds a block at the beginning of a line, unless the line continues one. */
  #beginBlock(start: number, ink: number, end: number): void {
    const text = this.#text;
    if (text.slice(start, end).trim() === '') return;
    const isItem = text.startsWith('\\item', ink) && !/[A-Za-z]/.test(text.charAt(ink + 5));
    const opens =
      text.startsWith('\\begin', ink) || isItem || /^\\(?:bibitem|\[)/.test(text.slice(ink, ink + 8));
    if (!this.#isNew && !opens) return;
    const isComment = text[ink] === '%';
    const isPreamble = start < this.#body[0];
    const kind = isItem ? 'list' : isComment ? 'comment' : isPreamble ? 'metadata' : 'paragraph';
    this.#blocks.add(kind, start, { depth: this.#open.length, hasLines: isPreamble || isComment });
    this.#isNew = false;
  }

  /** @param start of the block that a token at the beginning of a line begins */
  #token(token: RegExpExecArray, start: number, lineEnd: number): void {
    const [all, bound, environment = '', section, quote] = token;
    if (quote !== undefined) {
      const end = this.#text.indexOf(quote, this.#at);
      if (end !== -1 && end < lineEnd) this.#at = end + 1;
    } else if (section !== undefined) this.#section(section, token.index, start, this.#at);
    else if (bound === 'begin') this.#begin(environment, start, lineEnd);
    else if (bound === 'end') this.#end(environment);
    else if (all === '\\[') this.#whole('\\]', 'block', start);
  }

  #begin(name: string, start: number, lineEnd: number): void {
    const isVerbatim = VERBATIM.test(name);
    if (isVerbatim || WHOLE.test(name)) {
      const language = isVerbatim
        ? languageIn(this.#text.slice(this.#at, Math.min(lineEnd, this.#at + 200)))
        : undefined;
      this.#whole(
        `\\end{${name}}`,
        isVerbatim ? 'code' : TABLE.test(name) ? 'table' : 'block',
        start,
        language,
      );
      return;
    }
    if (name !== 'document' && this.#open.length < MAX_OPEN) this.#open.push(name);
  }

  #end(name: string): void {
    const open = this.#open.lastIndexOf(name);
    if (open !== -1) this.#open.length = open;
    this.#isNew = true;
  }

  /** Reads what is whole if it fits, to its end; without an end it is text. */
  #whole(closing: string, kind: Block['kind'], start: number, language?: string): void {
    const text = this.#text;
    if ((this.#lastEnds.get(closing) ?? -1) < this.#at) return;
    const end = text.indexOf(closing, this.#at);
    const to = Math.max(text.lastIndexOf('\n', end), start);
    this.#blocks.add(kind, start, { hasLines: true, depth: this.#open.length, from: this.#at, to, language });
    this.#at = end + closing.length;
    this.#isNew = true;
  }

  #section(name: string, at: number, start: number, behind: number): void {
    const text = this.#text;
    const isTitle = name === 'title';
    const [from, to] = this.#body;
    if (at >= to || (isTitle ? this.#hasTitle || from === 0 : at < from)) return;
    const found = argumentsAt(text, behind);
    if (
      found === undefined ||
      text.slice(...found.title).includes('#') ||
      DEFINED.test(text.slice(Math.max(at - 40, 0), at))
    )
      return;
    this.#hasTitle ||= isTitle;
    // An environment with a section in it is not a block.
    this.#open.length = 0;
    this.#blocks.add('heading', start, { level: LEVELS[name] ?? 1, title: found.title });
    this.#at = skipSpace(text, found.end);
    this.#isNew = true;
  }
}

/** The last place of everything that ends what is whole. A search for each that is missing would read the whole text. */
function lastEndsIn(text: string): Map<string, number> {
  const found = new Map<string, number>([['\\]', text.lastIndexOf('\\]')]]);
  for (const { 0: closing, index } of text.matchAll(/\\end\{[^{}\n]{1,60}\}/g)) found.set(closing, index);
  return found;
}

/** The language that the options of a listing name. */
function languageIn(options: string): string | undefined {
  return /^(?:\[[^\]]*\])?\{([\w+#-]{1,40})\}|^\[[^\]]*language=\{?([\w+#-]{1,40})/i
    .exec(options)
    ?.slice(1)
    .find(Boolean);
}
