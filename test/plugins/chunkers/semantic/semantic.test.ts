import fc from 'fast-check';
import t from 'tap';
import { gapSimilarities, toUnitVectors } from '../../../../plugins/chunkers/semantic/similarities.ts';
import {
  anyLimits,
  anyThreshold,
  anyWords,
  byLetter,
  type LetterCut,
  modelOf,
  randomVector,
  sentences,
  spansOf,
  sum,
  testLetters,
  textsOf,
  vectorsOf,
} from './support/sentences.ts';

const THREE = modelOf(vectorsOf({ A: [1, 0, 0], B: [0, 1, 0], C: [0, 0, 1] })).model;
const CLOSE = modelOf(vectorsOf({ A: [1, 0.1], B: [1, 0.2] })).model;
const NEAR = modelOf(vectorsOf({ A: [1, 0.3], B: [1, -0.3] })).model;
const OPPOSED = modelOf(vectorsOf({ A: [1, 0], B: [-1, 0] })).model;
const VALLEYS = modelOf(vectorsOf({ A: [1, 0, 0], B: [0.5, 0.8, 0], C: [-0.5, 0, 0.8] })).model;
const SIX = vectorsOf(
  Object.fromEntries(
    Array.from('ABCDEF', (letter, at) => [letter, Array.from('ABCDEF', (_, to) => +(at === to))]),
  ),
);
const SCALED = modelOf(SIX, { calibrate: (cosine) => (cosine + 0.6) / 1.6 }).model;
const BROKEN = modelOf((text) => (text.startsWith('Z') ? [Number.NaN, 0] : byLetter(text).slice(1))).model;
const NEAR_VALLEYS = { threshold: 0.9, similarity_window: 2 };

testLetters(t, {
  'cuts where the similarity of what stands before and after is lowest': [
    ...['A‖B', 'AA‖BB', 'AAAA‖BBBB‖AAAA', 'AAAAAAAAA‖BBB', 'AAAAAA', 'A‖BB', 'ABBB'].map(
      (letters): LetterCut => [letters],
    ),
  ],
  'a single odd sentence is no change of topic for a window of three': [
    ['AAAAACAAAAA', {}, THREE],
    ['AAAAA‖CAAAAA', { similarity_window: 1 }, THREE],
  ],
  'compares on the scale of the model': [
    ['AAABBBCCCDDDEEEFFF', { threshold: 0.37 }, SCALED],
    ['AAA‖BBB‖CCC‖DDD‖EEE‖FFF', { threshold: 0.38 }, SCALED],
  ],
  'what all sentences have in common does not count': [
    ['AAAAAA‖BBBBBB', {}, NEAR],
    ['AAAAAAAAAAAA', {}, NEAR],
  ],
  'takes both ends of the threshold': [
    ['AAABBBAAA', { threshold: 0 }, CLOSE],
    ['AAA‖BBB‖AAA', { threshold: 1 }, CLOSE],
    ['AA', { threshold: 1 }, CLOSE],
  ],
  'sentences without a vector go with the one before them': [
    ['AAAZZ‖BBB'],
    ['ZZAAA‖BBBZZ'],
    ...['threshold', 'cluster'].flatMap((mode) =>
      [0.5, 1, 'auto'].map((threshold): LetterCut => ['ZZZZZZZZZZ', { mode, threshold }]),
    ),
  ],
  'windows that cancel out are not cut at': [['ABABABAB', { similarity_window: 2, threshold: 0.9 }, OPPOSED]],
  'chunk_size is a hard limit; segments are never joined': [['AA‖AA‖A‖BB‖B', { chunk_size: 8 }]],
  'min_sentences_per_chunk gives the deeper valley of two that are too near': [
    ['AAAA‖BBB‖CCCC', NEAR_VALLEYS, VALLEYS],
    ['AAAABBB‖CCCC', { ...NEAR_VALLEYS, min_sentences_per_chunk: 4 }, VALLEYS],
    ['AAAABBBCCCC', { ...NEAR_VALLEYS, min_sentences_per_chunk: 6 }, VALLEYS],
  ],
  'skip_window leaves a digression where it is': [
    ['AAAA‖BBB‖AAAA‖CCCC', {}, THREE],
    ['AAAABBBAAAA‖CCCC', { skip_window: 1 }, THREE],
    ['AAAABBBAAAA‖CCCC', { skip_window: 9 }, THREE],
  ],
  'auto cuts below the usual similarity of the text, and leaves a short text whole': [
    ['AAAAAABBBBBB', { threshold: 0 }, NEAR],
    ['AAAAAA‖BBBBBB', { threshold: 'auto' }, NEAR],
    ['AAABBBB', { threshold: 'auto' }, NEAR],
  ],
});

t.test('sentences whose vectors are no numbers lose nothing', async (t) => {
  t.equal((await textsOf(BROKEN, sentences('AZBZAZBZ'))).join(''), sentences('AZBZAZBZ'));
});

t.test('embeds every sentence once, to compare it, and nothing for a single one', async (t) => {
  const { model, calls } = modelOf(byLetter);
  await spansOf(model, sentences('AABB'), { similarity_window: 5, skip_window: 3 });
  t.match(calls, [{ texts: ['A0. ', 'A1. ', 'B2. ', 'B3. '], purpose: 'similarity' }]);
  await spansOf(model, 'A single sentence. ');
  t.equal(calls.length, 1);
});

t.test('only a single sentence is over the limit, and none with oversize: split', async (t) => {
  const long = ['A0. ', `A${'a'.repeat(30)} bcd. `, 'A2. '];
  t.same(await textsOf(THREE, long.join(''), { chunk_size: 10 }), long);
  for (const [text, options] of [
    [long.join(''), { oversize: 'split' }],
    // A short sentence is parted from the one it was joined to.
    ['A123456. B. A23456. ', { min_characters_per_sentence: 5 }],
  ] as const) {
    for (const { token_count } of await spansOf(THREE, text, { chunk_size: 10, ...options }))
      t.ok(token_count <= 10, text);
  }
});

t.test('a segment of 200,000 chunks is not too large for the call stack', async (t) => {
  t.equal((await spansOf(THREE, 'A0. '.repeat(200_000), { chunk_size: 4 })).length, 200_000);
});

t.test('an abandoned request ends', async (t) => {
  await t.rejects(spansOf(THREE, sentences('AB'), {}, AbortSignal.abort()), { name: 'AbortError' });
});

t.test('the windows are the sentences next to the gap', async (t) => {
  const count = 12;
  const rows = Array.from({ length: count }, (_, row) => randomVector(`A${row}`));
  const vectors = toUnitVectors(Float32Array.from(rows.flat()), 3);
  const unit = (row: number) => [...vectors.values.subarray(3 * row, 3 * row + 3)];
  const total = (from: number, to: number) =>
    [0, 1, 2].map((at) => sum(rows.slice(from, to).map((_, index) => unit(from + index)[at] as number)));
  const product = (a: number[], b: number[]) => sum(a.map((value, at) => value * (b[at] as number)));
  for (const window of [1, 3, 5, 20]) {
    for (const [gap, found] of gapSimilarities(vectors, window).entries()) {
      const before = total(Math.max(gap + 1 - window, 0), gap + 1);
      const after = total(gap + 1, Math.min(gap + 1 + window, count));
      const expected = product(before, after) / Math.sqrt(product(before, before) * product(after, after));
      t.ok(Math.abs(found - expected) < 1e-5, `${window}, ${gap}`);
    }
  }
});

t.test('raising the threshold never gives fewer chunks', async (t) => {
  const { model } = modelOf(randomVector);
  const thresholds = fc.tuple(anyThreshold, anyThreshold).map((both) => both.sort((a, b) => a - b));
  const rises = fc.asyncProperty(anyWords, anyLimits, thresholds, async (words, limits, [low, high]) => {
    const few = await spansOf(model, words.join(''), { ...limits, threshold: low });
    const many = await spansOf(model, words.join(''), { ...limits, threshold: high });
    if (few.length > many.length) throw new Error(`${few.length} at ${low}, ${many.length} at ${high}`);
  });
  await t.resolves(fc.assert(rises, { numRuns: 600 }));
});

t.test('a smaller chunk_size keeps every boundary', async (t) => {
  const { model } = modelOf(randomVector);
  const keeps = fc.asyncProperty(anyWords, anyLimits, anyThreshold, async (words, limits, threshold) => {
    const text = words.join('');
    const whole = await spansOf(model, text, { ...limits, threshold, chunk_size: 10_000 });
    const packed = new Set((await spansOf(model, text, { ...limits, threshold })).map(({ end }) => end));
    if (!whole.every(({ end }) => packed.has(end))) throw new Error('a chunk lies across a boundary');
  });
  await t.resolves(fc.assert(keeps, { numRuns: 500 }));
});
