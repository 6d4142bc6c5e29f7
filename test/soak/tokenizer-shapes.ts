import { createRandom as createShares } from '../support/random.ts';

/** Gives numbers from 0 up to `below`, the same ones for the same seed. */
export type Random = (below: number) => number;

export function createRandom(seed: number): Random {
  const random = createShares(seed);
  return (below) => Math.floor(random() * below);
}

/** Texts of a given length that have made other tokenizers slow. */
export const SHAPES: Readonly<Record<string, (length: number, random: Random) => string>> = {
  'one letter': (length) => 'a'.repeat(length),
  'capital letters': (length) => 'A'.repeat(length),
  spaces: (length) => ' '.repeat(length),
  'spaces before a line end': (length) => `${' '.repeat(length)}\n${' '.repeat(length)}x`,
  'line ends and spaces': (length) => '\n '.repeat(length / 2),
  dots: (length) => '.'.repeat(length),
  'random letters': randomLetters,
  base64: (length, random) => Buffer.from(fill(length, () => random(128))).toString('base64'),
  Chinese: (length, random) => fill(length, () => 0x4e00 + random(0x5000)),
  emoji: (length) => '😀'.repeat(length / 2),
  'half pairs': (length) => '\ud83d'.repeat(length),
  marks: (length) => '\u0301'.repeat(length),
  'capitals after one caseless letter': (length) => `中${'A'.repeat(length)}`,
  apostrophes: (length) => "'".repeat(length),
};

/** One long piece that no table has seen. */
export function randomLetters(length: number, random: Random): string {
  return fill(length, () => 97 + random(26));
}

function fill(length: number, unit: () => number): string {
  return Buffer.from(Uint16Array.from({ length }, unit).buffer).toString('utf16le');
}
