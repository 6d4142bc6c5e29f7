import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import type {
  Collaborators,
  EmbeddingProvider,
  Factory,
  Tokenizer,
  TokenizerProvider,
} from '../../../core/contracts.ts';
import {
  createHostedProvider,
  type HostedProvider,
  type HostedTools,
  readData,
} from '../../../core/hosted.ts';
import createCohere from '../../../plugins/embeddings/cohere/index.ts';
import createOpenAI from '../../../plugins/embeddings/openai/index.ts';
import createVoyage from '../../../plugins/embeddings/voyage/index.ts';
import { startServer } from '../../support/server.ts';
import { composeQuietly } from '../../support/service.ts';

const KEY = 'sk-very-secret';

interface Asked {
  readonly url: string;
  readonly authorization: string;
  readonly body: Record<string, unknown> & { input?: string[]; texts?: string[] };
}

type Reply = (asked: Asked, response: ServerResponse, count: number) => void;

/** A server on loopback that notes what it is asked, and how many calls it had at once. */
async function startHost(t: Test, reply: Reply) {
  const asked: Asked[] = [];
  const seen = { most: 0 };
  let now = 0;
  const server = createServer(async (request: IncomingMessage, response) => {
    seen.most = Math.max(seen.most, ++now);
    response.once('close', () => now--);
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = JSON.parse(Buffer.concat(parts).toString());
    const one = { url: request.url ?? '', authorization: request.headers.authorization ?? '', body };
    asked.push(one);
    reply(one, response, asked.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Answers as OpenAI does, last vector first: the vector of a text is its number. */
const inData: Reply = ({ body }, response) => {
  const data = (body.input ?? []).map((text, index) => ({ index, embedding: [Number(text), 1] }));
  setTimeout(() => send(response, 200, { data: data.reverse() }), Math.random() * 5);
};

function send(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index));
const never = new AbortController().signal;
const tokenizers = {
  open: async () => ({ name: 'cl100k_base' }) as Tokenizer,
  names: () => [],
} satisfies TokenizerProvider;

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
    read: readData,
    ...more,
  };
  const retries = { tries: 3, firstDelay: 1, longestDelay: 2000 };
  return createHostedProvider(provider, tokenizers, { fetch, retries, timeout: 1000, ...tools });
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
  const start = Date.now();
  await t.rejects(embed(providerAt(busy.url), ['1'], { signal: waiting.signal }), { message: 'gone' });
  t.ok(Date.now() - start < 1500, 'also while it waits');
});

t.test('each provider in its own words', async (t) => {
  const host = await startHost(t, (asked, response, count) => {
    if (asked.url === '/v2/embed')
      send(response, 200, { embeddings: { float: asked.body.texts?.map((text) => [Number(text)]) } });
    else inData(asked, response, count);
  });
  const open = async (create: Factory<'embedding'>, name: string, env: Record<string, string>) => {
    const provider = await create({ env, 'tokenizer/tiktoken': tokenizers } as unknown as Collaborators &
      Record<string, unknown>);
    return (await provider.open(name, never)) as NonNullable<Awaited<ReturnType<EmbeddingProvider['open']>>>;
  };
  const both = async (create: Factory<'embedding'>, name: string, env: Record<string, string>) => {
    const model = await open(create, name, env);
    host.asked.length = 0;
    for (const purpose of ['document', 'similarity'] as const)
      await model.embed(['5'], { purpose, signal: never });
    return host.asked;
  };
  for (const base of ['/v1', '/v1/']) {
    const [document] = await both(createOpenAI, 'text-embedding-3-small', {
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
    (await both(createOpenAI, 'openai/nomic', { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${host.url}/v1` }))[0]
      ?.body,
    { model: 'nomic' },
  );
  const cohere = await both(createCohere, 'embed-english-v3.0', {
    COHERE_API_KEY: KEY,
    COHERE_BASE_URL: host.url,
  });
  t.match(cohere, [
    { url: '/v2/embed', body: { input_type: 'search_document' } },
    { body: { input_type: 'clustering' } },
  ]);
  const voyage = await both(createVoyage, 'voyage-code-2', {
    VOYAGE_API_KEY: KEY,
    VOYAGE_BASE_URL: `${host.url}/v1`,
  });
  t.match(voyage, [
    { url: '/v1/embeddings', body: { input_type: 'document' } },
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
    const { embeddings } = await composeQuietly();
    t.ok(
      (await embeddings.list()).some(
        ({ name, dimensions }) => name === 'text-embedding-3-large' && dimensions === 3072,
      ),
    );
  });
});
