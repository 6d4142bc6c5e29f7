import fc from 'fast-check';
import t from 'tap';
import {
  type ClusterLimits,
  findClusters,
  offsetFor,
} from '../../../../plugins/chunkers/semantic/clusters.ts';
import manifest from '../../../../plugins/chunkers/semantic/manifest.ts';
import { toUnitVectors } from '../../../../plugins/chunkers/semantic/sentence-vectors.ts';
import {
  anyLetters,
  anyThreshold,
  byLetter,
  lettersOf,
  modelOf,
  randomVector,
  sentences,
  sum,
  textsOf,
} from './support/sentences.ts';

t.test('cluster finds topics, and keeps the limits', async (t) => {
  const { model } = modelOf(byLetter);
  const options = { mode: 'cluster' };
  t.same(lettersOf(await textsOf(model, sentences('AAAABBAAAZ'), options)), ['AAAA', 'BB', 'AAAZ']);
  t.same(lettersOf(await textsOf(model, sentences('AAAABB'), { ...options, threshold: 'auto' })), [
    'AAAA',
    'BB',
  ]);
  t.same(lettersOf(await textsOf(model, sentences('AAAAAB'), { ...options, chunk_size: 12 })), [
    'AAA',
    'AA',
    'B',
  ]);
  const apart = { ...options, min_sentences_per_chunk: 2 };
  t.same(lettersOf(await textsOf(model, sentences('AAABAA'), apart)), ['AAABAA']);
  const long = `A${'a'.repeat(30)}. A2. A3. `;
  t.same((await textsOf(model, long, { ...options, chunk_size: 10 })).length, 2);
  t.equal(
    (await textsOf(model, sentences('A'.repeat(300)), { ...options, chunk_size: 5000 })).length,
    3,
    'of at most 128 sentences each',
  );
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
  const anyRow = fc
    .array(fc.integer({ min: -5, max: 5 }), { minLength: 3, maxLength: 3 })
    .filter((row) => row.some(Boolean));
  const anyPieces = fc.array(fc.record({ row: anyRow, size: fc.integer({ min: 1, max: 9 }) }), {
    minLength: 1,
    maxLength: 8,
  });
  const anyCase = fc.record({
    size: fc.integer({ min: 1, max: 40 }),
    minSentences: fc.constant(1),
    minCharacters: fc.integer({ min: 1, max: 15 }),
    offset: fc.double({ min: -1, max: 1, noNaN: true }),
  });
  const isBest = fc.property(anyPieces, anyCase, (pieces, limits: ClusterLimits) => {
    const vectors = toUnitVectors(Float32Array.from(pieces.flatMap(({ row }) => row)), 3);
    const unit = (piece: number) => [...vectors.values.subarray(3 * piece, 3 * piece + 3)];
    const pair = (i: number, j: number) => sum(unit(i).map((value, at) => value * (unit(j)[at] as number)));
    const worthOf = (places: readonly number[]) => {
      let worth = 0;
      for (let index = 0; index + 1 < places.length; index++) {
        const [start, end] = [places[index] as number, places[index + 1] as number];
        const size = sum(pieces.slice(start, end).map(({ size }) => size));
        if (size > limits.size && end - start > 1) return Number.NEGATIVE_INFINITY;
        if (size < limits.minCharacters) worth -= SHORT;
        for (let i = start; i < end; i++)
          for (let j = i + 1; j < end; j++) worth += pair(i, j) - limits.offset;
      }
      return worth;
    };
    const tokens = Float64Array.from([
      0,
      ...pieces.map((_, place) => sum(pieces.slice(0, place + 1).map(({ size }) => size))),
    ]);
    const found = worthOf([
      0,
      ...findClusters(vectors, { tokens, characters: tokens }, limits, signal),
      pieces.length,
    ]);
    const best = Math.max(...[...divisions(pieces.length)].map(worthOf));
    if (!(Math.abs(found - best) < 1e-5)) throw new Error(`${found} instead of ${best}`);
  });
  t.doesNotThrow(() => fc.assert(isBest, { numRuns: 500 }));
});

t.test('raising the offset never leaves more pairs of sentences together', async (t) => {
  const { model } = modelOf(randomVector);
  const falls = fc.asyncProperty(anyLetters, anyThreshold, anyThreshold, async (letters, a, b) => {
    const pairsAt = async (threshold: number) => {
      const chunks = lettersOf(
        await textsOf(model, sentences(letters.join('')), { mode: 'cluster', threshold }),
      );
      return sum(chunks.map(({ length }) => (length * (length - 1)) / 2));
    };
    const [loose, strict] = [await pairsAt(Math.min(a, b)), await pairsAt(Math.max(a, b))];
    if (strict > loose) throw new Error(`${loose} pairs, then ${strict}`);
  });
  await t.resolves(fc.assert(falls, { numRuns: 500 }));
});

t.test('the offset is the mean of all pairs in the middle, and takes both ends', async (t) => {
  const vectors = toUnitVectors(Float32Array.of(2, 0, 0, 3, 5, 0), 2);
  for (const [threshold, offset] of [
    [0, -1],
    [0.25, -1 / 3],
    [0.5, 1 / 3],
    [0.75, 2 / 3],
    [1, 1],
  ] as const) {
    t.ok(Math.abs(offsetFor(threshold, vectors) - offset) < 1e-3, `${threshold}`);
  }
});

t.test('a text of two sentences can be cut, one of four not behind the first', async (t) => {
  const { model } = modelOf(byLetter);
  t.same(lettersOf(await textsOf(model, sentences('ABB'))), ['A', 'BB']);
  t.same(lettersOf(await textsOf(model, sentences('ABBB'))), ['ABBB']);
});

t.test('mode: cluster has a smallest size by default, as far as chunk_size allows it', async (t) => {
  const { default: leastCharacters } = manifest.options.properties.min_characters_per_chunk;
  const { model } = modelOf(byLetter);
  const text = sentences('AAAAAAAAAABABBBBBBBBBBBABBBBBBBBBBB');
  const sizes = async (options: object) =>
    (await textsOf(model, text, { mode: 'cluster', ...options })).map(({ length }) => length);
  t.ok((await sizes({})).some((size) => size < 40));
  const byDefault = await sizes({ min_characters_per_chunk: leastCharacters });
  t.ok(byDefault.every((size) => size >= leastCharacters));
  t.ok(byDefault.length > 1);
  t.ok((await sizes({ min_characters_per_chunk: 60 })).every((size) => size >= 60));
  t.ok((await sizes({ min_characters_per_chunk: 60, chunk_size: 20 })).every((size) => size <= 20));
});
