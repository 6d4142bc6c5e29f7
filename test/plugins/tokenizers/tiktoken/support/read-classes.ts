import { get_encoding } from 'tiktoken';
import {
  CASELESS,
  LETTER,
  LOWER,
  MARK,
  NEWLINE,
  NUMBER,
  OTHER,
  SPACE,
  UPPER,
  WHITE,
} from '../../../../../plugins/tokenizers/tiktoken/unicode-classes.ts';

const BLANK = 0x20;

const properties: readonly (readonly [RegExp, number])[] = [
  [/^[\r\n]$/u, NEWLINE],
  [/^\p{White_Space}$/u, SPACE],
  [/^[\p{Lu}\p{Lt}]$/u, UPPER],
  [/^\p{Ll}$/u, LOWER],
  [/^[\p{Lm}\p{Lo}]$/u, CASELESS],
  [/^\p{M}$/u, MARK],
  [/^\p{N}$/u, NUMBER],
];

/** The class of a code point by the Unicode version of the running Node, which may be newer than tiktoken's. */
export function nodeClass(codePoint: number): number {
  const character = String.fromCodePoint(codePoint);
  return properties.find(([property]) => property.test(character))?.[1] ?? OTHER;
}

/**
 * Asks tiktoken whether it reads a code point as the given class. `.com` is a token that a symbol before it
 * takes apart (`x.` and `com`), as the blank does, and of `1234` a number before it moves the cut (`x12` and
 * `34`).
 */
export function classReader() {
  const cl100k = get_encoding('cl100k_base');
  const o200k = get_encoding('o200k_base');
  const endsWith = (encoding: typeof cl100k, text: string, ending: string) =>
    encoding.encode_ordinary(text).at(-1) === encoding.encode_ordinary(ending)[0];

  return {
    agrees(codePoint: number, expected: number): boolean {
      if (codePoint >= 0xd800 && codePoint < 0xe000) return true;
      const character = String.fromCodePoint(codePoint);
      const isNumber = endsWith(cl100k, `${character}1234`, '34');
      if (isNumber !== (expected === NUMBER)) return false;
      const standsApart = codePoint !== BLANK && (expected & (LETTER | NUMBER | WHITE)) !== 0;
      return (
        endsWith(cl100k, `${character}.com`, '.com') === standsApart &&
        endsWith(o200k, `${character}.com`, '.com') === (standsApart || expected === MARK)
      );
    },
    free() {
      cl100k.free();
      o200k.free();
    },
  };
}
