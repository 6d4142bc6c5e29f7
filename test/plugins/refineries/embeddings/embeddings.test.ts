import t from 'tap';
import { plugin, pluginsFolder } from '../../../support/plugins.ts';
import { startServer } from '../../../support/server.ts';

const chunk = (text: string, more: object = {}) => ({
  text,
  start_index: 0,
  end_index: text.length,
  token_count: 1,
  ...more,
});

/** A provider whose vectors are the lengths of the texts, or what a model's name says is wrong with them. */
const LENGTHS = `
  const wrong = {
    'lengths/few': () => ({ dimensions: 2, values: new Float32Array(1) }),
    'lengths/nan': ({ length }) => ({ dimensions: 1, values: new Float32Array(length).fill(NaN) }),
    'lengths/none': () => ({ dimensions: 0, values: new Float32Array(0) }),
  };
  const right = (texts, purpose) => ({
    dimensions: 2,
    values: Float32Array.from(texts.flatMap((text) => [text.length, purpose === 'document' ? 0.5 : 0])),
  });
  export default () => ({
    list: () => [],
    open: async (name) => ({
      name,
      bytes: 0,
      tokenizer: async () => { throw new Error('not asked for'); },
      embed: async (texts, { purpose }) => (wrong[name] ?? right)(texts, purpose),
    }),
  });
`;

t.test('every chunk gets its own vector, and keeps its fields', async (t) => {
  const manifest = { kind: 'embedding', name: 'lengths', models: ['lengths/*'] };
  const client = await startServer(t, { pluginsDir: [await pluginsFolder(t, plugin(manifest, LENGTHS))] });
  const refine = (chunks: unknown, name = 'right') =>
    client.post('/v1/refine/embeddings', { chunks, embedding_model: `lengths/${name}` });

  const given = [
    chunk('one', { id: 'a', embedding: 'old' }),
    chunk('', { note: { deep: [1] } }),
    chunk('three'),
  ];
  const answer = await refine(given);
  t.equal(answer.status, 200);
  t.equal(answer.headers.get('x-embedding-model'), 'lengths/right');
  t.same(answer.json(), [
    { ...given[0], embedding: [3, 0.5] },
    { ...given[1], embedding: [0, 0.5] },
    { ...given[2], embedding: [5, 0.5] },
  ]);

  t.same((await refine([])).json(), []);
  t.same((await refine([[], [chunk('four')]])).json(), [[], [{ ...chunk('four'), embedding: [4, 0.5] }]]);

  for (const [name, reason] of Object.entries({
    few: '1 numbers for 1 texts of 2 each',
    nan: 'a number that is not finite',
    none: 'a vector of 0 numbers',
  })) {
    const answer = await refine([chunk('text')], name);
    t.equal(answer.status, 500);
    const detail = `The embedding "lengths/${name}" returned an answer that breaks its contract: ${reason}.`;
    t.same(answer.json(), { detail });
  }
});
