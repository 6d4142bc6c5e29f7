import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { Bm25, termsOf } from '../../../../server/engine/operations/evaluation/bm25.ts';
import { fuse, type Ranked, withinBudget } from '../../../../server/engine/operations/evaluation/ranking.ts';
import { ROOT } from '../../../walls/sources.ts';

/** Terms, BM25, fusion and budgets against the plainest way to work them out. */

/** The formula as textbooks have it: every chunk is read for every question. */
function plainBm25(chunks: readonly string[], question: string, most: number): Ranked[] {
  const terms = chunks.map(termsOf);
  const mean = terms.reduce((sum, own) => sum + own.length, 0) / chunks.length;
  const asked = [...new Set(termsOf(question))];
  const havingTerm = asked.map((term) => terms.filter((one) => one.includes(term)).length);
  const scores = terms.map((own) => {
    let score = 0;
    for (const [at, term] of asked.entries()) {
      const count = own.filter((one) => one === term).length;
      const having = havingTerm[at] as number;
      const idf = Math.log(1 + (chunks.length - having + 0.5) / (having + 0.5));
      const norm = 1.2 * (1 - 0.75 + (0.75 * own.length) / mean);
      if (count > 0) score += (idf * count * (1.2 + 1)) / (count + norm);
    }
    return score;
  });
  return scores
    .map((score, chunk) => ({ chunk, score }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.chunk - b.chunk)
    .slice(0, most);
}

function indexOf(chunks: readonly string[]): Bm25 {
  const index = new Bm25();
  for (const chunk of chunks) index.add(chunk);
  return index;
}

// Few different words, so that many chunks are equally good.
const texts = fc
  .array(fc.constantFrom('a', 'b', 'c', 'aB', '茶', '茶水', ' ', '!'), { maxLength: 9 })
  .map((words) => words.join(' '));

t.test('the lists are those of the plain formula, the first of equals first', async () => {
  fc.assert(
    fc.property(
      fc.array(texts, { maxLength: 9 }),
      texts,
      fc.integer({ min: 1, max: 5 }),
      (all, asked, most) => {
        const index = indexOf(all);
        const expected = plainBm25(all, asked, most);
        // A search leaves nothing behind.
        return [1, 2].every(() => JSON.stringify(index.search(asked, most)) === JSON.stringify(expected));
      },
    ),
  );
});

t.test('so are those of real pages', async (t) => {
  const files = globSync('plugins/**/README.md', { cwd: ROOT }).sort();
  const chunks = files.flatMap((file) => readFileSync(join(ROOT, file), 'utf8').split('\n\n'));
  const index = indexOf(chunks);
  t.ok(chunks.length > 200);
  for (const question of [
    'How are sentences split?',
    'chunk_size of overlap',
    '你好',
    'embedding model on disk',
  ])
    t.same(index.search(question, 100), plainBm25(chunks, question, 100), question);
});

t.test('words, parts of identifiers, and pairs of characters where words have no spaces', async (t) => {
  for (const [text, ...terms] of [
    ['Tea, water: 2 cups!', 'tea', 'water', '2', 'cups'],
    ['parseHTTPHeader_2', 'parsehttpheader_2', 'parse', 'http', 'header', '2'],
    ['snake_case __init__ x', 'snake_case', 'snake', 'case', 'init', 'x'],
    ['HTTP utf8', 'http', 'utf8', 'utf', '8'],
    ['ﬁne Ｔｅａ ①', 'fine', 'tea', '1'],
    ['Ünïcode ΣΟΦΟΣ Привет', 'ünïcode', 'σοφος', 'привет'],
    ['שָׁלוֹם مرحبا नमस्ते', 'שָׁלוֹם', 'مرحبا', 'नमस्ते'],
    ['北京大学', '北京', '京大', '大学'],
    ['茶', '茶'],
    ['東京タワーに', '東京', '京タ', 'タワ', 'ワー', 'ーに'],
    ['서울 대학교', '서울', '대학', '학교'],
    ['使用parseJSON函数', '使用', 'parsejson', 'parse', 'json', '函数'],
    ['𠮷野家', '𠮷野', '野家'],
    ['ชา', 'ชา'],
    ['... 🍵 --'],
  ] as const)
    t.same(
      termsOf(text),
      terms.map((term) => term.normalize('NFKC')),
      text,
    );
});

t.test('a word of ten million characters counts as several, and does not overflow the stack', async (t) => {
  for (const character of ['a', '漢']) t.ok(termsOf(character.repeat(10_000_000)).length > 1000, character);
  t.same(termsOf('b'.repeat(5000)), ['b'.repeat(5000)], 'in a short text, any word is one');
});

t.test('no character has more than 30 marks to be sorted, which takes quadratic time', async (t) => {
  for (const marks of ['\u0323\u0301', '\u0301\uff9e']) {
    const [term = ''] = termsOf(`a${marks.repeat(50)}`);
    const runs = term.normalize('NFD').split('\u034f');
    t.ok(runs.length > 3 && runs.every((run) => [...run].length <= 32), marks);
  }
  t.same(termsOf('e\u0301'), ['\u00e9']);
});

const ranks = fc.uniqueArray(fc.nat(8), { maxLength: 6 });
const listOf = (chunks: readonly number[]) => chunks.map((chunk, at) => ({ chunk, score: 9 - at }));

t.test('a fused list has each chunk once, by the sum of its reciprocal ranks', async (t) => {
  t.same(fuse([listOf([3, 1]), listOf([2, 3])]), [
    { chunk: 3, score: 1 / 2 + 1 / 3 },
    { chunk: 2, score: 1 / 2 },
    { chunk: 1, score: 1 / 3 },
  ]);
  fc.assert(
    fc.property(ranks, ranks, (one, other) => {
      const expected = [...new Set([...one, ...other])].map((chunk) => {
        const shares = [one, other]
          .filter((list) => list.includes(chunk))
          .map((list) => 1 / (2 + list.indexOf(chunk)));
        return { chunk, score: shares.reduce((sum, share) => sum + share, 0) };
      });
      expected.sort((a, b) => b.score - a.score || a.chunk - b.chunk);
      return JSON.stringify(fuse([listOf(one), listOf(other)])) === JSON.stringify(expected);
    }),
  );
});

t.test('a budget takes what fits, best first, and passes over what does not', async (t) => {
  const sizes = [5, 4, 3, 2, 1];
  const bought = (budget: number) =>
    withinBudget(listOf([0, 1, 2, 3, 4]), budget, (chunk) => sizes[chunk] as number).map(
      ({ chunk }) => chunk,
    );
  t.same(bought(8), [0, 2]);
  t.same(bought(7), [0, 3]);
  t.same(bought(3), [2]);
  t.same(bought(100), [0, 1, 2, 3, 4]);
  const many = listOf(Array.from({ length: 150 }, (_, chunk) => chunk));
  t.equal(withinBudget(many, 1000, () => 1).length, 100, 'of the best 100');
});
