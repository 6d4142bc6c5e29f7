import t from 'tap';
import { locate } from '../../../server/engine/answer/offsets.ts';
import { toJsonText } from '../../../server/engine/read/json.ts';
import { listTokenizers } from '../../../server/engine/stages/listings.ts';
import { LETTERS, requestAbout } from '../../support/evaluation.ts';
import { isHere, needs } from '../../support/here.ts';
import { plugin, pluginsFolder } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { chunkStep, jsonOf, openService, refineStep } from '../../support/service.ts';
import { linesIn } from '../../support/streams.ts';

/** Vectors of texts, tokens of texts, and the list of tokenizers. */

const { post, execute, stream } = await openService(t, { pluginsDir: [await pluginsFolder(t, LETTERS)] });

interface Embeddings<Vector = number[]> {
  readonly model: string;
  readonly dimensions: number;
  readonly embeddings: readonly Vector[];
}

interface Tokens {
  readonly count: number;
  readonly offsets?: readonly [number, number][];
  readonly tokens?: readonly string[];
}

const embed = async <Vector = number[]>(request: object) =>
  jsonOf<Embeddings<Vector>>(await post('/v1/embed', request));
const tokenize = async (request: object) =>
  jsonOf<{ results: Tokens[] }>(await post('/v1/tokenize', request)).results;

const TEXTS = ['How long does tea steep?', '', '茶 🍵 naïve', ' \n', '👩‍👩‍👧 \ud83d'];

const AS_REFINED = 'embed: a vector for each text, as the refinery makes it of a chunk';
t.test(AS_REFINED, needs('refinery/embeddings', 'embedding/static', 'tokenizer/huggingface'), async (t) => {
  const answer = await post('/v1/embed', { text: TEXTS });
  t.match(answer.headers.get('x-embedding-model'), /^chunksmith\/retrieval-en-512 parts-\d+$/);
  const { model, dimensions, embeddings } = answer.json<Embeddings>();
  t.match({ model, dimensions }, { model: 'chunksmith/retrieval-en-512', dimensions: 512 });
  const chunks = TEXTS.map((text) => ({ text, start_index: 0, end_index: 0, token_count: 0 }));
  const refined = (await post('/v1/refine/embeddings', { chunks })).json<{ embedding: number[] }[]>();
  const vectors = refined.map(({ embedding }) => embedding);
  t.same(embeddings, vectors);
  t.same((await embed({ text: TEXTS[0] })).embeddings, embeddings.slice(0, 1), 'one text, a list of one');
  t.same(await embed({ text: [] }), { model, dimensions, embeddings: [] });
});

const CHINESE = '今天天气很好。我们去公园散步。';
const EMPTY = 'vectors of zeros are counted in a header, and in the line of a stream';
t.test(EMPTY, needs('refinery/embeddings'), async (t) => {
  const texts = ['tea', CHINESE, '👍🏽', '***', ''];
  const config = { embedding_model: 'letters' };
  const chunks = texts.map((text) => ({ text, start_index: 0, end_index: 0, token_count: 0 }));
  const steps = [chunkStep('token', { chunk_size: 7 }), refineStep('embeddings', config)];
  for (const [what, expected, answer] of [
    ['embed', '4', await post('/v1/embed', { text: texts, ...config })],
    ['embed what is known', null, await post('/v1/embed', { text: 'tea', ...config })],
    ['refine', '4', await post('/v1/refine/embeddings', { chunks, ...config })],
    ['a batch', '-, 3, 1', await execute(steps, { text: ['tea', CHINESE, '茶'] })],
    ['evaluate', '1', await post('/v1/evaluate', requestAbout('茶', { tea: '茶' }, [{ chunker: 'token' }]))],
  ] as const) {
    t.equal(answer.status, 200, `${what}: ${answer.status === 200 || answer.bytes}`);
    t.equal(answer.headers.get('x-embedding-empty'), expected, what);
  }
  const task = { run: 'refine', name: 'embeddings' } as const;
  const lines = linesIn((await stream(task, config, [chunks, chunks.slice(0, 1)])).bytes);
  const empty = lines.map((line) => line as { embedding_empty?: number; embedding_empty_at?: number[] });
  t.same(
    empty.map((line) => [line.embedding_empty, line.embedding_empty_at]),
    [
      [4, [1, 2, 3, 4]],
      [undefined, undefined],
    ],
  );
});

const UNCUT = 'semantic: a text whose sentences all have vectors of zeros, or of parts, says so';
t.test(UNCUT, needs('chunker/semantic', 'embedding/static', 'tokenizer/huggingface'), async (t) => {
  const answer = await post('/v1/chunk/semantic', {
    text: '… ! … ! '.repeat(9),
    min_characters_per_sentence: 2,
  });
  t.equal(answer.json<object[]>().length, 1);
  t.match(answer.headers.get('x-embedding-empty'), /^[1-9]/);
  const chinese = await post('/v1/chunk/semantic', {
    text: CHINESE.repeat(9),
    min_characters_per_sentence: 2,
  });
  t.equal(chinese.headers.get('x-embedding-empty'), null);
  t.equal(chinese.headers.get('x-embedding-fallback'), '18');
  t.match(chinese.headers.get('x-embedding-model'), /^chunksmith\/static-en-256 parts-\d+$/);
  const known = await post('/v1/embed', { text: ['One. ', '今天天气很好。', '***', '7'] });
  t.match(known.headers.get('x-embedding-model'), /^chunksmith\/retrieval-en-512 parts-\d+$/);
  t.equal(known.headers.get('x-embedding-empty-at'), '2');
  t.equal(known.headers.get('x-embedding-empty'), '1', 'punctuation is no word');
  t.equal(known.headers.get('x-embedding-fallback'), '1');
});

const EXACT = 'embed: base64 is the exact float32 of the numbers, lowest byte first';
t.test(EXACT, needs('embedding/static', 'tokenizer/huggingface'), async (t) => {
  const request = { text: TEXTS, embedding_model: 'vendor/potion-base-8M' };
  const numbers = (await embed(request)).embeddings;
  const encoded = await embed<string>({ ...request, encoding: 'base64' });
  t.equal(encoded.dimensions, 256);
  for (const [index, text] of encoded.embeddings.entries()) {
    const bytes = Buffer.from(text, 'base64');
    t.equal(bytes.length, 4 * 256);
    const off = (numbers[index] ?? []).map((value, at) => Math.abs(value - bytes.readFloatLE(4 * at)));
    t.ok(off.length === 256 && Math.max(...off) <= 1e-8, `${Math.max(...off)}`);
  }
});

t.test('embed: the model is told the purpose, document by default', async (t) => {
  const request = { text: '', embedding_model: 'letters' };
  const purposeIn = async (more: object) => (await embed({ ...request, ...more })).embeddings[0]?.at(-1);
  t.equal(await purposeIn({}), 0);
  for (const [index, purpose] of ['document', 'query', 'similarity'].entries())
    t.equal(await purposeIn({ purpose }), index, purpose);
  const failed = await post('/v1/embed', { ...request, text: 'fail' });
  checkProblem(t, failed, 500, /^The embedding "letters" failed: an unexpected error/);
});

t.test('tokenize: counts alone by default, of each text in its order', async (t) => {
  const counts = [24, 0, 9, 2, 7].map((count) => ({ count }));
  t.same(await tokenize({ text: TEXTS }), counts);
  t.same(await tokenize({ text: '' }), [{ count: 0 }]);
  t.same(await tokenize({ text: [] }), []);
});

const OF_ENCODING = 'tokenize: counts and ids are those of the encoding that is named';
t.test(OF_ENCODING, needs('tokenizer/tiktoken'), async (t) => {
  const request = { text: 'hello world', tokenizer: 'cl100k_base' };
  const counted = await post('/v1/tokenize', request);
  t.same(counted.json(), { tokenizer: 'cl100k_base', results: [{ count: 2 }] });
  const known = await tokenize({ ...request, include: ['ids', 'tokens'] });
  t.same(known, [{ count: 2, ids: [15339, 1917], tokens: ['hello', ' world'] }]);
  const refused = await post('/v1/tokenize', { text: 'a', include: ['ids'] });
  checkProblem(t, refused, 400, /^include: the tokenizer "character" has no ids/);
});

for (const [tokenizer, ...plugins] of [
  ['character'],
  ['cl100k_base', 'tokenizer/tiktoken'],
  ['chunksmith/static-en-256', 'embedding/static', 'tokenizer/huggingface'],
] as const) {
  const exact = `tokenize: offsets of ${tokenizer} are exact in every unit, and tokens join to the text`;
  t.test(exact, needs(...plugins), async (t) => {
    for (const unit of ['code_point', 'utf16', 'byte'] as const) {
      const request = { text: TEXTS, tokenizer, offset_unit: unit, include: ['offsets', 'tokens'] };
      for (const [index, { count, offsets = [], tokens = [] }] of (await tokenize(request)).entries()) {
        const text = TEXTS[index] as string;
        t.equal(offsets.length, count);
        if (count > 0) t.equal(tokens.join(''), text);
        const ends = tokens.map((_, place) => tokens.slice(0, place + 1).join('').length);
        const spans = ends.map((end, place) => ({ start: ends[place - 1] ?? 0, end }));
        const { start, end } = locate(toJsonText(text), spans, unit);
        const expected = spans.map((_, place) => [start[place], end[place]]);
        t.same(offsets, expected, `${unit}: ${JSON.stringify(text)}`);
      }
    }
  });
}

const WHOLE = 'the last of the tokens of a large text ends where the text ends';
t.test(WHOLE, needs('tokenizer/tiktoken'), async (t) => {
  const text = 'Tea 🍵 and milk, naïve or not. '.repeat(17_000);
  const [placed] = await tokenize({ text, tokenizer: 'cl100k_base', include: ['offsets'] });
  t.equal(placed?.offsets?.at(-1)?.[1], 30 * 17_000);
});

t.test('unknown and wrong parameters are refused with what was meant', async (t) => {
  for (const [path, body, problem] of [
    ['embed', { texts: 'a' }, /texts: unknown parameter, did you mean "text"\?/],
    ['embed', { text: 'a', purpos: 'query' }, /purpos: unknown parameter, did you mean "purpose"\?/],
    ['embed', { text: 'a', purpose: 'search' }, /purpose: expected one of "document", "query", "similarity"/],
    ['embed', { text: 'a', encoding: 'binary' }, /encoding: expected one of "float", "base64", got "binary"/],
    ['embed', { text: 'a', embedding_model: 'no such' }, /embedding_model: there is no model "no such" here/],
    ['embed', { text: 1 }, /text: expected a string or a list in which each item is a string, got 1/],
    ['tokenize', {}, /text: missing/],
    ['tokenize', { text: 'a', tokeniser: 'gpt2' }, /tokeniser: unknown .*, did you mean "tokenizer"\?/],
    ['tokenize', { text: 'a', tokenizer: 'nothing' }, /tokenizer: there is no tokenizer "nothing"/],
    ['tokenize', { text: 'a', include: ['id'] }, /include.*"offsets", "ids", "tokens"/],
    ['tokenize', { text: 'a', include: 'ids' }, /include: expected a list/],
  ] as const) {
    checkProblem(t, await post(`/v1/${path}`, body), 400, problem);
  }
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
  const { registry, host } = await openService(t, { pluginsDir: [folder] });
  const list = await listTokenizers(registry, host);
  const find = (name: string) => list.find((one) => one.name === name);
  const letters = { name: 'letters', aliases: ['signs'], provider: 'letters' };
  t.same(find('letters'), { ...letters, available: true, missing: [] });
  t.match(find('lacking-1'), { provider: 'lacking', available: false, missing: [/NO_SUCH/] });
  t.match(find('character'), { provider: 'character', available: true });
  if (isHere('tokenizer/tiktoken')) t.match(find('cl100k_base'), { provider: 'tiktoken', available: true });
  t.notOk(find('lacking-*'));
});
