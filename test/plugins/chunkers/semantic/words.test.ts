import fc from 'fast-check';
import t from 'tap';
import {
  meanOverlap,
  readWords,
  type SentenceWords,
  USUAL_OVERLAP,
  wordOverlaps,
} from '../../../../plugins/chunkers/semantic/words.ts';
import { modelOf, sum, textsOf } from './support/sentences.ts';

function read(sentences: readonly string[]): SentenceWords {
  const boundaries = [0];
  for (const sentence of sentences) boundaries.push((boundaries.at(-1) as number) + sentence.length);
  return readWords(sentences.join(''), boundaries, [...sentences.keys()]);
}

function rowsOf({ starts, ids, weights, size }: SentenceWords): number[][] {
  return Array.from({ length: starts.length - 1 }, (_, row) => {
    const values = new Array<number>(size).fill(0);
    for (let at = starts[row] as number; at < (starts[row + 1] as number); at++)
      values[ids[at] as number] = weights[at] as number;
    return values;
  });
}

const product = (a: readonly number[], b: readonly number[]) =>
  sum(a.map((value, at) => value * (b[at] as number)));

/** Whether the first two of three sentences share a word. The third has that of neither. */
const shares = (one: string, other: string) => {
  const [a = [], b = []] = rowsOf(read([one, other, 'xyz. ']));
  return product(a, b) > 0;
};

t.test('words count regardless of case and ending, in every script', async (t) => {
  for (const [one, other] of [
    ['Das Erdbeben. ', 'die ERDBEBENS. '],
    ['Землетрясение ', 'землетрясения '],
    ['đất đai ', 'ĐẤT nước '],
    ['地震発生。', '大地震。'],
    ['แผ่นดินไหว ', 'แผ่นดิน '],
  ] as const)
    t.ok(shares(one, other), `${one}${other}`);
  for (const [one, other] of [
    ['earth ', 'earn '],
    ['ました。', 'ました！'],
    ['地面。', '地震。'],
    ['... ', '... '],
  ] as const)
    t.notOk(shares(one, other), `${one}${other}`);
});

/** The runs that `readWords` finds by classes of characters, as one pattern. */
const RUNS =
  /([\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}ー]{1,1000})|[[\p{L}\p{M}\p{N}]--[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}ー]]{1,1000}/gv;

function wordsBy(text: string): string[] {
  return [...text.toLowerCase().matchAll(RUNS)].flatMap(([run, dense]) => {
    if (dense === undefined) return run.slice(0, 5);
    const characters = [...dense];
    const pairs = characters.slice(1).map((character, at) => `${characters[at]}${character}`);
    return pairs.filter((pair) => !/^\p{sc=Hira}{2}$/u.test(pair));
  });
}

t.test('words are those of a pattern, in long runs and surrogate pairs too', async () => {
  const unit = fc.constantFrom(
    ...[
      'a',
      'E',
      'é',
      'e\u0301',
      '7',
      ' ',
      '.',
      'İ',
      'ひ',
      'か',
      'カ',
      '字',
      '震',
      'ก',
      'ี',
      '😀',
      '𠀀',
      '𐐀',
      '\ud800',
    ],
    ...['x'.repeat(999), '字'.repeat(999), '𠀀𐐀'.repeat(600)],
  );
  const anySentence = fc.string({ unit, maxLength: 12 });
  const isRight = fc.property(fc.array(anySentence, { minLength: 1, maxLength: 4 }), (sentences) => {
    const ids = new Map<string, number>();
    const rows = sentences.map((sentence) => new Set(wordsBy(sentence)));
    for (const word of rows.flatMap((row) => [...row])) if (!ids.has(word)) ids.set(word, ids.size);
    const { starts, ids: found, size } = read(sentences);
    const expected = rows.map((row) => [...row].map((word) => ids.get(word)));
    const actual = rows.map((_, row) => [...found.subarray(starts[row], starts[row + 1])]);
    if (size !== ids.size || JSON.stringify(actual) !== JSON.stringify(expected))
      throw new Error(`${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
  });
  fc.assert(isRight, { numRuns: 500 });
});

t.test('rows have the length 1, and rare words weigh more', async (t) => {
  const words = read(['bread moon. ', 'bread star. ', 'bread moon. ', 'bread. ', '!!! ']);
  const rows = rowsOf(words);
  for (const [at, row] of rows.entries()) t.ok(Math.abs(product(row, row) - (at < 4 ? 1 : 0)) < 1e-9);
  t.ok((rows[0]?.[1] as number) > (rows[0]?.[0] as number));
  const pairs = rows.flatMap((row, at) => rows.slice(at + 1).map((other) => product(row, other)));
  t.ok(Math.abs(meanOverlap(words) - sum(pairs) / pairs.length) < 1e-9);
});

t.test('the overlap at a gap is a cosine of sums, relative to its nearest maxima', async () => {
  const anySentence = fc
    .array(fc.constantFrom('bread ', 'dough ', 'moon ', 'star ', 'and '), { maxLength: 4 })
    .map((words) => `${words.join('')}. `);
  const isRight = fc.property(
    fc.array(anySentence, { minLength: 2, maxLength: 12 }),
    fc.integer({ min: 1, max: 5 }),
    (sentences, window) => {
      const rows = rowsOf(read(sentences));
      const total = (from: number, to: number) =>
        (rows[0] as number[]).map((_, at) => sum(rows.slice(from, to).map((row) => row[at] as number)));
      const cosines = rows
        .slice(1)
        .map((_, gap) => {
          const before = total(Math.max(gap + 1 - window, 0), gap + 1);
          const after = total(gap + 1, Math.min(gap + 1 + window, rows.length));
          return product(before, after) / Math.sqrt(product(before, before) * product(after, after)) || 0;
        })
        .map((cosine) => Math.round(cosine * 1e7) / 1e7);
      const found = wordOverlaps(read(sentences), window);
      for (const [gap, cosine] of cosines.entries()) {
        let [left, right] = [gap, gap];
        while (left > 0 && (cosines[left - 1] as number) >= (cosines[left] as number)) left--;
        while (right + 1 < cosines.length && (cosines[right + 1] as number) >= (cosines[right] as number))
          right++;
        const peak = ((cosines[left] as number) + (cosines[right] as number)) / 2;
        const expected = (cosine + 0.01 * USUAL_OVERLAP) / (peak + 0.01);
        if (!(Math.abs((found[gap] as number) - expected) < 1e-4))
          throw new Error(`${found[gap]} instead of ${expected} at ${gap}`);
      }
    },
  );
  fc.assert(isRight, { numRuns: 300 });
});

/** A model for which all sentences are alike, as sentences of a language that it does not know. */
const blind = modelOf(() => [1, 0, 0]).model;

t.test('words show topics where the model sees none', async (t) => {
  const bread = [
    'Teig ruht warm. ',
    'Der Teig aus Mehl geht auf. ',
    'Mehl und Hefe im Teig. ',
    'Hefe braucht Mehl. ',
  ];
  const moon = [
    'Der Mond kreist. ',
    'Ein Krater am Mond ist alt. ',
    'Krater und Staub am Mond. ',
    'Staub im Krater. ',
  ];
  const text = [...bread, ...bread, ...moon, ...moon].join('');
  for (const options of [{ threshold: 'auto' }, { mode: 'cluster' }]) {
    t.same(await textsOf(blind, text, options), [[...bread, ...bread].join(''), [...moon, ...moon].join('')]);
  }
});
