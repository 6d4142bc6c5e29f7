import { hash } from 'node:crypto';
import t from 'tap';
import { plugin, pluginsFolder, refinery } from '../../../support/plugins.ts';
import { checkProblem } from '../../../support/problems.ts';
import { chunkStep, jsonOf, openService, refineStep } from '../../../support/service.ts';
import { chunksOf } from '../refining.ts';

const chunk = (text: string, more?: object) => chunksOf([text], more)[0];

/** A provider of models, whose vectors this function gives. */
const provider = (name: string, embed: string) =>
  plugin(
    { kind: 'embedding', name, models: [`${name}/*`] },
    `import { hash } from 'node:crypto';
    const tokenizer = async () => { throw new Error('not asked for'); };
    const embed = ${embed};
    const open = async (name) => ({ name, bytes: 0, tokenizer, embed: async (...given) => embed(name, ...given) });
    export default () => ({ list: () => [], open });`,
  );

/** Vectors are the lengths of the texts, or what a model's name says is wrong with them. */
const LENGTHS = `(name, texts, { purpose }) => {
  const wrong = {
    'lengths/few': { dimensions: 2, values: new Float32Array(1) },
    'lengths/nan': { dimensions: 1, values: new Float32Array(texts.length).fill(NaN) },
    'lengths/lists': texts.map(() => [1, 2]),
    'lengths/none': { dimensions: 0, values: new Float32Array(0) },
  };
  const rows = texts.flatMap((text) => [text.length, purpose === 'document' ? 0.5 : 0]);
  return wrong[name] ?? { dimensions: 2, values: Float32Array.from(rows) };
}`;

/** Vectors are the bytes of the SHA-256 of the texts. */
const HASHES = `(name, texts) => {
  const rows = texts.flatMap((text) => [...hash('sha256', text, 'buffer')]);
  return { dimensions: 32, values: Float32Array.from(rows) };
}`;

t.test('with its context before it, a chunk is embedded as what its hash covers', async (t) => {
  const contexts =
    "return chunks.map((chunk, at) => ({ ...chunk, context: ['Käse > Brot', '', null, 7][at] }));";
  const four = refinery('four', contexts);
  const { execute } = await openService(t, {
    pluginsDir: [await pluginsFolder(t, provider('hashes', HASHES), four)],
  });
  for (const embed of ['text', 'context+text', undefined]) {
    const steps = [
      ...[chunkStep('token', { chunk_size: 2 }), refineStep('four')],
      refineStep('embeddings', { embedding_model: 'hashes/x', ...(embed && { embed }) }),
    ];
    const answer = await execute(steps, { text: 'abcdefgh', include: ['hash'] });
    const chunks = jsonOf<{ text: string; hash: string; embedding: number[] }[]>(answer);
    t.equal(chunks.length, 4);
    for (const [index, { text, hash: covered, embedding }] of chunks.entries()) {
      const embedded = embed === 'context+text' ? covered : hash('sha256', text, 'hex');
      t.equal(Buffer.from(embedding).toString('hex'), embedded, `${embed}: chunk ${index}`);
    }
    t.not(chunks[0]?.hash, hash('sha256', 'ab', 'hex'), 'the hash covers the context');
  }
});

t.test('every chunk gets its own vector, and keeps its fields', async (t) => {
  const { post } = await openService(t, {
    pluginsDir: [await pluginsFolder(t, provider('lengths', LENGTHS))],
  });
  const refine = (chunks: unknown, name = 'right') =>
    post('/v1/refine/embeddings', { chunks, embedding_model: `lengths/${name}` });

  const given = [chunk('one', { embedding: 'old' }), chunk('', { note: { deep: [1] } }), chunk('three')];
  const answer = await refine(given);
  t.equal(answer.status, 200);
  t.equal(answer.headers.get('x-embedding-model'), 'lengths/right');
  const vectors = [3, 0, 5].map((length) => ({ embedding: [length, 0.5] }));
  const expected = given.map((one, at) => ({ ...one, ...vectors[at] }));
  t.same(answer.json(), expected);
  t.same((await refine([])).json(), []);
  t.same((await refine([[], [chunk('four')]])).json(), [[], [{ ...chunk('four'), embedding: [4, 0.5] }]]);

  for (const [name, reason] of Object.entries({
    few: '1 numbers for 1 texts of 2 each',
    lists:
      'embed gave a list; return { dimensions, values }, a Float32Array with all vectors one after the other',
    nan: 'a number that is not finite',
    none: 'a vector of 0 numbers',
  })) {
    const detail = `The embedding "lengths/${name}" returned an answer that breaks its contract: ${reason}.`;
    checkProblem(t, await refine([chunk('text')], name), 500, new RegExp(`^${detail}$`));
  }
});
