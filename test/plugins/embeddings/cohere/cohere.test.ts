import t from 'tap';
import create from '../../../../plugins/embeddings/cohere/index.ts';
import { embedForAll, KEY, openHosted, send, startHost, testNeedsKey } from '../../../support/hosted-host.ts';

t.test('a request says what the vectors are for', async (t) => {
  const host = await startHost(t, ({ body }, response) =>
    send(response, 200, { embeddings: { float: body.texts?.map((text) => [Number(text)]) } }),
  );
  const env = { COHERE_API_KEY: KEY, COHERE_BASE_URL: host.url };
  await embedForAll(await openHosted(create, 'embed-english-v3.0', env));
  t.match(host.asked, [
    { url: '/v2/embed', body: { input_type: 'search_document', truncate: 'NONE' } },
    { body: { input_type: 'search_query', truncate: 'NONE' } },
    { body: { input_type: 'clustering', truncate: 'NONE' } },
  ]);
});

testNeedsKey(t, 'embed-english-v3.0', 'COHERE_API_KEY');
