import t from 'tap';
import create from '../../../../plugins/embeddings/voyage/index.ts';
import {
  embedForAll,
  inData,
  KEY,
  openHosted,
  startHost,
  testNeedsKey,
} from '../../../support/hosted-host.ts';

t.test('a request says what the vectors are for', async (t) => {
  const host = await startHost(t, inData);
  const env = { VOYAGE_API_KEY: KEY, VOYAGE_BASE_URL: `${host.url}/v1` };
  await embedForAll(await openHosted(create, 'voyage-code-2', env));
  t.match(host.asked, [
    { url: '/v1/embeddings', body: { input_type: 'document', truncation: false } },
    { body: { input_type: 'query', truncation: false } },
    { body: { input_type: undefined, truncation: false } },
  ]);
});

testNeedsKey(t, 'voyage-large-2', 'VOYAGE_API_KEY');
