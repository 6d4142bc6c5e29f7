import fc from 'fast-check';

const SURROGATES = 0x800;
const FIRST_SURROGATE = 0xd800;

/** A code point, other than a surrogate. */
const character = fc
  .nat(0x10ffff - SURROGATES)
  .map((index) => String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES));

/**
 * Texts of any characters, as `fc.string({ unit: 'binary' })` makes them, which first spends seconds on a table of all
 * of Unicode.
 */
export const anyCharacters = (maxLength: number): fc.Arbitrary<string> =>
  fc.array(character, { maxLength }).map((list) => list.join(''));
