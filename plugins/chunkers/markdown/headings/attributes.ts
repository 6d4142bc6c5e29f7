import { matchEnd } from '../../../../core/kit.ts';

const OPENING = /\{(?::[ \t]*|[ \t]*)/y;
const SPACE = /[ \t]+/y;
/** An identifier, a class, or a value with a name of several letters, because `{x=1}` is a set. */
const ATTRIBUTE =
  /#[^\s{}"'#]+|\.[\p{L}_-][^\s{}"'#.]*|[\p{L}_:@][\w:.@-]+=(?:"[^"\r\n]*"|'[^'\r\n]*'|[^\s{}"']*)/uy;
/** The name of attributes that are defined elsewhere, after a colon. */
const NAME = /[\p{L}_][\w-]*/uy;
const UNNUMBERED = /\{-\}/y;

/** The end of a list of attributes, such as `{#id .class key="value"}`, `{: .class}` or `{-}`; -1 if there is none. */
export function attributesEnd(source: string, start: number): number {
  if (source[start] !== '{') return -1;
  const unnumbered = matchEnd(UNNUMBERED, source, start);
  if (unnumbered !== -1) return unnumbered;
  const inner = matchEnd(OPENING, source, start);
  const hasColon = source[start + 1] === ':';
  let at = inner;
  for (let next = inner; next !== -1; next = itemEnd(source, at, hasColon)) at = next;
  return at > inner && source[at] === '}' ? at + 1 : -1;
}

function itemEnd(source: string, at: number, hasColon: boolean): number {
  const space = matchEnd(SPACE, source, at);
  if (space !== -1) return space;
  const attribute = matchEnd(ATTRIBUTE, source, at);
  return attribute === -1 && hasColon ? matchEnd(NAME, source, at) : attribute;
}

/** The name of a block in Obsidian: six hexadecimal digits, or a word with a letter or hyphen, unlike an exponent. */
const BLOCK_NAME = /(?:^|[ \t])\^(?=[\da-f]{6}$|[\w-]*[a-z-])[a-z\d-]{2,}$/i;
const MAX_BLOCK_NAME = 100;

export function withoutAttributes(source: string): string {
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
