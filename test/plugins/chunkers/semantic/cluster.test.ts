import fc from 'fast-check';
import t from 'tap';
import {
  type ClusterLimits,
  findClusters,
  offsetFor,
} from '../../../../plugins/chunkers/semantic/clusters.ts';
import { toUnitVectors } from '../../../../plugins/chunkers/semantic/similarities.ts';
import { readWords } from '../../../../plugins/chunkers/semantic/words.ts';
import {
  anyLetters,
  anyThreshold,
  byLetter,
  lettersOf,
  modelOf,
  randomVector,
  sentences,
  sum,
  testLetters,
  textsOf,
} from './support/sentences.ts';

const CLUSTER = { mode: 'cluster' };

testLetters(t, {
  'cluster finds topics, and keeps the limits': [
    ['AAAA‖BB‖AAAZ', CLUSTER],
    ['AAAA‖BB', { ...CLUSTER, threshold: 'auto' }],
    ['AAA‖AA‖B', { ...CLUSTER, chunk_size: 12 }],
    ['AAABAA', { ...CLUSTER, min_sentences_per_chunk: 2 }],
  ],
});

t.test('a cluster has one sentence above the limit, or at most 128 sentences', async (t) => {
  const { model } = modelOf(byLetter);
  const long = `A${'a'.repeat(30)}. A2. A3. `;
  t.equal((await textsOf(model, long, { ...CLUSTER, chunk_size: 10 })).length, 2);
  t.equal((await textsOf(model, 'A. '.repeat(300), { ...CLUSTER, chunk_size: 5000 })).length, 3);
});

/** Places, 0 and the end among them, of every division of a text. */
function* divisions(sentences: number, from = 0): Generator<number[]> {
  if (from === sentences) yield [from];
  for (let to = from + 1; to <= sentences; to++) {
    for (const rest of divisions(sentences, to)) yield [from, ...rest];
  }
}

/** More than similarities can gain: as few clusters as can be are short. */
const SHORT = 1e6;
const signal = new AbortController().signal;

t.test('cluster finds the best of all divisions', async (t) => {
  const value = fc.integer({ min: -5, max: 5 });
  const anyRow = fc.tuple(value, value, value).filter((row) => row.some(Boolean));
  const anyWords = fc.array(fc.constantFrom('bread ', 'dough ', 'moon ', 'star '), { maxLength: 3 });
  const anyPiece = fc.record({ row: anyRow, size: fc.integer({ min: 1, max: 9 }), said: anyWords });
  const anyPieces = fc.array(anyPiece, { minLength: 1, maxLength: 8 });
  const anyCase = fc.record({
    size: fc.integer({ min: 1, max: 40 }),
    minSentences: fc.constant(1),
    minSize: fc.integer({ min: 1, max: 15 }),
    offset: fc.double({ min: -1, max: 1, noNaN: true }),
  });
  const isBest = fc.property(anyPieces, anyCase, (pieces, limits: ClusterLimits) => {
    const vectors = toUnitVectors(Float32Array.from(pieces.flatMap(({ row }) => row)), 3);
    const said = pieces.map(({ said }) => said.join(''));
    const offsets = said.map((_, place) => said.slice(0, place).join('').length);
    const words = readWords(said.join(''), [...offsets, said.join('').length], vectors.indexes);
    const unit = (piece: number) => [...vectors.values.subarray(3 * piece, 3 * piece + 3)];
    const wordsOf = (piece: number) => {
      const row = new Float64Array(words.size);
      for (let at = words.starts[piece] as number; at < (words.starts[piece + 1] as number); at++)
        row[words.ids[at] as number] = words.weights[at] as number;
      return [...row];
    };
    const product = (a: number[], b: number[]) => sum(a.map((value, at) => value * (b[at] as number)));
    const pair = (i: number, j: number) =>
      product(unit(i), unit(j)) / 2 + product(wordsOf(i), wordsOf(j)) / 2;
    const worthOf = (places: readonly number[]) => {
      let worth = 0;
      for (let index = 0; index + 1 < places.length; index++) {
        const [start, end] = [places[index] as number, places[index + 1] as number];
        const size = sum(pieces.slice(start, end).map(({ size }) => size));
        if (size > limits.size && end - start > 1) return Number.NEGATIVE_INFINITY;
        if (size < limits.minSize) worth -= SHORT;
        for (let i = start; i < end; i++)
          for (let j = i + 1; j < end; j++) worth += pair(i, j) - limits.offset;
      }
      return worth;
    };
    const sizes = pieces.map(({ size }) => size);
    const tokens = Float64Array.from([0, ...sizes].keys(), (place) => sum(sizes.slice(0, place)));
    const places = findClusters({ vectors, words }, { tokens, measured: tokens }, limits, signal);
    const found = worthOf([0, ...places, pieces.length]);
    const best = Math.max(...[...divisions(pieces.length)].map(worthOf));
    if (!(Math.abs(found - best) < 1e-5)) throw new Error(`${found} instead of ${best}`);
  });
  t.doesNotThrow(() => fc.assert(isBest, { numRuns: 200 }));
});

t.test('raising the offset never leaves more pairs of sentences together', async (t) => {
  const { model } = modelOf(randomVector);
  const falls = fc.asyncProperty(anyLetters, anyThreshold, anyThreshold, async (letters, a, b) => {
    const pairsAt = async (threshold: number) => {
      const texts = await textsOf(model, sentences(letters.join('')), { ...CLUSTER, threshold });
      return sum(lettersOf(texts).map(({ length }) => (length * (length - 1)) / 2));
    };
    const [loose, strict] = [await pairsAt(Math.min(a, b)), await pairsAt(Math.max(a, b))];
    if (strict > loose) throw new Error(`${loose} pairs, then ${strict}`);
  });
  await t.resolves(fc.assert(falls, { numRuns: 200 }));
});

t.test('the offset is the mean of all pairs in the middle, and takes both ends', async (t) => {
  const vectors = toUnitVectors(Float32Array.of(2, 0, 0, 3, 5, 0), 2);
  // A third of the pairs of vectors and of words is equal, the others have nothing in common.
  const words = readWords('bread moon bread ', [0, 6, 11, 17], vectors.indexes);
  const thresholds = [0, 0.25, 0.5, 0.75, 1];
  const offsets = [-1, -1 / 3, 1 / 3, 2 / 3, 1];
  for (const [at, offset] of offsets.entries())
    t.ok(
      Math.abs(offsetFor(thresholds[at] as number, { vectors, words }) - offset) < 1e-3,
      `${thresholds[at]}`,
    );
});

t.test('a cluster has the minimum size, as far as chunk_size allows it', async (t) => {
  const { model } = modelOf(byLetter);
  const text = sentences('AAAAAAAAAAABABBBBBBBBBBBABBBBBBBBBB');
  const sizes = async (options: object) =>
    (await textsOf(model, text, { ...CLUSTER, chunk_size: 400, ...options })).map(({ length }) => length);
  t.ok((await sizes({ min_chunk_size: 0 })).some((size) => size < 30));
  for (const min_chunk_size of [30, 0.075]) {
    const found = await sizes({ min_chunk_size });
    t.ok(found.every((size) => size >= 30) && found.length > 1, `${found}`);
  }
  t.ok((await sizes({ min_characters_per_chunk: 60 })).every((size) => size >= 60));
  t.ok((await sizes({ min_characters_per_chunk: 60, chunk_size: 20 })).every((size) => size <= 20));
});
