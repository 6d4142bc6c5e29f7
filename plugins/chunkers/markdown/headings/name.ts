import { isLineBreak, splitsCodePoint } from '../../../../core/kit.ts';
import type { MarkdownBlock } from '../../../toolkit/markdown/index.ts';
import { type Decode, inlineText } from './inline.ts';
import { attributesEnd, type Definitions } from './links.ts';

const MAX_READ = 10_000;
/** Maximum characters of a heading's name, which every chunk of the section repeats. */
const MAX_NAME = 200;

/**
 * The text of a heading as a reader sees it, with single spaces and without attributes.
 *
 * @param numbered the heading's text, if only a number (without `#`) makes it a heading
 */
export function headingName(
  text: string,
  block: MarkdownBlock,
  definitions: Definitions,
  decode: Decode,
  numbered?: string,
): string {
  const plain = numbered === undefined ? plainName(text, block) : undefined;
  if (plain !== undefined) return plain;
  const words = numbered === undefined ? wordsOf(text, block) : withoutAttributes(numbered.trim());
  const name = MARKS.test(words) ? inlineText(words, definitions, decode) : words;
  return shortened(name.replaceAll(SOFT_HYPHEN, '').replace(SPACES, ' ').trim().toWellFormed());
}

const SOFT_HYPHEN = '\u00ad';
const SPACES = /\s{2,}|[^\S ]/g;
const MARKS = /[\\`<&[*_~{$]/;

function shortened(name: string): string {
  if (name.length <= MAX_NAME) return name;
  return name.slice(0, splitsCodePoint(name, MAX_NAME) ? MAX_NAME - 1 : MAX_NAME);
}

const HASH = 35;
const SPACE = 32;
const PLAIN = Uint8Array.from({ length: 128 }, (_, unit) =>
  /[!-~]/.test(String.fromCharCode(unit)) ? 1 : 0,
);
for (const mark of '#[*_~<\\`&{}^$') PLAIN[mark.charCodeAt(0)] = 0;

/** Fast path for most headings: `#`, then short, plain words with single spaces. Undefined for other headings. */
function plainName(text: string, { inner, end }: MarkdownBlock): string | undefined {
  let start = inner;
  while (text.charCodeAt(start) === HASH) start++;
  if (start === inner || start > inner + 6 || text.charCodeAt(start) !== SPACE) return undefined;
  start++;
  const last = Math.min(end, start + MAX_NAME);
  let at = start;
  for (; at < last; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 128 ? PLAIN[unit] === 1 : isLetterBeyondAscii(unit)) continue;
    if (unit !== SPACE || text.charCodeAt(at - 1) === SPACE) break;
  }
  const isWhole = at > start && (at === end || isLineBreak(text.charCodeAt(at)));
  if (!isWhole) return undefined;
  return text.slice(start, text.charCodeAt(at - 1) === SPACE ? at - 1 : at);
}

function isLetterBeyondAscii(unit: number): boolean {
  return (
    (unit > 0xad && unit < 0x1680) || (unit > 0x200f && unit < 0x2028) || (unit > 0x3000 && unit < 0xd800)
  );
}

const CLOSING = /(?:^|[ \t])#+$/;

function wordsOf(text: string, { inner, end }: MarkdownBlock): string {
  const source = text.slice(inner, Math.min(end, inner + MAX_READ)).trimEnd();
  if (!/^#{1,6}(?:[ \t]|$)/.test(source))
    return withoutAttributes(source.replace(/[\r\n]+[^\r\n]*$/, '').trimEnd());
  const words = source
    .replace(/^#+[ \t]*/, '')
    .replace(CLOSING, '')
    .trimEnd();
  const name = withoutAttributes(words);
  return name === words ? name : name.replace(CLOSING, '').trimEnd();
}

/** An identifier of a block in Obsidian: six hexadecimal digits, or a word with a letter or hyphen. */
const BLOCK_NAME = /(?:^|[ \t])\^(?=[\da-f]{6}$|[\w-]*[a-z-])[a-z\d-]{2,}$/i;
const MAX_BLOCK_NAME = 100;

function withoutAttributes(source: string): string {
  let words = source;
  for (;;) {
    const start = words.endsWith('}') ? words.lastIndexOf('{') : -1;
    const isList = start !== -1 && words[start - 1] !== '\\' && attributesEnd(words, start) === words.length;
    if (!isList) break;
    words = words.slice(0, start).trimEnd();
  }
  const tail = words.slice(-MAX_BLOCK_NAME);
  const name = tail.includes('^') ? BLOCK_NAME.exec(tail) : null;
  return name === null ? words : words.slice(0, words.length - name[0].length).trimEnd();
}
