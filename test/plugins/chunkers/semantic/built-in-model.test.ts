import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Chunk } from '../../../../core/contracts/chunk.ts';
import semantic from '../../../../plugins/chunkers/semantic/manifest.ts';
import { needs } from '../../../support/here.ts';
import { startServer, temporaryFolder } from '../../../support/server.ts';

const README = readFileSync(join(import.meta.dirname, '../../../../README.md'), 'utf8');
const textsOf = (chunks: readonly Chunk[]) => chunks.map(({ text }) => text);

const NEEDED = needs('embedding/static', 'tokenizer/huggingface');

t.test('a fresh server answers by default, with no network, key or model', NEEDED, async (t) => {
  const config = { hfEndpoint: 'http://127.0.0.1:9', modelsDir: await temporaryFolder(t), workers: 1 };
  const client = await startServer(t, config);
  for (const path of ['/v1/chunk/semantic', '/v1/embed']) {
    const first = await client.post(path, semantic.example);
    t.equal(first.status, 200, `${path} ${first.bytes.subarray(0, 200)}`);
    t.ok(first.headers.get('x-embedding-model'));
    t.same((await client.post(path, semantic.example)).bytes, first.bytes);
  }
});

t.test('the built-in model', NEEDED, async (t) => {
  const client = await startServer(t);
  const chunk = (request: { text: string } & Record<string, unknown>) => client.chunk('semantic', request);

  await t.test('tells topics apart in every mode', async (t) => {
    const { text } = semantic.example;
    const parts = text.split(/(?=The telescope)/);
    t.same(textsOf(await chunk({ text })), parts);
    t.same(textsOf(await chunk({ text, mode: 'cluster' })), parts);
    t.same(textsOf(await chunk({ text, threshold: 0 })), [text]);
    t.same(textsOf(await chunk({ text, threshold: 'auto' })), [text], 'too short for auto');
  });

  await t.test('chunk_size counts its own tokens', async (t) => {
    for (const mode of ['threshold', 'cluster']) {
      const chunks = await chunk({ text: README, chunk_size: 50, oversize: 'split', mode });
      t.equal(textsOf(chunks).join(''), README);
      t.ok(chunks.every(({ token_count }) => token_count <= 50));
      t.ok(chunks.some(({ text, token_count }) => text.length > 100 && token_count < text.length / 2));
    }
  });

  await t.test('adds vectors of the length 1 that are alike for texts that are', async (t) => {
    const text = ['The cat sleeps.', 'A kitten is asleep.', 'Interest rates rose.', ''];
    const vectors = (await client.post('/v1/embed', { text })).json<{ embeddings: number[][] }>().embeddings;
    const product = (a: number, b: number) =>
      (vectors[a] as number[]).reduce((sum, value, at) => sum + value * (vectors[b]?.[at] as number), 0);
    t.ok(Math.abs(product(0, 0) - 1) < 1e-4);
    t.ok(product(0, 1) > product(0, 2) + 0.1, `${product(0, 1)} and ${product(0, 2)}`);
    t.equal(vectors[3]?.length, vectors[0]?.length, 'an empty text has a vector too');
  });
});
