import t from 'tap';
import type { HostedProvider } from '../../../../core/contracts/collaborators.ts';
import type { EmbeddingProvider } from '../../../../core/contracts/embedding.ts';
import { createHostedModels, hostedModels } from '../../../../server/plugins/hosted/provider.ts';
import { inData, KEY, never, send, startHost, tokenizers } from '../../../support/hosted-host.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index));

function providerAt(url: string): EmbeddingProvider {
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
  };
  const limits = { retries: 2, firstDelay: 1, maxDelay: 2000 };
  return createHostedModels({ fetch, limits, timeout: 1000 }).createProvider(provider);
}

interface EmbedOptions {
  readonly signal?: AbortSignal;
  readonly progress?: (done: number) => void;
}

async function embed(provider: EmbeddingProvider, texts: readonly string[], options: EmbedOptions = {}) {
  const model = await provider.open('test/some-model', never);
  const call = { purpose: 'document', signal: never, ...options } as const;
  return (model as NonNullable<typeof model>).embed(texts, call);
}

/** The first number of each vector. */
const firstOf = ({ values }: { readonly values: Iterable<number> }) =>
  [...values].filter((_, place) => place % 2 === 0);

t.test('texts go in batches, at most four at once, and come back in order', async (t) => {
  const host = await startHost(t, inData);
  const done: number[] = [];
  const progress = (count: number) => done.push(count);
  const found = await embed(providerAt(host.url), numbers(3000), { progress });
  t.equal(found.dimensions, 2);
  t.same(firstOf(found), numbers(3000).map(Number));
  t.equal(host.asked.length, 30);
  t.ok(host.seen.most > 1 && host.seen.most <= 4, `${host.seen.most} at once`);
  t.equal(done.at(-1), 3000);
  t.equal(host.asked[0]?.body.model, 'some-model', 'the prefix is not sent');
  t.equal(host.asked[0]?.authorization, `Bearer ${KEY}`);
});

t.test('long texts make smaller batches', async (t) => {
  const host = await startHost(t, inData);
  await embed(providerAt(host.url), Array(10).fill(' '.repeat(9000)));
  t.equal(host.asked.length, 4);
});

t.test('a batch that is refused is halved; one text that is refused is an error', async (t) => {
  const host = await startHost(t, (asked, response, count) => {
    if ((asked.body.input?.length ?? 0) > 3) send(response, 400, { error: { message: 'too many tokens' } });
    else inData(asked, response, count);
  });
  t.same(firstOf(await embed(providerAt(host.url), numbers(10))), numbers(10).map(Number));
  const strict = await startHost(t, (_, response) => send(response, 400, { error: { message: 'too long' } }));
  const message = /Test answered 400: too long; the text may be too long/;
  await t.rejects(embed(providerAt(strict.url), numbers(2)), { message, expose: true, refusedText: 0 });
  const picky = await startHost(t, (asked, response, count) => {
    if (asked.body.input?.includes('137')) send(response, 400, { error: { message: 'too long' } });
    else inData(asked, response, count);
  });
  const refusal = await embed(providerAt(picky.url), numbers(250)).catch((error: unknown) => error);
  t.match(refusal, { refusedText: 137 });
});

t.test('what a call fails with is for callers, without the key', async (t) => {
  for (const [status, tries, remedy] of [
    [401, 1, /check TEST_API_KEY/],
    [404, 1, /check the model's name/],
    [400, 1, /the text may be too long/],
    [500, 3, /Test answered 500/],
  ] as const) {
    const host = await startHost(t, ({ authorization }, response) =>
      send(response, status, { error: { message: `you sent ${authorization}` } }),
    );
    const error = await embed(providerAt(host.url), ['1']).catch((problem: Error) => problem);
    t.match(error, { expose: true, message: remedy });
    t.match((error as Error).message, /you sent Bearer \*\*\*/);
    t.notMatch((error as Error).stack, KEY);
    t.equal(host.asked.length, tries, String(status));
  }
});

t.test('answers that are no vectors are refused', async (t) => {
  const vectors = (...all: [index: number, embedding: number[]][]) => ({
    data: all.map(([index, embedding]) => ({ index, embedding })),
  });
  const answers: object[] = [
    {},
    { data: [] },
    vectors([0, [1]]),
    vectors([0, [1]], [0, [2]]),
    vectors([0, [1]], [1, [1, 2]]),
    vectors([0, []], [1, []]),
  ];
  for (const answer of answers) {
    const host = await startHost(t, (_, response) => send(response, 200, answer));
    const message = /did not return vectors|different lengths/;
    await t.rejects(embed(providerAt(host.url), ['1', '2']), { message });
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
