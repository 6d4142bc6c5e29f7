import t from 'tap';
import type { HostedProvider } from '../../../core/contracts/collaborators.ts';
import type { EmbeddingProvider } from '../../../core/contracts/embedding.ts';
import type { HostedTools } from '../../../server/hosted/call-with-retries.ts';
import { createHostedProvider, hostedModels } from '../../../server/hosted/provider.ts';
import { inData, KEY, never, send, startHost, tokenizers } from '../../support/hosted-host.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index));

function providerAt(
  url: string,
  tools: Partial<HostedTools> = {},
  more: Partial<HostedProvider> = {},
): EmbeddingProvider {
  const provider: HostedProvider = {
    title: 'Test',
    prefix: 'test/',
    known: [],
    url,
    keyVariable: 'TEST_API_KEY',
    key: KEY,
    limits: { items: 100, tokens: 10_000 },
    body: (texts, model) => ({ model, input: texts }),
    read: hostedModels.readData,
    tokenizer: { provider: tokenizers, name: 'cl100k_base' },
    ...more,
  };
  const limits = { retries: 2, firstDelay: 1, longestDelay: 2000 };
  return createHostedProvider(provider, { fetch, limits, timeout: 1000, ...tools });
}

async function embed(
  provider: EmbeddingProvider,
  texts: readonly string[],
  options: { name?: string; signal?: AbortSignal; progress?: (done: number) => void } = {},
) {
  const { name = 'test/some-model', signal = never, ...more } = options;
  const model = await provider.open(name, signal);
  return (model as NonNullable<typeof model>).embed(texts, { purpose: 'document', signal, ...more });
}

t.test('texts go in batches, at most four at once, and come back in order', async (t) => {
  const host = await startHost(t, inData);
  const done: number[] = [];
  const { dimensions, values } = await embed(providerAt(host.url), numbers(3000), {
    progress: (count) => done.push(count),
  });
  t.equal(dimensions, 2);
  t.same(
    [...values].filter((_, place) => place % 2 === 0),
    Array.from({ length: 3000 }, (_, index) => index),
  );
  t.equal(host.asked.length, 30);
  t.ok(host.seen.most > 1 && host.seen.most <= 4, `${host.seen.most} at once`);
  t.equal(done.at(-1), 3000);
  t.equal(host.asked[0]?.body.model, 'some-model', 'the prefix is not sent');
  t.equal(host.asked[0]?.authorization, `Bearer ${KEY}`);
});

t.test('long texts make smaller batches', async (t) => {
  const host = await startHost(t, inData);
  await embed(
    providerAt(host.url),
    Array.from({ length: 10 }, () => ' '.repeat(9000)),
  );
  t.equal(host.asked.length, 4);
});

t.test('a batch that is refused is halved; one text that is refused is an error', async (t) => {
  const host = await startHost(t, (asked, response, count) => {
    if ((asked.body.input?.length ?? 0) > 3) send(response, 400, { error: { message: 'too many tokens' } });
    else inData(asked, response, count);
  });
  const { values } = await embed(providerAt(host.url), numbers(10));
  t.same(
    [...values].filter((_, place) => place % 2 === 0),
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  );
  const strict = await startHost(t, (_, response) => send(response, 400, { error: { message: 'too long' } }));
  await t.rejects(embed(providerAt(strict.url), numbers(2)), {
    message: /Test answered 400: too long; the text may be too long/,
    expose: true,
  });
});

t.test('what may pass is tried again', async (t) => {
  const start = Date.now();
  const host = await startHost(t, (asked, response, count) => {
    if (count === 1) send(response, 429, {}, { 'retry-after': '0.3' });
    else if (count === 2) send(response, 503, {});
    else inData(asked, response, count);
  });
  t.equal((await embed(providerAt(host.url), ['7'])).values[0], 7);
  t.ok(Date.now() - start >= 300, 'not before Retry-After');

  const dead = await startHost(t, (_, response) => send(response, 500, { message: 'broken' }));
  await t.rejects(embed(providerAt(dead.url), ['1']), { message: 'Test answered 500: broken', expose: true });
  t.equal(dead.asked.length, 3);
  const patient = await startHost(t, (_, response) => send(response, 429, {}, { 'retry-after': '3600' }));
  await t.rejects(embed(providerAt(patient.url), ['1']), { message: /429/ });
  t.equal(patient.asked.length, 1, 'an hour is too long');
  await t.rejects(embed(providerAt('http://127.0.0.1:1'), ['1']), { message: /the connection failed/ });
  const silent = await startHost(t, () => {});
  await t.rejects(embed(providerAt(silent.url, { timeout: 50 }), ['1']), {
    message: /no answer within 0.05 s/,
  });
});

t.test('what does not pass is not tried again, and says what to do', async (t) => {
  for (const [status, remedy] of [
    [401, /check TEST_API_KEY/],
    [403, /check TEST_API_KEY/],
    [404, /check the model's name/],
  ] as const) {
    const host = await startHost(t, (_, response) => send(response, status, { error: 'no' }));
    await t.rejects(embed(providerAt(host.url), ['1']), { message: remedy, expose: true });
    t.equal(host.asked.length, 1);
  }
});

t.test('the key is in no error, also where the server sends it back', async (t) => {
  for (const status of [400, 401, 404, 418, 500]) {
    const host = await startHost(t, ({ authorization }, response) =>
      send(response, status, { error: { message: `you sent ${authorization}` } }),
    );
    const error = await embed(providerAt(host.url), ['1']).catch((problem: Error) => problem);
    t.ok(error instanceof Error);
    t.match((error as Error).message, /you sent Bearer \*\*\*/);
    t.notMatch((error as Error).stack, KEY);
  }
  const redirecting = await startHost(t, (_, response) =>
    response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
  );
  await t.rejects(embed(providerAt(redirecting.url), ['1']), { message: /the connection failed/ });
});

t.test('answers that are no vectors are refused', async (t) => {
  const answers: object[] = [
    {},
    { data: [] },
    { data: [{ index: 0, embedding: [1] }] },
    {
      data: [
        { index: 0, embedding: [1] },
        { index: 0, embedding: [2] },
      ],
    },
    {
      data: [
        { index: 0, embedding: [1] },
        { index: 1, embedding: [1, 2] },
      ],
    },
    {
      data: [
        { index: 0, embedding: [] },
        { index: 1, embedding: [] },
      ],
    },
  ];
  for (const answer of answers) {
    const host = await startHost(t, (_, response) => send(response, 200, answer));
    await t.rejects(embed(providerAt(host.url), ['1', '2']), {
      message: /something else than vectors|different lengths/,
    });
  }
  const host = await startHost(t, (_, response) => {
    const embedding = Buffer.from(Float32Array.of(0.5, -2).buffer).toString('base64');
    send(response, 200, { data: [{ embedding }] });
  });
  t.same([...(await embed(providerAt(host.url), ['1'])).values], [0.5, -2], 'base64 is read');
});

t.test('a request that nobody waits for ends its calls', async (t) => {
  const gone = new AbortController();
  const host = await startHost(t, () => gone.abort(new Error('gone')));
  await t.rejects(embed(providerAt(host.url), numbers(1000), { signal: gone.signal }), { message: 'gone' });
  t.ok(host.asked.length <= 4);
  const waiting = new AbortController();
  const busy = await startHost(t, (_, response) => {
    send(response, 429, {}, { 'retry-after': '2' });
    setTimeout(() => waiting.abort(new Error('gone')), 20);
  });
  await t.rejects(embed(providerAt(busy.url), ['1'], { signal: waiting.signal }), { message: 'gone' });
  t.equal(busy.asked.length, 1, 'also while it waits');
});
