import { hash } from 'node:crypto';
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

/** A provider whose vectors are the bytes of the SHA-256 of the texts. */
const HASHES = `
  import { hash } from 'node:crypto';
  export default () => ({
    list: () => [],
    open: async (name) => ({
      name,
      bytes: 0,
      tokenizer: async () => { throw new Error('not asked for'); },
      embed: async (texts) => ({
        dimensions: 32,
        values: Float32Array.from(texts.flatMap((text) => [...hash('sha256', text, 'buffer')])),
      }),
    }),
  });
`;

t.test('with its context before it, a chunk is embedded as what its hash covers', async (t) => {
  const manifest = { kind: 'embedding', name: 'hashes', models: ['hashes/*'] };
  const contexts = `export default () => ({ refine: (chunks) =>
    chunks.map((chunk, index) => ({ ...chunk, context: ['Käse > Brot', '', null, 7][index] })) });`;
  const pluginsDir = [
    await pluginsFolder(t, plugin(manifest, HASHES), plugin({ kind: 'refinery', name: 'four' }, contexts)),
  ];
  const client = await startServer(t, { pluginsDir, store: 'memory' });
  for (const embed of ['text', 'context+text', undefined]) {
    const steps = [
      { type: 'chunk', chunker: 'token', config: { chunk_size: 2 } },
      { type: 'refine', refinery: 'four' },
      { type: 'refine', refinery: 'embeddings', config: { embedding_model: 'hashes/x', embed } },
    ];
    const name = String(embed);
    const { id } = (await client.post('/v1/pipelines', { name, steps })).json<{ id: string }>();
    const answer = await client.post(`/v1/pipelines/${id}/execute`, { text: 'abcdefgh', include: ['hash'] });
    const chunks = answer.json<{ text: string; hash: string; embedding: number[] }[]>();
    t.equal(chunks.length, 4);
    for (const [index, { text, hash: covered, embedding }] of chunks.entries()) {
      const embedded = embed === 'context+text' ? covered : hash('sha256', text, 'hex');
      t.equal(Buffer.from(embedding).toString('hex'), embedded, `${embed}: chunk ${index}`);
    }
    t.not(chunks[0]?.hash, hash('sha256', 'ab', 'hex'), 'the hash covers the context');
  }
});

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
