import fc from 'fast-check';
import t from 'tap';
import { toUnitVectors } from '../../../../plugins/chunkers/semantic/sentence-vectors.ts';
import { gapSimilarities } from '../../../../plugins/chunkers/semantic/similarities.ts';
import {
  anyLimits,
  anyThreshold,
  anyWords,
  byLetter,
  lettersOf,
  modelOf,
  randomVector,
  sentences,
  spansOf,
  sum,
  textsOf,
} from './support/sentences.ts';

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

t.test('a segment of 200,000 chunks is not too large for the call stack', async (t) => {
  const { model } = modelOf(byLetter);
  const spans = await spansOf(model, 'A0. '.repeat(200_000), { chunk_size: 4 });
  t.equal(spans.length, 200_000);
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
