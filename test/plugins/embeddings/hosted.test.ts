import t from 'tap';
import { type EmbeddingProvider, PURPOSES } from '../../../core/contracts/embedding.ts';
import createCohere from '../../../plugins/embeddings/cohere/index.ts';
import createOpenAI from '../../../plugins/embeddings/openai/index.ts';
import createVoyage from '../../../plugins/embeddings/voyage/index.ts';
import { collaborators } from '../../support/collaborators.ts';
import { inData, KEY, never, send, startHost, tokenizers } from '../../support/hosted-host.ts';
import { startServer } from '../../support/server.ts';
import { composeQuietly } from '../../support/service.ts';

t.test('each provider in its own words', async (t) => {
  const host = await startHost(t, (asked, response, count) => {
    if (asked.url === '/v2/embed')
      send(response, 200, { embeddings: { float: asked.body.texts?.map((text) => [Number(text)]) } });
    else inData(asked, response, count);
  });
  const open = async (create: typeof createOpenAI, name: string, env: Record<string, string>) => {
    const provider = await create({ ...collaborators({ env }), 'tokenizer/tiktoken': tokenizers });
    return (await provider.open(name, never)) as NonNullable<Awaited<ReturnType<EmbeddingProvider['open']>>>;
  };
  const allPurposes = async (create: typeof createOpenAI, name: string, env: Record<string, string>) => {
    const model = await open(create, name, env);
    host.asked.length = 0;
    for (const purpose of PURPOSES) await model.embed(['5'], { purpose, signal: never });
    return host.asked;
  };
  for (const base of ['/v1', '/v1/']) {
    const [document] = await allPurposes(createOpenAI, 'text-embedding-3-small', {
      OPENAI_API_KEY: KEY,
      OPENAI_BASE_URL: host.url + base,
    });
    t.match(document, {
      url: '/v1/embeddings',
      authorization: `Bearer ${KEY}`,
      body: { model: 'text-embedding-3-small', input: ['5'] },
    });
  }
  t.match(
    (
      await allPurposes(createOpenAI, 'openai/nomic', {
        OPENAI_API_KEY: KEY,
        OPENAI_BASE_URL: `${host.url}/v1`,
      })
    )[0]?.body,
    { model: 'nomic' },
  );
  const cohere = await allPurposes(createCohere, 'embed-english-v3.0', {
    COHERE_API_KEY: KEY,
    COHERE_BASE_URL: host.url,
  });
  t.match(cohere, [
    { url: '/v2/embed', body: { input_type: 'search_document' } },
    { body: { input_type: 'search_query' } },
    { body: { input_type: 'clustering' } },
  ]);
  const voyage = await allPurposes(createVoyage, 'voyage-code-2', {
    VOYAGE_API_KEY: KEY,
    VOYAGE_BASE_URL: `${host.url}/v1`,
  });
  t.match(voyage, [
    { url: '/v1/embeddings', body: { input_type: 'document' } },
    { body: { input_type: 'query' } },
    { body: { input_type: undefined } },
  ]);
  await t.rejects(open(createOpenAI, 'x', { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: 'file:///etc' }), {
    message: /OPENAI_BASE_URL is not an http/,
  });
});

t.test('through the service', async (t) => {
  const chunks = [{ text: '3', start_index: 0, end_index: 1, token_count: 1 }];
  await t.test('without a key the answer names the variable', async (t) => {
    delete process.env.OPENAI_API_KEY;
    const { post } = await startServer(t);
    for (const [model, variable] of [
      ['text-embedding-3-small', 'OPENAI_API_KEY'],
      ['embed-english-v3.0', 'COHERE_API_KEY'],
      ['voyage-large-2', 'VOYAGE_API_KEY'],
    ]) {
      const answer = await post('/v1/refine/embeddings', { chunks, embedding_model: model });
      t.equal(answer.status, 500);
      t.match(answer.json(), { detail: new RegExp(`set the environment variable ${variable}`) });
    }
  });
  await t.test('with one it answers, and names the model', async (t) => {
    const host = await startHost(t, inData);
    Object.assign(process.env, { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${host.url}/v1` });
    t.teardown(() => {
      delete process.env.OPENAI_API_KEY;
      delete process.env.OPENAI_BASE_URL;
    });
    const { post } = await startServer(t);
    const answer = await post('/v1/refine/embeddings', { chunks, embedding_model: 'text-embedding-3-small' });
    t.equal(answer.status, 200);
    t.same(answer.json(), [{ ...chunks[0], embedding: [3, 1] }]);
    t.equal(answer.headers.get('x-embedding-model'), 'text-embedding-3-small');
    const { openers } = await composeQuietly();
    t.ok(
      (await openers.listModels()).some(
        ({ name, dimensions }) => name === 'text-embedding-3-large' && dimensions === 3072,
      ),
    );
  });
});
