import type { Shapes } from '../../../support/linear-work.ts';

/** Texts that are hard on parsers, of about a given length. Those with a `!` are no JSON, and read with `tolerant`. */
export const HOSTILE_SHAPES: Shapes = {
  'nested lists': (length) => '['.repeat(length / 2) + ']'.repeat(length / 2),
  'nested objects': (length) => `${'{"a":'.repeat(length / 6)}1${'}'.repeat(length / 6)}`,
  'lists that nest and go on': (length) => `${'[1,'.repeat(length / 6)}1${',2]'.repeat(length / 6)}`,
  'long names that nest': (length) => {
    const name = 'n'.repeat(200);
    return `${`{"${name}":`.repeat(length / 205)}1${'}'.repeat(length / 205)}`;
  },
  'one string': (length) => `["${'x'.repeat(length)}"]`,
  'one string of words': (length) => `["${'word '.repeat(length / 5)}"]`,
  'one string of escapes': (length) => `["${'\\u00e9'.repeat(length / 6)}"]`,
  'one string of backslashes': (length) => `["${'\\\\'.repeat(length / 2)}"]`,
  'one number': (length) => '1'.repeat(length),
  'empty strings': (length) => `[${'"",'.repeat(length / 3)}1]`,
  'empty lists': (length) => `[${'[],'.repeat(length / 3)}1]`,
  'members of one name': (length) => `{${'"a":1,'.repeat(length / 6)}"a":1}`,
  'numbers on lines': (length) => '1\n'.repeat(length / 2),
  'values on one line': (length) => '{}'.repeat(length / 2),
  'white space within': (length) => `[1,${' '.repeat(length)}2]`,
  'blank lines within': (length) => `[1,${'\r\n'.repeat(length / 2)}2]`,
  'spaces behind records': (length) => `1${' \n'.repeat(length / 2)}2`,
  'commas!': (length) => ','.repeat(length),
  'quotes!': (length) => '"'.repeat(length),
  'openings!': (length) => '[{'.repeat(length / 2),
  'closings!': (length) => ']}'.repeat(length / 2),
  'backslashes!': (length) => `"${'\\'.repeat(length)}`,
  'strings that never end!': (length) => '"a\n'.repeat(length / 3),
  'NUL!': (length) => '\0'.repeat(length),
  'halves of pairs!': (length) => '\\ud83d\ud83d'.repeat(length / 7),
  'prose!': (length) => 'Words, and more. '.repeat(length / 17),
};

/** What a shape needs to be read at all. */
export function optionsFor(shape: string): object {
  return { tolerant: shape.endsWith('!') };
}
