import t from 'tap';
import { needs } from '../../support/here.ts';
import { checkProblem } from '../../support/problems.ts';
import { startServer } from '../../support/server.ts';
import { LINES } from '../../support/streams.ts';

/** Presets over HTTP: listed, changed, executed, and taken wherever steps are. */

interface Listed {
  readonly name: string;
  readonly version: number;
  readonly steps: readonly object[];
  readonly missing: readonly string[];
}

const WHOLE = needs(
  ...(['chunker/auto', 'chunker/markdown', 'chunker/recursive', 'refinery/context'] as const),
  ...(['refinery/embeddings', 'embedding/static', 'tokenizer/tiktoken', 'reader/text'] as const),
);
const OF_CODE = needs('chunker/auto', 'chunker/code', 'refinery/context', 'tokenizer/tiktoken');
const client = await startServer(t, { databaseUrl: '' });
const TEXT = '# Tea\n\nBoil water. 👍🏽\n\n## Milk\n\nA little.\n';
const DOCS = '/v1/presets/docs/execute';
const PLAIN = { embeddings: null, context: { template: '{heading_path}' }, auto: { chunk_size: 14 } };

t.test('each is listed with its steps and what it lacks; an unknown one is 404', async (t) => {
  const listed = (await client.get('/v1/presets')).json<Listed[]>();
  t.same(
    listed.map(({ name }) => name),
    ['prose', 'docs', 'code', 'reports'],
  );
  for (const { version, steps } of listed) t.ok(version >= 1 && steps.length >= 2);
  t.same((await client.get('/v1/pipelines')).json(), [], 'they are not stored');
  checkProblem(
    t,
    await client.post('/v1/presets/dosc/execute', { text: 'a' }),
    404,
    /"dosc"; available: prose/,
  );
});

t.test('an override changes options, merges objects, and takes steps away', WHOLE, async (t) => {
  const answer = await client.post(DOCS, { text: TEXT, override: PLAIN });
  t.equal(answer.headers.get('x-preset'), 'docs@1');
  const chunks = answer.json<{ context: string; embedding: null; token_count: number }[]>();
  t.same(
    chunks.map(({ context }) => context),
    ['Tea', 'Tea > Milk'],
  );
  t.ok(chunks.every(({ embedding, token_count }) => embedding === null && token_count <= 14));
  const whole = (await client.post(DOCS, { text: TEXT })).json<{ embedding: number[] }[]>();
  t.equal(whole[0]?.embedding.length, 512);
});

t.test('what an override cannot do is 400, with the nearest name', WHOLE, async (t) => {
  for (const [override, problem] of [
    [{ embedings: null }, /override\.embedings: unknown step, did you mean "embeddings"\?/],
    [{ auto: null }, /override\.auto: the chunker cannot be removed/],
    [{ auto: { chunk_sise: 5 } }, /override\.auto\.chunk_sise: unknown parameter, did you mean "chunk_size"/],
    [{ auto: { chunk_sise: null } }, /override\.auto\.chunk_sise: unknown parameter/],
    [{ auto: 5 }, /override/],
    [JSON.parse('{"__proto__": {"a": 1}}'), /unknown step/],
    [{ context: JSON.parse('{"__proto__": 1}') }, /override\.context\.__proto__: unknown parameter/],
  ] as const)
    checkProblem(t, await client.post(DOCS, { text: 'a', override }), 400, problem);
});

t.test('a stored pipeline has the expanded steps, and the same ids', WHOLE, async (t) => {
  const body = { name: 'kb', preset: 'docs', override: PLAIN };
  const stored = (await client.post('/v1/pipelines', body)).json<{
    id: string;
    config: { steps: object[] };
  }>();
  t.match(stored.config.steps, [
    { chunker: 'auto', config: { chunk_size: 14, tokenizer: 'cl100k_base' } },
    { refinery: 'context', config: { template: '{heading_path}' } },
  ]);
  const executed = await client.post(`/v1/pipelines/${stored.id}/execute`, { text: TEXT });
  const named = await client.post(DOCS, { text: TEXT, override: PLAIN });
  t.same(executed.json(), named.json());
  const inUtf16 = await client.post(DOCS, { text: TEXT, override: PLAIN, offset_unit: 'utf16' });
  const idsOf = (answer: typeof named) => answer.json<{ id: string }[]>().map(({ id }) => id);
  t.same(idsOf(inUtf16), idsOf(named), 'the unit changes no id');
  t.not(inUtf16.bytes.toString(), named.bytes.toString());
  for (const [wrong, problem] of [
    [{ name: 'x', preset: 'docs', steps: [] }, /preset: cannot be given together with steps/],
    [{ name: 'x', preset: 'dosc' }, /preset: unknown preset "dosc", did you mean "docs"/],
    [{ name: 'x', override: PLAIN }, /override: allowed only with preset/],
    [{ name: 'x' }, /steps: missing, expected steps, or the name of a preset/],
  ] as const)
    checkProblem(t, await client.post('/v1/pipelines', wrong), 400, problem);
});

t.test('a stream, a file and a candidate take a preset too', WHOLE, async (t) => {
  const lines = [{ override: PLAIN }, { id: 'tea', text: TEXT }].map((line) => `${JSON.stringify(line)}\n`);
  const headers = { 'content-type': LINES };
  const stream = await client.send(DOCS, { method: 'POST', headers, body: lines.join('') });
  t.equal(stream.headers.get('x-preset'), 'docs@1');
  t.match(stream.json(), { id: 'tea', chunks: [{ context: 'Tea' }, { context: 'Tea > Milk' }] });
  const form = new FormData();
  form.set('file', new Blob([TEXT]), 'tea.md');
  form.set('override', JSON.stringify(PLAIN));
  const file = await client.send(`${DOCS}/file`, { method: 'POST', body: form });
  t.match(file.json(), [{ context: 'Tea' }, { context: 'Tea > Milk' }]);
  const questions = [{ question: 'milk?', answers: [{ document: 0, start_index: 0, end_index: 5 }] }];
  const evaluate = (...candidates: object[]) =>
    client.post('/v1/evaluate', { documents: [{ text: TEXT }], questions, candidates });
  const override = { embeddings: null };
  t.match((await evaluate({ preset: 'docs', override })).json(), {
    candidates: [{ name: 'docs', chunks: 1 }],
  });
  const both = await evaluate({ preset: 'docs', chunker: 'auto' });
  checkProblem(t, both, 400, /cannot be given together with chunker|expected one of/);
  const wrong = await evaluate({ preset: 'docs', override: { autoo: {} } });
  checkProblem(t, wrong, 400, /candidates\[0\]\.override\.autoo: unknown step, did you mean "auto"/);
});

t.test('code has its path, scope and names in front, each on a line if there are any', OF_CODE, async (t) => {
  const text = 'export const one = 1;\n\nclass Tea {\n  boil() {\n    return "water";\n  }\n}\n';
  const contextsOf = async (chunk_size: number, include_nodes = true) => {
    const override = { auto: { chunk_size, code: { include_nodes } }, embeddings: null };
    const documents = [{ id: 'src/tea.ts', filename: 'src/tea.ts', text }];
    const answer = await client.post('/v1/presets/code/execute', { documents, override });
    return answer.json<{ context: string }[][]>()[0]?.map(({ context }) => context);
  };
  t.same(await contextsOf(300), ['src/tea.ts\none, Tea, boil']);
  t.same(await contextsOf(12), ['src/tea.ts\none', 'src/tea.ts', 'src/tea.ts\nclass Tea\nboil']);
  t.same(await contextsOf(300, false), ['src/tea.ts']);
});

t.test('without a plugin the name stays, and execution is 500 with the remedy', async (t) => {
  const trimmed = await startServer(t, {
    databaseUrl: '',
    plugins: ['chunker/token', 'tokenizer/character'],
  });
  const listed = (await trimmed.get('/v1/presets')).json<Listed[]>();
  t.equal(listed.length, 4);
  for (const { missing } of listed) t.match(missing.join('; '), /which is not loaded: add it to --plugins/);
  checkProblem(
    t,
    await trimmed.post(DOCS, { text: 'a' }),
    500,
    /preset "docs" cannot run here: it uses chunker\/auto/,
  );
});
