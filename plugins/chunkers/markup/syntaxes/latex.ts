import { type Block, Blocks, Held, levelsOf, type Scan, signsOf, withDenseLevels } from '../blocks.ts';
import { Lines } from '../lines.ts';
import { scanParagraphs } from './by-lines.ts';

const LEVELS = levelsOf(
  'title',
  'part',
  'chapter addchap',
  'section addsec',
  'subsection',
  'subsubsection',
  'paragraph',
  'subparagraph',
);
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

/** Finds sections and environments in the body of a document, or in a text without a preamble. */
export function scanLatex(text: string): Scan {
  const scanner = new Scanner(text);
  return { blocks: scanner.scan(), plain: plainLatex };
}

/** Reads packages, classes and styles as code, because their titles belong to definitions. */
export function scanLatexDefinitions(text: string): Scan {
  return scanParagraphs(text, 'code');
}

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
  readonly #open: string[] = [];
  /** The last offset of each `\end{...}`, and of `\]`. */
  readonly #lastEnds: ReadonlyMap<string, number>;
  readonly #body: readonly [start: number, end: number];
  #hasTitle = false;
  #at = 0;
  /** The token that was found last; undefined before the first search, null if no token is left. */
  #lastToken: RegExpExecArray | null | undefined;
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

  #tokenFrom(at: number): RegExpExecArray | null {
    if (this.#lastToken === null || (this.#lastToken !== undefined && this.#lastToken.index >= at))
      return this.#lastToken;
    TOKEN.lastIndex = at;
    this.#lastToken = TOKEN.exec(this.#text);
    return this.#lastToken;
  }

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

  /** @param start where a block that begins with the token starts */
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

  /** Reads a block up to `closing`. If the rest of the text lacks `closing`, the block is ordinary text. */
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
    const titled = argumentsAt(text, behind);
    if (
      titled === undefined ||
      text.slice(...titled.title).includes('#') ||
      DEFINED.test(text.slice(Math.max(at - 40, 0), at))
    )
      return;
    this.#hasTitle ||= isTitle;
    // An environment that contains a section is not a block.
    this.#open.length = 0;
    this.#blocks.add('heading', start, { level: LEVELS.get(name) ?? 1, title: titled.title });
    this.#at = skipSpace(text, titled.end);
    this.#isNew = true;
  }
}

/** Finds the last offset of each `\end{...}`. Otherwise each search for a missing end would read the whole text. */
function lastEndsIn(text: string): Map<string, number> {
  const ends = new Map<string, number>([['\\]', text.lastIndexOf('\\]')]]);
  for (const { 0: closing, index } of text.matchAll(/\\end\{[^{}\n]{1,60}\}/g)) ends.set(closing, index);
  return ends;
}

function languageIn(options: string): string | undefined {
  return /^(?:\[[^\]]*\])?\{([\w+#-]{1,40})\}|^\[[^\]]*language=\{?([\w+#-]{1,40})/i
    .exec(options)
    ?.slice(1)
    .find(Boolean);
}

const MAX_TITLE = 2000;

interface Arguments {
  readonly title: readonly [start: number, end: number];
  readonly end: number;
}

function argumentsAt(text: string, commandEnd: number): Arguments | undefined {
  let at = blankAt(text, text[commandEnd] === '*' ? commandEnd + 1 : commandEnd);
  if (text[at] === '[') {
    const end = closingAt(text, at, '[', ']');
    if (end === undefined) return undefined;
    at = blankAt(text, end);
  }
  if (text[at] !== '{') return undefined;
  const end = closingAt(text, at, '{', '}');
  return end === undefined ? undefined : { title: [at + 1, end - 1], end };
}

function blankAt(text: string, from: number): number {
  let at = from;
  while (at < from + MAX_TITLE && /\s/.test(text.charAt(at))) at++;
  return at;
}

/** The offset after the matching sign. Braces are balanced; comments and escapes do not count. */
function closingAt(text: string, open: number, opening: string, closing: string): number | undefined {
  let depth = 0;
  const most = Math.min(text.length, open + MAX_TITLE);
  for (let at = open; at < most; at++) {
    const sign = text[at];
    if (sign === '\\') at++;
    else if (sign === '%') at = lineEnd(text, at, most);
    else if (sign === opening || sign === '{') depth++;
    else if (sign === closing || sign === '}') {
      depth--;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

function lineEnd(text: string, from: number, most: number): number {
  let at = from;
  while (at < most && text[at] !== '\n') at++;
  return at;
}

const LABELS = /(?:\s*\\label[ \t]*\{[^{}\n]{0,200}\})*[ \t]*(?:%[^\n]*)?(?:\r?\n|\r)?/y;

/** The offset after the labels, the comment and the line break that follow a title. */
function skipSpace(text: string, end: number): number {
  LABELS.lastIndex = end;
  LABELS.test(text);
  return Math.max(LABELS.lastIndex, end);
}

/** Combining characters by the commands of accents. */
const ACCENTS = signsOf(
  `'=\u0301 \`=\u0300 ^=\u0302 "=\u0308 ~=\u0303 ==\u0304 .=\u0307 u=\u0306 v=\u030c H=\u030b c=\u0327 k=\u0328 r=\u030a d=\u0323 b=\u0331`,
);
const COMMANDS = signsOf(
  `LaTeX=LaTeX TeX=TeX LaTeXe=LaTeX2e BibTeX=BibTeX XeTeX=XeTeX LuaTeX=LuaTeX
  ss=ß ae=æ AE=Æ oe=œ OE=Œ o=ø O=Ø aa=å AA=Å l=ł L=Ł i=ı j=ȷ S=§ P=¶
  textbackslash=\\ textasciitilde=~ textasciicircum=^ textunderscore=_
  ldots=… dots=… textendash=– textemdash=— copyright=© times=× to=→ infty=∞`,
);
for (const name of 'quad qquad newline linebreak par and hfill space'.split(' ')) COMMANDS.set(name, ' ');
const GREEK = new Map(
  'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho _ sigma tau upsilon phi chi psi omega'
    .split(' ')
    .flatMap((name, index) => [
      [name, String.fromCharCode(0x3b1 + index)],
      [name.charAt(0).toUpperCase() + name.slice(1), String.fromCharCode(0x391 + index)],
    ]),
);
const DROPPED =
  /\\(?:label|index|cite[a-z]*|footnote|footnotemark|thanks|protect\b|vspace|hspace|glsadd|ref|pageref|eqref)\*?[ \t]*(?:\[[^\]]*\])?\{[^{}]*\}/g;
const PDF_STRING = /\\texorpdfstring[ \t]*\{(?:[^{}]|\{[^{}]*\})*\}[ \t]*\{((?:[^{}]|\{[^{}]*\})*)\}/g;
const ACCENT = /\\(['`^"~=.]|[uvHckrdb](?![A-Za-z]))[ \t]*(?:\{\\?([A-Za-z])\}|\\?([A-Za-z]))/g;

function plainLatex(title: string): string {
  const held = new Held();
  const plain = title
    .replace(/(?<!\\)%[^\n]*\n?[ \t]*/g, '')
    .replace(PDF_STRING, '$1')
    .replace(DROPPED, '')
    .replace(/\\\\\*?(?:\[[^\]]*\])?/g, ' ')
    .replace(
      ACCENT,
      (_, accent: string, braced?: string, bare?: string) => `${braced ?? bare}${ACCENTS.get(accent)}`,
    )
    .replace(/\\([A-Za-z@]+)\*?(?:[ \t]*\[[^\]]*\])?[ \t]*(?:\{\})?/g, (all, name: string) =>
      signOf(name, all),
    )
    .replace(/\\([,;:!/@-])/g, (_, sign: string) => (/[,;:]/.test(sign) ? ' ' : ''))
    .replace(/\\([&%$#_{} ])/g, (_, sign: string) => held.hold(sign))
    .replace(/[{}$]/g, '')
    .replace(/~/g, ' ')
    .replace(/``|''/g, '"');
  return held.release(plain).normalize('NFC');
}

function signOf(name: string, command: string): string {
  const sign = COMMANDS.get(name);
  if (sign !== undefined) return sign;
  const letter = GREEK.get(name) ?? '';
  return letter !== '' && name.length > 2 && /\s$/.test(command) ? `${letter} ` : letter;
}
