import t from 'tap';
import { toJsonText } from '../../../server/wire/json-text.ts';
import { locate } from '../../../server/wire/locate.ts';
import { isHere, needs } from '../../support/here.ts';
import { plugin, pluginsFolder } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { type Client, startServer } from '../../support/server.ts';

/** POST /v1/embed, POST /v1/tokenize and GET /v1/tokenizers over real HTTP. */

const client = await startServer(t);

interface Embeddings<Vector = number[]> {
  readonly model: string;
  readonly dimensions: number;
  readonly embeddings: readonly Vector[];
}

interface Tokens {
  readonly count: number;
  readonly offsets?: readonly [number, number][];
  readonly ids?: readonly number[];
  readonly tokens?: readonly string[];
}

async function embed<Vector = number[]>(request: object, { post }: Client = client) {
  const answer = await post('/v1/embed', request);
  t.equal(answer.status, 200, answer.bytes.subarray(0, 300).toString());
  return answer.json<Embeddings<Vector>>();
}

async function tokenize(request: object, { post }: Client = client): Promise<readonly Tokens[]> {
  const answer = await post('/v1/tokenize', request);
  t.equal(answer.status, 200, answer.bytes.subarray(0, 300).toString());
  return answer.json<{ results: Tokens[] }>().results;
}

const TEXTS = ['How long does tea steep?', '', '茶 🍵 naïve', ' \n', '👩‍👩‍👧 \ud83d'];

t.test(
  'embed: a vector for each text, as the refinery makes it of a chunk',
  needs('refinery/embeddings', 'embedding/static', 'tokenizer/huggingface'),
  async (t) => {
    const answer = await client.post('/v1/embed', { text: TEXTS });
    t.equal(answer.headers.get('x-embedding-model'), 'chunksmith/retrieval-en-512');
    const { model, dimensions, embeddings } = answer.json<Embeddings>();
    t.match({ model, dimensions }, { model: 'chunksmith/retrieval-en-512', dimensions: 512 });
    const chunks = TEXTS.map((text) => ({ text, start_index: 0, end_index: 0, token_count: 0 }));
    const refined = (await client.post('/v1/refine/embeddings', { chunks })).json<
      { embedding: number[] }[]
    >();
    t.same(
      embeddings,
      refined.map(({ embedding }) => embedding),
    );
    t.same((await embed({ text: TEXTS[0] })).embeddings, embeddings.slice(0, 1), 'one text, a list of one');
    t.same(await embed({ text: [] }), { model, dimensions, embeddings: [] });
  },
);

t.test(
  'embed: base64 is the exact float32 of the numbers, lowest byte first',
  needs('embedding/static', 'tokenizer/huggingface'),
  async (t) => {
    const request = { text: TEXTS, embedding_model: 'vendor/potion-base-8M' };
    const numbers = await embed(request);
    const encoded = await embed<string>({ ...request, encoding: 'base64' });
    t.equal(encoded.dimensions, 256);
    for (const [index, text] of encoded.embeddings.entries()) {
      const bytes = Buffer.from(text, 'base64');
      t.equal(bytes.length, 4 * 256);
      const read = Array.from({ length: 256 }, (_, at) => bytes.readFloatLE(4 * at));
      const furthest = Math.max(
        ...read.map((value, at) => Math.abs(value - (numbers.embeddings[index]?.[at] ?? Number.NaN))),
      );
      t.ok(furthest <= 1e-8, `${furthest}`);
    }
  },
);

/** An embedding plugin whose vector is the purpose that it is told. */
const TOLD = plugin(
  { kind: 'embedding', name: 'told', models: ['told'] },
  `export default () => ({
    list: () => [{ name: 'told' }],
    open: async (name) => name === 'told' ? {
      name, bytes: 0, tokenizer: async () => undefined,
      embed: async (texts, { purpose }) => {
        if (texts.includes('fail')) throw new Error('a secret');
        const number = ['document', 'query', 'similarity'].indexOf(purpose);
        return { dimensions: 1, values: new Float32Array(texts.length).fill(number) };
      },
    } : undefined,
  });`,
);

t.test('embed: the model is told the purpose, document by default', async (t) => {
  const told = await startServer(t, { pluginsDir: [await pluginsFolder(t, TOLD)] });
  const request = { text: 'a', embedding_model: 'told' };
  t.same((await embed(request, told)).embeddings, [[0]]);
  for (const [index, purpose] of ['document', 'query', 'similarity'].entries())
    t.same((await embed({ ...request, purpose }, told)).embeddings, [[index]], purpose);
  const failed = await told.post('/v1/embed', { ...request, text: 'fail' });
  checkProblem(t, failed, 500, /^The embedding "told" failed: an unexpected error/);
});

t.test('tokenize: counts alone by default, of each text in its order', async (t) => {
  t.same(await tokenize({ text: TEXTS }), [
    { count: 24 },
    { count: 0 },
    { count: 9 },
    { count: 2 },
    { count: 7 },
  ]);
  t.same(await tokenize({ text: '' }), [{ count: 0 }]);
  t.same(await tokenize({ text: [] }), []);
});

t.test('tokenize: counts with the tokenizer that is named', needs('tokenizer/tiktoken'), async (t) => {
  const answer = await client.post('/v1/tokenize', { text: 'hello world', tokenizer: 'cl100k_base' });
  t.same(answer.json(), { tokenizer: 'cl100k_base', results: [{ count: 2 }] });
});

t.test('tokenize: ids are those of the encoding', needs('tokenizer/tiktoken'), async (t) => {
  const known = await tokenize({ text: 'hello world', tokenizer: 'cl100k_base', include: ['ids', 'tokens'] });
  t.same(known, [{ count: 2, ids: [15339, 1917], tokens: ['hello', ' world'] }]);
  const refused = await client.post('/v1/tokenize', { text: 'a', include: ['ids'] });
  checkProblem(t, refused, 400, /^include: the tokenizer "character" has no ids/);
});

for (const [tokenizer, ...plugins] of [
  ['character'],
  ['cl100k_base', 'tokenizer/tiktoken'],
  ['chunksmith/static-en-256', 'embedding/static', 'tokenizer/huggingface'],
] as const) {
  t.test(
    `tokenize: offsets of ${tokenizer} are exact in every unit, and tokens join to the text`,
    needs(...plugins),
    async (t) => {
      for (const unit of ['code_point', 'utf16', 'byte'] as const) {
        const request = { text: TEXTS, tokenizer, offset_unit: unit, include: ['offsets', 'tokens'] };
        const results = await tokenize(request);
        for (const [index, text] of TEXTS.entries()) {
          const { count, offsets = [], tokens = [] } = results[index] as Tokens;
          t.equal(offsets.length, count);
          if (count > 0) t.equal(tokens.join(''), text);
          const ends = tokens.map((_, place) => tokens.slice(0, place + 1).join('').length);
          const spans = ends.map((end, place) => ({ start: ends[place - 1] ?? 0, end }));
          const { start, end } = locate(toJsonText(text), spans, unit);
          t.same(
            offsets,
            spans.map((_, place) => [start[place], end[place]]),
            `${unit}: ${JSON.stringify(text)}`,
          );
        }
      }
    },
  );
}

t.test('unknown and wrong parameters are refused with what was meant', async (t) => {
  for (const [path, body, problem] of [
    ['embed', { texts: 'a' }, /texts: unknown parameter, did you mean "text"\?/],
    ['embed', { text: 'a', purpos: 'query' }, /purpos: unknown parameter, did you mean "purpose"\?/],
    ['embed', { text: 'a', purpose: 'search' }, /purpose: expected one of "document", "query", "similarity"/],
    ['embed', { text: 'a', encoding: 'binary' }, /encoding: expected one of "float", "base64", got "binary"/],
    ['embed', { text: 'a', embedding_model: 'no such' }, /embedding_model: there is no model "no such" here/],
    ['embed', { text: 1 }, /text: expected a string or a list of which each is a string, got 1/],
    ['tokenize', {}, /text: missing/],
    [
      'tokenize',
      { text: 'a', tokeniser: 'gpt2' },
      /tokeniser: unknown parameter, did you mean "tokenizer"\?/,
    ],
    ['tokenize', { text: 'a', tokenizer: 'nothing' }, /tokenizer: there is no tokenizer "nothing"/],
    ['tokenize', { text: 'a', include: ['id'] }, /include.*"offsets", "ids", "tokens"/],
    ['tokenize', { text: 'a', include: 'ids' }, /include: expected a list/],
  ] as const) {
    checkProblem(t, await client.post(`/v1/${path}`, body), 400, problem);
  }
});

t.test('the limits on texts hold', async (t) => {
  const pluginsDir = [await pluginsFolder(t, TOLD)];
  const limited = await startServer(t, { maxDocuments: 2, maxCharacters: 10, pluginsDir });
  for (const [path, more] of [
    ['embed', { embedding_model: 'told' }],
    ['tokenize', {}],
  ] as const) {
    const post = (text: unknown) => limited.post(`/v1/${path}`, { text, ...more });
    checkProblem(t, await post(['a', 'b', 'c']), 400, /^text: 3 texts, over the limit of 2/);
    checkProblem(t, await post('a'.repeat(11)), 400, /^text: 11 characters, over the limit of 10/);
  }
});

t.test('the limit on answers holds', async (t) => {
  const pluginsDir = [await pluginsFolder(t, TOLD)];
  const { post } = await startServer(t, { maxAnswerBytes: 500, pluginsDir });
  const answer = await post('/v1/embed', { text: Array(500).fill('a'), embedding_model: 'told' });
  checkProblem(t, answer, 400, /^The answer would take \d+ bytes/);
});

t.test('5 MB are counted and embedded in a worker thread, while the event loop answers', async (t) => {
  const server = await startServer(t, { workers: 1, pluginsDir: [await pluginsFolder(t, TOLD)] });
  const text = 'Tea 🍵 and milk, naïve or not. '.repeat(170_000);
  const counted = server.post('/v1/tokenize', { text });
  const health = await server.get('/health');
  t.equal(health.status, 200);
  t.equal((await counted).json<{ results: Tokens[] }>().results[0]?.count, 30 * 170_000);
  const [embedded] = (await embed({ text, embedding_model: 'told', encoding: 'base64' }, server)).embeddings;
  t.ok(embedded);
  const metrics = (await server.get('/metrics')).bytes.toString();
  for (const by of ['embed', 'tokenize'])
    t.match(metrics, new RegExp(`chunksmith_stage_seconds_count\\{stage="queue",by="${by}"\\}`));
});

t.test('the last of the tokens of 5 MB ends where the text ends', needs('tokenizer/tiktoken'), async (t) => {
  const text = 'Tea 🍵 and milk, naïve or not. '.repeat(170_000);
  const server = await startServer(t, { workers: 1 });
  const [placed] = await tokenize({ text, tokenizer: 'cl100k_base', include: ['offsets'] }, server);
  t.equal(placed?.offsets?.at(-1)?.[1], 30 * 170_000);
});

t.test('the deadline of requests holds for them', async (t) => {
  const slow = plugin(
    { kind: 'tokenizer', name: 'stubborn', models: ['stubborn'] },
    `export default () => ({ names: () => ['stubborn'], open: async (name) => ({
      name, tokenize: () => { for (;;); },
    }) });`,
  );
  const folder = await pluginsFolder(t, slow);
  const server = await startServer(t, { workers: 1, requestTimeout: 1, pluginsDir: [folder] });
  const answer = await server.post('/v1/tokenize', { text: 'a', tokenizer: 'stubborn' });
  checkProblem(t, answer, 503, /longer than 1 s and was stopped/);
});

t.test('the list of tokenizers has names, aliases, providers, and what is missing', async (t) => {
  const folder = await pluginsFolder(
    t,
    plugin(
      { kind: 'tokenizer', name: 'letters', models: ['letters', 'signs'] },
      `export default () => ({
        names: () => ['letters'], aliases: () => ({ signs: 'letters' }), open: async () => undefined,
      });`,
    ),
    plugin(
      { kind: 'tokenizer', name: 'lacking', models: ['lacking-1', 'lacking-*'], needs: { env: ['NO_SUCH'] } },
      'export default () => { throw new Error("never made"); };',
    ),
  );
  const { get } = await startServer(t, { pluginsDir: [folder] });
  const list = (await get('/v1/tokenizers')).json<{ name: string; missing: string[] }[]>();
  const find = (name: string) => list.find((one) => one.name === name);
  t.same(find('letters'), {
    name: 'letters',
    aliases: ['signs'],
    provider: 'letters',
    available: true,
    missing: [],
  });
  t.match(find('lacking-1'), { provider: 'lacking', available: false, missing: [/NO_SUCH/] });
  t.match(find('character'), { provider: 'character', available: true });
  if (isHere('tokenizer/tiktoken')) t.match(find('cl100k_base'), { provider: 'tiktoken', available: true });
  t.notOk(find('lacking-*'));
});
