import { Held } from '../held.ts';

/** Longest title that is read, with its short form. */
const MAX_TITLE = 2000;

interface Arguments {
  readonly title: readonly [start: number, end: number];
  readonly end: number;
}

/** The title that follows a command for a section: after a star and a short title; undefined if there is none. */
export function argumentsAt(text: string, behind: number): Arguments | undefined {
  let at = blankAt(text, text[behind] === '*' ? behind + 1 : behind);
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

/** After the sign that closes the one at an offset; braces are balanced, comments and escapes do not count. */
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
export function skipSpace(text: string, end: number): number {
  LABELS.lastIndex = end;
  LABELS.test(text);
  return Math.max(LABELS.lastIndex, end);
}

const ACCENTS: Readonly<Record<string, string>> = {
  ...{
    "'": '\u0301',
    '`': '\u0300',
    '^': '\u0302',
    '"': '\u0308',
    '~': '\u0303',
    '=': '\u0304',
    '.': '\u0307',
  },
  ...{
    u: '\u0306',
    v: '\u030c',
    H: '\u030b',
    c: '\u0327',
    k: '\u0328',
    r: '\u030a',
    d: '\u0323',
    b: '\u0331',
  },
};
const WORDS: Readonly<Record<string, string>> = {
  ...{ LaTeX: 'LaTeX', TeX: 'TeX', LaTeXe: 'LaTeX2e', BibTeX: 'BibTeX', XeTeX: 'XeTeX', LuaTeX: 'LuaTeX' },
  ...{
    ss: 'ß',
    ae: 'æ',
    AE: 'Æ',
    oe: 'œ',
    OE: 'Œ',
    o: 'ø',
    O: 'Ø',
    aa: 'å',
    AA: 'Å',
    l: 'ł',
    L: 'Ł',
    i: 'ı',
    j: 'ȷ',
  },
  ...{ textbackslash: '\\', textasciitilde: '~', textasciicircum: '^', textunderscore: '_', S: '§', P: '¶' },
  ...{
    ldots: '…',
    dots: '…',
    textendash: '–',
    textemdash: '—',
    copyright: '©',
    times: '×',
    to: '→',
    infty: '∞',
  },
  ...{ quad: ' ', qquad: ' ', newline: ' ', linebreak: ' ', par: ' ', and: ' ', hfill: ' ', space: ' ' },
};
const GREEK = Object.fromEntries(
  'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho _ sigma tau upsilon phi chi psi omega'
    .split(' ')
    .flatMap((name, at) => {
      const capital = name.charAt(0).toUpperCase() + name.slice(1);
      return [
        [name, String.fromCharCode(0x3b1 + at)],
        [capital, String.fromCharCode(0x391 + at)],
      ];
    }),
);
const DROPPED =
  /\\(?:label|index|cite[a-z]*|footnote|footnotemark|thanks|protect\b|vspace|hspace|glsadd|ref|pageref|eqref)\*?[ \t]*(?:\[[^\]]*\])?\{[^{}]*\}/g;
const PDF_STRING = /\\texorpdfstring[ \t]*\{(?:[^{}]|\{[^{}]*\})*\}[ \t]*\{((?:[^{}]|\{[^{}]*\})*)\}/g;
const ACCENT = /\\(['`^"~=.]|[uvHckrdb](?![A-Za-z]))[ \t]*(?:\{\\?([A-Za-z])\}|\\?([A-Za-z]))/g;

/** A title without commands, labels, notes and comments, with accents and special characters. */
export function plainLatex(title: string): string {
  const held = new Held();
  const plain = title
    .replace(/(?<!\\)%[^\n]*\n?[ \t]*/g, '')
    .replace(PDF_STRING, '$1')
    .replace(DROPPED, '')
    .replace(/\\\\\*?(?:\[[^\]]*\])?/g, ' ')
    .replace(
      ACCENT,
      (_, accent: string, braced?: string, bare?: string) => `${braced ?? bare}${ACCENTS[accent]}`,
    )
    .replace(/\\([A-Za-z@]+)\*?(?:[ \t]*\[[^\]]*\])?[ \t]*(?:\{\})?/g, (all, name: string) =>
      wordOf(name, all),
    )
    .replace(/\\([,;:!/@-])/g, (_, sign: string) => (/[,;:]/.test(sign) ? ' ' : ''))
    .replace(/\\([&%$#_{} ])/g, (_, sign: string) => held.hold(sign))
    .replace(/[{}$]/g, '')
    .replace(/~/g, ' ')
    .replace(/``|''/g, '"');
  return held.release(plain).normalize('NFC');
}

function wordOf(name: string, all: string): string {
  const known = Object.hasOwn(WORDS, name)
    ? WORDS[name]
    : Object.hasOwn(GREEK, name)
      ? GREEK[name]
      : undefined;
  if (known === undefined) return '';
  return /\s$/.test(all) && !/[\s\\]$/.test(known) && name.length > 2 && !Object.hasOwn(WORDS, name)
    ? `${known} `
    : known;
}
