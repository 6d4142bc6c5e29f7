import t from 'tap';
import create from '../../../../plugins/embeddings/openai/index.ts';
import { needs } from '../../../support/here.ts';
import {
  embedAtServer,
  embedForAll,
  inData,
  KEY,
  openHosted,
  send,
  startHost,
  testNeedsKey,
} from '../../../support/hosted-host.ts';
import { checkProblem } from '../../../support/problems.ts';
import { composeQuietly, openService } from '../../../support/service.ts';
import { setVariables } from '../../../support/variables.ts';

t.test('a request has the model, the texts and the key', async (t) => {
  for (const base of ['/v1', '/v1/']) {
    const host = await startHost(t, inData);
    const env = { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: host.url + base };
    await embedForAll(await openHosted(create, 'text-embedding-3-small', env));
    t.match(host.asked[0], {
      url: '/v1/embeddings',
      authorization: `Bearer ${KEY}`,
      body: { model: 'text-embedding-3-small', input: ['5'] },
    });
    await embedForAll(await openHosted(create, 'openai/nomic', env));
    t.match(host.asked.at(-1)?.body, { model: 'nomic' });
  }
});

t.test('an address that is not of HTTP is refused', async (t) => {
  const env = { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: 'file:///etc' };
  await t.rejects(openHosted(create, 'x', env), { message: /OPENAI_BASE_URL is not an http/ });
});

testNeedsKey(t, 'text-embedding-3-small', 'OPENAI_API_KEY');

t.test('with a key the service answers, and names the model', async (t) => {
  const host = await startHost(t, inData);
  setVariables(t, { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${host.url}/v1` });
  const answer = await embedAtServer(t, 'text-embedding-3-small');
  t.equal(answer.status, 200);
  t.match(answer.json(), { embeddings: [[3, 1]] });
  t.equal(answer.headers.get('x-embedding-model'), 'text-embedding-3-small');
  const { openers } = await composeQuietly();
  const models = await openers.listModels();
  const large = models.find(({ name }) => name === 'text-embedding-3-large');
  t.match(large, { dimensions: 3072, window: 8192 });
});

t.test('a text that the provider refuses is named by its chunk', needs('refinery/embeddings'), async (t) => {
  const host = await startHost(t, (asked, response, count) => {
    const isLong = asked.body.input?.some((text) => text.length > 20) === true;
    if (isLong) send(response, 400, { error: { message: 'maximum context length' } });
    else inData(asked, response, count);
  });
  setVariables(t, { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${host.url}/v1` });
  const { post } = await openService(t);
  const texts = ['1', '2', '3'.repeat(30), '4'];
  const chunks = texts.map((text) => ({ text, start_index: 0, end_index: text.length, token_count: 1 }));
  const request = { chunks, embedding_model: 'text-embedding-3-small' };
  const refused = /chunks\[2\]: OpenAI answered 400: maximum context length; the text may be too long/;
  checkProblem(t, await post('/v1/refine/embeddings', request), 500, refused);
  checkProblem(
    t,
    await post('/v1/refine/embeddings', { ...request, long_texts: 'cut' }),
    400,
    /^long_texts: "cut" needs/,
  );
  const embedded = { text: texts, embedding_model: 'text-embedding-3-small' };
  checkProblem(t, await post('/v1/embed', embedded), 500, /text\[2\]: OpenAI answered 400/);
});
