import t from 'tap';
import create from '../../../../plugins/embeddings/openai/index.ts';
import {
  embedAtServer,
  embedForAll,
  inData,
  KEY,
  openHosted,
  startHost,
  testNeedsKey,
} from '../../../support/hosted-host.ts';
import { composeQuietly } from '../../../support/service.ts';
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
  t.ok(models.some(({ name, dimensions }) => name === 'text-embedding-3-large' && dimensions === 3072));
});
