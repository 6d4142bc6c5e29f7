import fc from 'fast-check';
import { anyText } from '../../server/testing/cases/texts.ts';
import { createRandom, pick, type Random } from '../support/random.ts';

/** Texts that follow from a seed, of at least the given number of UTF-16 code units. */

const PROSE = [
  'The baker kneads the dough before it rests in a warm place. ',
  'Telescopes collect the light of distant galaxies! ',
  'Is the river deep enough for ships? ',
  'Ein Satz auf Deutsch, mit Umlauten: für, über, schön. ',
  '这是一个关于天气的句子。今天下雨。',
  'Это предложение о музыке. ',
  '😀 Smiles travel far. ',
  'A paragraph ends here.\n\n',
];

const CODE = [
  'def area(width, height):\n    """The area of a rectangle."""\n    return width * height\n\n\n',
  'class Shape:\n    def __init__(self, name):\n        self.name = name  # é 😀\n\n    def show(self):\n        print(self.name)\n\n\n',
  'for index in range(10):\n    if index % 2:\n        continue\n    print("値", index)\n\n',
  'names = ["one", "two", "three"]\n',
];

/** Sentences of several scripts, and between them whatever Unicode has. */
export function proseOf(units: number, seed: number): string {
  const odd = fc.sample(anyText, { numRuns: 50, seed });
  return join(units, seed, (random) => (random() < 0.05 ? pick(random, odd) : pick(random, PROSE)));
}

/** Python. */
export function codeOf(units: number, seed: number): string {
  return join(units, seed, (random) => pick(random, CODE));
}

function join(units: number, seed: number, next: (random: Random) => string): string {
  const random = createRandom(seed);
  const parts: string[] = [];
  for (let length = 0; length < units; ) {
    const part = next(random);
    parts.push(part);
    length += part.length;
  }
  return parts.join('');
}
