import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import t from 'tap';
import { OWN_MODELS } from '../../../../plugins/embeddings/static/index.ts';
import manifest from '../../../../plugins/embeddings/static/manifest.ts';
import { never } from '../../../support/hosted-host.ts';
import { createProviderWithFolder, filesOf, openModel, safetensors, tensor } from './support/models.ts';

const request = { purpose: 'similarity', signal: never } as const;

t.test('the own models are the ones that their versions name, under own names and aliases', async (t) => {
  const { provider, add } = await createProviderWithFolder(t);
  const weights = safetensors({ embeddings: tensor('F32', [1, 2], [1, 2]) });
  await add('mine/tiny', filesOf(weights, { hidden_dim: 2 }));
  t.same(await provider.list(), [...OWN_MODELS, { name: 'mine/tiny', dimensions: 2, window: null }]);
  for (const { name, aliases, version, dimensions } of OWN_MODELS) {
    const folder = new URL(`../../../../plugins/embeddings/static/models/${name}/`, import.meta.url);
    const weights = await readFile(new URL('model.safetensors', folder));
    t.equal(createHash('sha256').update(weights).digest('hex').slice(0, 12), version, name);
    const byAlias = await openModel(provider, aliases[0] as string);
    t.equal(byAlias.name, name);
    const vectors = await byAlias.embed(['A sentence.', 'A sentence.'], request);
    t.equal(vectors.dimensions, dimensions);
    t.same(vectors, await (await openModel(provider, name)).embed(['A sentence.', 'A sentence.'], request));
    for (const known of [name, ...aliases]) t.ok((manifest.models as readonly string[]).includes(known));
  }
});

/** The first digits of the SHA-256 of the vectors of the texts below. */
const VECTORS: Readonly<Record<string, string>> = {
  'chunksmith/static-en-256': '0adfd8f24b915158',
  'chunksmith/retrieval-en-512': '99c03906a1d81691',
};

t.test('vectors of English texts change in no bit', async (t) => {
  const { provider } = await createProviderWithFolder(t);
  const license = await readFile(new URL('../../../../LICENSE', import.meta.url), 'utf8');
  const texts = [
    ...license.split('\n\n'),
    'const at = rows[index]!.start_index ?? 0; // e.g. `a/b-c.ts` → 1,234.50 %',
    "Don’t “quote” naïve café–Straße… it's O'Brien's 3rd e-mail (x@y.org)!",
    '🎉 emoji, µs, 10 km², ½',
  ];
  for (const [name, expected] of Object.entries(VECTORS)) {
    const { values } = await (await openModel(provider, name)).embed(texts, request);
    const digest = createHash('sha256').update(new Uint8Array(values.buffer)).digest('hex');
    t.equal(digest.slice(0, 16), expected, name);
  }
});

t.test('the calibration of the base model puts another topic below a half', async (t) => {
  const { provider } = await createProviderWithFolder(t);
  const base = await openModel(provider, 'chunksmith/static-en-256');
  t.ok(Math.abs((base.calibrate?.(0.17) ?? 0) - 0.5) < 1e-9);
  t.equal(base.calibrate?.(1), 1);
  t.ok((base.calibrate?.(0.2) ?? 0) > (base.calibrate?.(0.1) ?? 1));
  t.equal((await openModel(provider, 'chunksmith/retrieval-en-512')).calibrate, undefined);
});

t.test('a text of 1 MB has a vector, near that of its own parts', async (t) => {
  const { provider } = await createProviderWithFolder(t);
  const model = await openModel(provider, 'chunksmith/static-en-256');
  const sentence = 'The harbour was quiet, and the fishermen mended their nets in the shade. ';
  const { values, dimensions } = await model.embed([sentence.repeat(15_000), sentence], request);
  const [whole, part] = [values.subarray(0, dimensions), values.subarray(dimensions)];
  const cosine = whole.reduce((sum, value, index) => sum + value * (part[index] as number), 0);
  t.ok(cosine > 0.8, String(cosine));
});

t.test('stops when nobody waits any more, and says how far it is', async (t) => {
  const { provider } = await createProviderWithFolder(t);
  const model = await openModel(provider, 'chunksmith/static-en-256');
  const controller = new AbortController();
  const done: number[] = [];
  const texts = Array<string>(50_000).fill('Some words that take a little time to read and to add up.');
  const progress = (count: number) => {
    done.push(count);
    controller.abort(new Error('gone'));
  };
  const { signal } = controller;
  await t.rejects(model.embed(texts, { ...request, signal, progress }), { message: 'gone' });
  t.equal(done.length, 1);
  t.ok((done[0] as number) > 0 && (done[0] as number) < texts.length);
});
