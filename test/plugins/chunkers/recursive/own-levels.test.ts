import assert from 'node:assert/strict';
import t from 'tap';
import { startServer } from '../../../support/server.ts';

const TEXT = 'one|two|three;four|five;six';

t.test('a request brings its own delimiters or levels', async (t) => {
  const { chunk } = await startServer(t);
  const texts = async (request: object) =>
    (await chunk('recursive', { text: TEXT, chunk_size: 14, min_characters_per_chunk: 1, ...request })).map(
      ({ text }) => text,
    );
  t.same(await texts({ delimiters: [';'] }), ['one|two|three;', 'four|five;six']);
  t.same(await texts({ levels: [[';'], ['|']], chunk_size: 9 }), [
    'one|two|',
    'three;',
    'four|',
    'five;',
    'six',
  ]);
  t.same(await texts({ delimiters: [';'], recipe: 'default' }), ['one|two|three;', 'four|five;six']);
  t.same(await texts({ delimiters: [], recipe: 'markdown', chunk_size: 30 }), [TEXT], 'none is none');
});

t.test('own delimiters go with no other hierarchy, and have the limits of all delimiters', async (t) => {
  const { post } = await startServer(t, { maxDelimiters: 3, maxDelimiterCharacters: 5 });
  const cases: [request: object, detail: string][] = [
    [{ delimiters: ['|'], recipe: 'markdown' }, 'delimiters: cannot be given together with recipe'],
    [{ levels: [['|']], delimiters: [';'] }, 'levels: cannot be given together with delimiters'],
    [{ levels: [['|']], recipe: 'js' }, 'levels: cannot be given together with recipe'],
    [{ delimiters: ['a', 'b', 'c', 'd'] }, 'delimiters: 4 entries, over the limit of 3'],
    [{ levels: [['a', 'b', 'c', 'd']] }, 'levels[0]: 4 entries, over the limit of 3'],
    [{ levels: [['a'], ['b'], ['c'], ['d']] }, 'levels: 4 entries, over the limit of 3'],
    [{ levels: [['a', 'too long']] }, 'levels[0][1]: 8 characters, over the limit of 5'],
    [{ levels: [['a', 1]] }, 'levels[0][1]: expected a string'],
    [{ delimiters: '|' }, 'delimiters: expected a list'],
  ];
  for (const [request, detail] of cases) {
    const answer = await post('/v1/chunk/recursive', { text: TEXT, ...request });
    t.equal(answer.status, 400);
    t.ok(answer.json<{ detail: string }>().detail.includes(detail), `${answer.bytes}`);
  }
});

t.test('chunk_overlap repeats whole pieces where they fit, else tokens, within the limit', async (t) => {
  const { chunk } = await startServer(t);
  const texts = async (request: { text: string } & Record<string, unknown>) =>
    (await chunk('recursive', { min_characters_per_chunk: 1, ...request })).map(({ text }) => text);
  t.same(await texts({ text: 'One is. Two is. Three is. Four is.', chunk_size: 20, chunk_overlap: 10 }), [
    'One is. ',
    'is. Two is. ',
    'Two is. Three is. ',
    'Three is. Four is.',
  ]);
  t.same(await texts({ text: 'abcdefghij', chunk_size: 6, chunk_overlap: 2 }), ['abcd', 'cdefgh', 'ghij']);
  t.same(await texts({ text: 'abcdef', chunk_size: 6, chunk_overlap: 5 }), ['abcdef'], 'what fits is whole');
});

t.test(
  'with chunk_overlap every chunk is a slice, in order, and within the limit, by any tokenizer',
  async (t) => {
    const { chunk } = await startServer(t);
    const text =
      'Größe 👩‍👩‍👧‍👦 counts. 这是一个句子。Is it so?\n\n## Part\n\nA line, and another one here.\n'.repeat(
        30,
      );
    for (const tokenizer of ['character', 'cl100k_base']) {
      for (const [chunk_size, chunk_overlap] of [
        [64, 20],
        [16, 15],
        [40, 1],
      ]) {
        const request = {
          text,
          tokenizer,
          chunk_size,
          chunk_overlap,
          recipe: 'markdown',
          offset_unit: 'utf16',
        };
        const chunks = await chunk('recursive', request);
        let end = 0;
        let start = -1;
        for (const one of chunks) {
          assert.equal(text.slice(one.start_index, one.end_index), one.text);
          assert.ok(
            one.token_count <= (chunk_size as number) && one.start_index > start && one.start_index <= end,
          );
          start = one.start_index;
          end = one.end_index;
        }
        t.equal(end, text.length);
      }
    }
  },
);
