import fc from 'fast-check';
import t from 'tap';
import { chunkText } from '../../../core/chunking.ts';
import type { EmbeddingModel, EmbedRequest, Tokenizer } from '../../../core/contracts.ts';
import { type ClusterLimits, findClusters, offsetFor } from '../../../plugins/chunkers/semantic/clusters.ts';
import createSemanticChunker from '../../../plugins/chunkers/semantic/index.ts';
import manifest from '../../../plugins/chunkers/semantic/manifest.ts';
import { toUnitVectors } from '../../../plugins/chunkers/semantic/sentence-vectors.ts';
import { gapSimilarities } from '../../../plugins/chunkers/semantic/windows.ts';

const units: Tokenizer = {
  name: 'units',
  tokenize: (text) => ({
    count: (start, end) => end - start,
    ends: () => Uint32Array.from(text, (_, index) => index + 1),
  }),
};

interface Call extends EmbedRequest {
  readonly texts: readonly string[];
}

/** A model that gives each text the vector of a function, and keeps what it was asked. */
function modelOf(vectorOf: (text: string) => readonly number[], more: Partial<EmbeddingModel> = {}) {
  const calls: Call[] = [];
  const model: EmbeddingModel = {
    name: 'test',
    bytes: 0,
    tokenizer: async () => units,
    async embed(texts, request) {
      calls.push({ texts, ...request });
      const rows = texts.map(vectorOf);
      return { dimensions: rows[0]?.length ?? 0, values: Float32Array.from(rows.flat()) };
    },
    ...more,
  };
  return { model, calls };
}

/** The vector of the first letter: A and B stand upright on each other, other letters are zero. */
const byLetter = (text: string) => [Number(text.startsWith('A')), Number(text.startsWith('B')), 0];

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

const DEFAULTS = Object.fromEntries(
  Object.entries(manifest.options.properties).map(([name, schema]) => [name, schema.default]),
);

async function spansOf(
  model: EmbeddingModel,
  text: string,
  options: object = {},
  signal = new AbortController().signal,
) {
  const ready = { manifest, chunker: createSemanticChunker() as never };
  const given = { ...DEFAULTS, min_characters_per_sentence: 1, ...options };
  return chunkText(ready, text, given, { tokenizer: units, model, report() {}, signal });
}

async function textsOf(model: EmbeddingModel, text: string, options: object = {}): Promise<string[]> {
  return (await spansOf(model, text, options)).map(({ start, end }) => text.slice(start, end));
}

/** Sentences of 4 units: `AAB` becomes `A1. A2. B3. `. */
const sentences = (letters: string) =>
  Array.from(letters, (letter, index) => `${letter}${index % 10}. `).join('');
const lettersOf = (chunks: readonly string[]) => chunks.map((text) => text.replace(/[^A-Z]/g, ''));

t.test('cuts where the similarity of what stands before and after is lowest', async (t) => {
  const { model } = modelOf(byLetter);
  for (const parts of [
    ['A', 'B'],
    ['AA', 'BB'],
    ['AAAA', 'BBBB', 'AAAA'],
    ['AAAAAAAAA', 'BBB'],
  ]) {
    t.same(lettersOf(await textsOf(model, sentences(parts.join('')))), parts);
  }
  t.same(lettersOf(await textsOf(model, sentences('AAAAAA'))), ['AAAAAA'], 'one topic stays together');
});

t.test('embeds every sentence once, to compare it, and nothing for a single one', async (t) => {
  const { model, calls } = modelOf(byLetter);
  await spansOf(model, sentences('AABBAABB'), { similarity_window: 5, skip_window: 3 });
  t.equal(calls.length, 1);
  t.same(calls[0]?.texts, ['A0. ', 'A1. ', 'B2. ', 'B3. ', 'A4. ', 'A5. ', 'B6. ', 'B7. ']);
  t.equal(calls[0]?.purpose, 'similarity');
  await spansOf(model, 'A single sentence. ');
  t.equal(calls.length, 1);
});

t.test('a single odd sentence is no change of topic for a window of three', async (t) => {
  const { model } = modelOf((text) => [...byLetter(text).slice(0, 2), Number(text.startsWith('C'))]);
  const text = sentences('AAAAACAAAAA');
  t.same((await textsOf(model, text)).length, 1);
  t.ok((await textsOf(model, text, { similarity_window: 1 })).length > 1);
});

t.test('compares on the scale of the model', async (t) => {
  const text = sentences('AAABBB');
  const { model } = modelOf(byLetter, { calibrate: (cosine) => (cosine + 0.6) / 1.6 });
  t.same(lettersOf(await textsOf(model, text, { threshold: 0.37 })), ['AAABBB']);
  t.same(lettersOf(await textsOf(model, text, { threshold: 0.38 })), ['AAA', 'BBB']);
});

t.test('takes both ends of the threshold', async (t) => {
  const { model } = modelOf((text) => [1, text.startsWith('A') ? 0.1 : 0.2]);
  const text = sentences('AAABBBAAA');
  t.same(lettersOf(await textsOf(model, text, { threshold: 0 })), ['AAABBBAAA']);
  t.same(lettersOf(await textsOf(model, text, { threshold: 1 })), ['AAA', 'BBB', 'AAA']);
  t.same(lettersOf(await textsOf(model, sentences('AA'), { threshold: 1 })), ['AA'], 'not below 1');
});

t.test('sentences without a vector go with the one before them', async (t) => {
  const { model } = modelOf(byLetter);
  t.same(lettersOf(await textsOf(model, sentences('AAAZZBBB'))), ['AAAZZ', 'BBB']);
  t.same(lettersOf(await textsOf(model, sentences('ZZAAABBBZZ'))), ['ZZAAA', 'BBBZZ']);
  for (const mode of ['threshold', 'cluster']) {
    for (const threshold of [0.5, 1, 'auto']) {
      t.same(lettersOf(await textsOf(model, sentences('ZZZZZZZZZZ'), { mode, threshold })), ['ZZZZZZZZZZ']);
    }
  }
  const { model: broken } = modelOf((text) =>
    text.startsWith('Z') ? [Number.NaN, 0] : byLetter(text).slice(1),
  );
  t.equal((await textsOf(broken, sentences('AZBZAZBZ'))).join(''), sentences('AZBZAZBZ'));
});

t.test('windows that cancel out are not cut at', async (t) => {
  const { model } = modelOf((text) => (text.startsWith('A') ? [1, 0] : [-1, 0]));
  const options = { similarity_window: 2, threshold: 0.9 };
  t.same(lettersOf(await textsOf(model, sentences('ABABABAB'), options)), ['ABABABAB']);
});

t.test('chunk_size is a hard limit, apart from a single sentence; segments are never joined', async (t) => {
  const { model } = modelOf(byLetter);
  const text = sentences('AAAAABBB');
  t.same(lettersOf(await textsOf(model, text, { chunk_size: 8 })), ['AA', 'AA', 'A', 'BB', 'B']);
  const long = `A0. A${'a'.repeat(30)} bcd. A2. `;
  t.same(await textsOf(model, long, { chunk_size: 10 }), ['A0. ', `A${'a'.repeat(30)} bcd. `, 'A2. ']);
  const split = await spansOf(model, long, { chunk_size: 10, oversize: 'split' });
  t.ok(split.every(({ token_count }) => token_count <= 10));
  const joined = await textsOf(model, 'A123456. B. A23456. ', {
    chunk_size: 10,
    min_characters_per_sentence: 5,
  });
  t.ok(
    joined.every((text) => text.length <= 10),
    'a short sentence is parted from the one it was joined to',
  );
});

t.test('min_sentences_per_chunk gives the deeper valley of two that are too near', async (t) => {
  const vectors: Record<string, number[]> = { A: [1, 0, 0], B: [0.5, 0.8, 0], C: [-0.5, 0, 0.8] };
  const { model } = modelOf((text) => vectors[text.charAt(0)] as number[]);
  const text = sentences('AAAABBBCCCC');
  const options = { threshold: 0.9, similarity_window: 2 };
  t.same(lettersOf(await textsOf(model, text, options)), ['AAAA', 'BBB', 'CCCC']);
  t.same(lettersOf(await textsOf(model, text, { ...options, min_sentences_per_chunk: 4 })), [
    'AAAABBB',
    'CCCC',
  ]);
  t.same(lettersOf(await textsOf(model, text, { ...options, min_sentences_per_chunk: 6 })), ['AAAABBBCCCC']);
});

t.test('skip_window leaves a digression where it is', async (t) => {
  const { model } = modelOf((text) => [...byLetter(text).slice(0, 2), Number(text.startsWith('C'))]);
  const text = sentences('AAAABBBAAAACCCC');
  t.same(lettersOf(await textsOf(model, text)), ['AAAA', 'BBB', 'AAAA', 'CCCC']);
  t.same(lettersOf(await textsOf(model, text, { skip_window: 1 })), ['AAAABBBAAAA', 'CCCC']);
  t.same(lettersOf(await textsOf(model, text, { skip_window: 9 })), ['AAAABBBAAAA', 'CCCC']);
});

t.test('auto cuts below the usual similarity of the text, and leaves a short text whole', async (t) => {
  const vectors: Record<string, number[]> = { A: [1, 0.3], B: [1, -0.3] };
  const { model } = modelOf((text) => vectors[text.charAt(0)] as number[]);
  const text = sentences('AAAAAABBBBBB');
  t.same(lettersOf(await textsOf(model, text)), ['AAAAAABBBBBB'], 'far above 0.5');
  t.same(lettersOf(await textsOf(model, text, { threshold: 'auto' })), ['AAAAAA', 'BBBBBB']);
  t.same(lettersOf(await textsOf(model, sentences('AAABBBB'), { threshold: 'auto' })), ['AAABBBB']);
});

t.test('an abandoned request ends', async (t) => {
  const { model } = modelOf(byLetter);
  const signal = AbortSignal.abort();
  await t.rejects(spansOf(model, sentences('AB'), {}, signal), { name: 'AbortError' });
});

/** Unit vectors that are the same for the same text, and alike for texts of one letter. */
function randomVector(text: string): number[] {
  let state = 7;
  for (const unit of text) state = (state * 31 + unit.charCodeAt(0)) % 65_521;
  const next = () => {
    state = (state * 17_364 + 1) % 65_521;
    return state / 65_521 - 0.5;
  };
  return byLetter(text).map((value) => value + 1.5 * next());
}

t.test('the windows are the sentences next to the gap', async (t) => {
  const count = 12;
  const rows = Array.from({ length: count }, (_, row) => randomVector(`A${row}`));
  const vectors = toUnitVectors(Float32Array.from(rows.flat()), 3);
  const unit = (row: number) => [...vectors.values.subarray(3 * row, 3 * row + 3)];
  const total = (from: number, to: number) =>
    [0, 1, 2].map((at) => sum(rows.slice(from, to).map((_, index) => unit(from + index)[at] as number)));
  const product = (a: number[], b: number[]) => sum(a.map((value, at) => value * (b[at] as number)));
  for (const window of [1, 3, 5, 20]) {
    const expected = rows.slice(1).map((_, gap) => {
      const before = total(Math.max(gap + 1 - window, 0), gap + 1);
      const after = total(gap + 1, Math.min(gap + 1 + window, count));
      return product(before, after) / Math.sqrt(product(before, before) * product(after, after));
    });
    const found = [...gapSimilarities(vectors, window)];
    t.ok(
      found.every((value, gap) => Math.abs(value - (expected[gap] as number)) < 1e-5),
      `${window}`,
    );
  }
});

const anyLetters = fc.array(fc.constantFrom('A', 'B', 'Z'), { minLength: 1, maxLength: 40 });
const anyWords = anyLetters.chain((letters) =>
  fc.tuple(...letters.map((letter) => fc.nat({ max: 30 }).map((n) => `${letter}${n} ${'x'.repeat(n)}. `))),
);
const anyThreshold = fc.double({ min: 0, max: 1, noNaN: true });
const anyLimits = fc.record({
  chunk_size: fc.integer({ min: 1, max: 200 }),
  similarity_window: fc.integer({ min: 1, max: 6 }),
  min_sentences_per_chunk: fc.integer({ min: 1, max: 5 }),
  min_characters_per_sentence: fc.integer({ min: 1, max: 20 }),
  skip_window: fc.integer({ min: 0, max: 4 }),
  oversize: fc.constantFrom('keep', 'split'),
});

t.test('raising the threshold never gives fewer chunks', async (t) => {
  const { model } = modelOf(randomVector);
  const rises = fc.asyncProperty(
    anyWords,
    anyLimits,
    anyThreshold,
    anyThreshold,
    async (words, limits, a, b) => {
      const text = words.join('');
      const [low, high] = [Math.min(a, b), Math.max(a, b)];
      const few = await spansOf(model, text, { ...limits, threshold: low });
      const many = await spansOf(model, text, { ...limits, threshold: high });
      if (few.length > many.length) throw new Error(`${few.length} at ${low}, ${many.length} at ${high}`);
    },
  );
  await t.resolves(fc.assert(rises, { numRuns: 2000 }));
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
        for (let i = start; i < end; i++)
          for (let j = i + 1; j < end; j++) worth += pair(i, j) - limits.offset;
      }
      return worth;
    };
    const tokens = Float64Array.from([
      0,
      ...pieces.map((_, place) => sum(pieces.slice(0, place + 1).map(({ size }) => size))),
    ]);
    const found = worthOf([0, ...findClusters(vectors, tokens, limits, signal), pieces.length]);
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

t.test('all modes take time linear in the text', async (t) => {
  const { model } = modelOf(randomVector);
  const text = (length: number) => sentences('ABAABBZAAABBB'.repeat(length / 13));
  for (const options of [
    { skip_window: 100 },
    { similarity_window: 1000 },
    { mode: 'cluster', chunk_size: 400 },
  ]) {
    const [small, large] = [await leastTime(text(1300), options), await leastTime(text(26_000), options)];
    t.ok(large < 100 * small, `${JSON.stringify(options)}: ${(large / small).toFixed(1)} times for 20 times`);
  }

  /** Least processor time of three runs, in microseconds. */
  async function leastTime(text: string, options: object): Promise<number> {
    let least = Number.POSITIVE_INFINITY;
    for (let run = 0; run < 3; run++) {
      const start = process.cpuUsage();
      await spansOf(model, text, options);
      const { user, system } = process.cpuUsage(start);
      least = Math.min(least, user + system);
    }
    return least;
  }
});
