import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv } from 'ajv';
import t from 'tap';
import { isHere, needs } from '../../support/here.ts';
import { jobOf, runJob, startJobServer } from '../../support/jobs.ts';
import { type Operation, readDocument, readOpenApi, unavailablePaths } from '../../support/openapi.ts';
import { chunker, pluginsFolder, WHOLE_TEXT } from '../../support/plugins.ts';
import { startServer } from '../../support/server.ts';
import { LINES, linesIn } from '../../support/streams.ts';

/** The OpenAPI document, as generators of clients and readers of the pages see it. */

const client = await startServer(t, { maxBodyBytes: 10_000 });
const document = await readDocument(client);
const plugins = ['token', 'character'];
const guarded = await startServer(t, { plugins, apiKeys: 'key', rateLimit: 1000 });
const guardedDocument = await readDocument(guarded);

const operationsOf = ({ paths }: typeof document): [path: string, method: string, operation: Operation][] =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, one]): [string, string, Operation] => [path, method, one]),
  );
const operations = new Map(operationsOf(document).map(([, , one]) => [one.operationId ?? '', one]));
const contentOf = (id: string, status = '200') =>
  operations.get(id)?.responses[status]?.content?.['application/json'];
const exampleIn = (operation: Operation | undefined) => {
  const { example, examples = {} } = operation?.requestBody?.content['application/json'] ?? {};
  return example ?? Object.values(examples)[0]?.value ?? {};
};
const withPreset = (path: string): string => path.replace('{preset}', 'docs');
const exampleOf = (id: string) => exampleIn(operations.get(id));
const OF_OVERLAP = isHere('refinery/overlap') ? ['OverlapRefineryOptions'] : [];
const NAMES = ['Chunk', 'Pipeline', 'PipelineStep', 'Error', 'TokenChunkerOptions', ...OF_OVERLAP];

t.test('a linter of OpenAPI finds neither errors nor warnings', async (t) => {
  const config = await createConfig({ extends: ['recommended'] });
  const faultsOf = async (one: object) => {
    const found = await lintFromString({ source: JSON.stringify(one), absoluteRef: 'openapi.json', config });
    return found.map(({ ruleId, message }) => `${ruleId}: ${message}`);
  };
  for (const one of [document, guardedDocument]) t.same(await faultsOf(one), []);
  const broken = { ...guardedDocument, servers: undefined };
  t.match(await faultsOf(broken), [/^no-empty-servers: /], 'the linter looks at it');
});

/** Some generators take a property with a default for one that is always there. */
t.test('no property has a default of its own', async (t) => {
  const { schemas } = document.components;
  for (const [component, { properties = {} }] of Object.entries(schemas)) {
    for (const [name, schema] of Object.entries(properties)) t.notOk('default' in schema, component + name);
  }
  const { chunk_size } = schemas.TokenChunkerOptions?.properties ?? {};
  t.match(chunk_size, { description: /tokens/, allOf: [{ type: 'integer', default: 512 }] });
});

t.test('components are referred to, not repeated', async (t) => {
  const { schemas } = document.components;
  for (const name of NAMES) t.ok(name in schemas, name);
  const text = JSON.stringify(document.paths);
  t.notOk(text.includes('"title"'), 'whatever has a name is a component');
  const each = text.length / operationsOf(document).length;
  t.ok(each < 3000, `${Math.round(each)} characters of paths for each operation`);
  const chunk = { $ref: '#/components/schemas/Chunk' };
  t.match(contentOf('chunk_token')?.schema, { anyOf: [{ items: chunk }, {}] });
  for (const id of ['create_pipeline', 'get_pipeline', 'update_pipeline']) {
    const status = id === 'create_pipeline' ? '201' : '200';
    t.same(contentOf(id, status)?.schema, { $ref: '#/components/schemas/Pipeline' }, id);
  }
});

t.test(
  'parameters, headers and nested options that occur twice are components, with their descriptions',
  async (t) => {
    const seen = new Map<string, number>();
    for (const [, , { parameters = [], responses }] of operationsOf(document)) {
      const headers = Object.values(responses).flatMap((one) => Object.entries(one.headers ?? {}));
      for (const one of [...parameters, ...headers]) {
        const text = JSON.stringify(one);
        if (!text.includes('#/components/')) seen.set(text, (seen.get(text) ?? 0) + 1);
      }
    }
    const repeated = [...seen].filter(([text, count]) => count > 1 && !text.includes('"example"'));
    t.ok(repeated.length <= 2, 'but those whose name is that of another one');
    const { components } = document as unknown as { components: Record<string, Record<string, object>> };
    const refs = [...JSON.stringify(document).matchAll(/"#\/components\/(\w+)\/(\w+)"/g)];
    for (const [ref, kind = '', name = ''] of refs) t.ok(components[kind]?.[name], ref);
    if (!isHere('chunker/auto') || !isHere('chunker/json')) return;
    const { json } = document.components.schemas.AutoChunkerOptions?.properties ?? {};
    t.match(json, { description: /json/, allOf: [{ $ref: '#/components/schemas/JsonOptions' }] });
  },
);

t.test(
  'each operation has an id of one scheme, and says what it does rather than the name of its plugin',
  async (t) => {
    const all = operationsOf(document);
    t.equal(operations.size, all.length, 'ids are there once');
    for (const [path, method, { operationId, summary = '', description = '' }] of all) {
      t.match(operationId, /^[a-z]+(_[a-z0-9]+)+$/, `${method} ${path}`);
      t.match(summary, /^[A-Z].{3,}[^.]$/, 'without a full stop');
      t.match(description, /[.`*]$/m);
      t.not(summary, description);
    }
    const listed = (await client.get('/v1/plugins')).json<Record<'kind' | 'name' | 'summary', string>[]>();
    for (const { name, summary } of listed.filter(({ kind }) => kind === 'chunker'))
      t.equal(`${operations.get(`chunk_${name}`)?.summary}.`, summary);
  },
);

t.test('no private keyword is in it, and what has values has a type', async (t) => {
  const text = JSON.stringify(document);
  t.notMatch(text, /lessThan/);
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('enum' in value && Array.isArray(value.enum)) t.ok('type' in value, JSON.stringify(value.enum));
    for (const member of Object.values(value)) visit(member);
  };
  visit(document.components);
  visit(operationsOf(document).map(([, , { requestBody, responses }]) => [requestBody, responses]));
});

t.test('headers are documented where they are sent', async (t) => {
  const headersOf = (id: string, status = '200') =>
    Object.keys(operations.get(id)?.responses[status]?.headers ?? {});
  for (const [, , { operationId, responses }] of operationsOf(document)) {
    for (const [status, response] of Object.entries(responses)) {
      if (Number(status) < 400) t.ok(response.headers?.['x-request-id'], `${operationId} ${status}`);
    }
  }
  const embedding = ['chunk_semantic', 'refine_embeddings', 'embed_texts'];
  for (const id of embedding.filter((id) => operations.has(id)))
    t.ok(headersOf(id).includes('x-embedding-model'), id);
  t.notOk(headersOf('chunk_token').includes('x-embedding-model'));
  t.ok(headersOf('list_pipelines').includes('link'));
  t.same(headersOf('create_pipeline', '201').sort(), ['etag', 'location', 'x-request-id']);
  const { responses } = guardedDocument.components as unknown as { responses: Record<string, object> };
  t.match(responses, {
    ServiceUnavailable: { headers: { 'retry-after': {} } },
    TooManyRequests: { headers: { 'retry-after': {} } },
    Unauthorized: { headers: { 'www-authenticate': {} } },
    MethodNotAllowed: { headers: { allow: {} } },
  });
});

t.test('example answers are those of the example requests', async (t) => {
  let checked = 0;
  const unavailable = await unavailablePaths(client);
  for (const [path, method, { operationId = '', requestBody }] of operationsOf(document)) {
    // Those of chunkers and refineries are pasted in docs.test.ts.
    if (unavailable.has(path) || /pipelines|jobs|^\/v1\/(chunk|refine)\/[^/]+$/.test(path)) continue;
    const request = requestBody?.content['application/json']?.example;
    if (method !== 'post' || request === undefined) continue;
    const shown = Object.values(contentOf(operationId)?.examples ?? {})[0]?.value;
    t.same(shown, (await client.post(withPreset(path), request)).json(), path);
    const lines = operations.get(operationId)?.responses['200']?.content?.[LINES]?.example;
    if (lines !== undefined)
      t.equal(
        (await client.post(withPreset(path), request, { accept: LINES })).bytes.toString(),
        lines,
        'in lines',
      );
    checked++;
  }
  t.ok(checked > 0);
});

const OF_CODE = 'nodes of code are in its example, and its reports in its headers';
t.test(OF_CODE, needs('chunker/code'), async (t) => {
  t.match(contentOf('chunk_code')?.examples?.answer?.value, [{ nodes: [{ type: 'import_statement' }] }]);
  const reported = { description: /language/, schema: { type: 'string' } };
  const { paths } = await readOpenApi(client);
  const { headers } = paths['/v1/chunk/code']?.post?.responses['200'] ?? {};
  t.match(headers, { 'x-code-language': reported, 'x-code-fallback': { description: /lines/ } });
});

t.test('the example pipeline can be created and executed, and answers what is shown', async (t) => {
  const created = await client.post('/v1/pipelines', exampleOf('create_pipeline'));
  t.equal(created.status, 201);
  const shown = contentOf('create_pipeline', '201')?.examples?.answer?.value;
  const { id, created_at, updated_at, ...rest } = created.json<Record<string, unknown>>();
  t.match(shown, rest);
  const executed = await client.post(`/v1/pipelines/${id}/execute`, exampleOf('execute_pipeline'));
  t.same(executed.json(), contentOf('execute_pipeline')?.examples?.answer?.value);
  t.equal((await client.send(`/v1/pipelines/${id}`, { method: 'DELETE' })).status, 204);
});

t.test('the example job can be created, and ends as is shown', async (t) => {
  const server = await startJobServer(t);
  const { id } = await runJob(server, exampleOf('create_job'));
  const shown = contentOf('get_job')?.examples?.answer?.value as Record<string, unknown>;
  const job: Readonly<Record<string, unknown>> = { ...(await jobOf(server, id)) };
  t.same(Object.keys(shown), Object.keys(job));
  for (const name of ['state', 'source', 'shards', 'documents', 'bytes']) t.same(shown[name], job[name]);
  t.same(Object.keys(contentOf('create_job', '202')?.examples?.answer?.value as object), Object.keys(job));
});

t.test('the document follows what is loaded, and is that of Swagger UI', async (t) => {
  t.same((await client.get('/docs/json')).json(), document);
  const { components, paths } = guardedDocument;
  const text = JSON.stringify(guardedDocument);
  t.notMatch(text, /gpt2|cl100k|o200k|the name of an installed|potion|recursive|semantic/i);
  const { tokenizer } = components.schemas.TokenChunkerOptions?.properties ?? {};
  t.match(tokenizer, {
    description: 'Tokenizer that defines a token: character.',
    allOf: [{ default: 'character' }],
  });
  t.notOk('SemanticChunkerOptions' in components.schemas);
  const example = exampleIn(paths['/v1/pipelines']?.post);
  const { status } = await guarded.post('/v1/pipelines', example, { authorization: 'Bearer key' });
  t.equal(status, 201);
});

t.test('plugins from outside are described as those inside, and a broken example stays out', async (t) => {
  const options = {
    type: 'object',
    properties: {
      size: { type: 'integer', default: 1, description: 'How large.', lessThan: 'most' },
      side: { enum: ['left', 'right'], default: 'left', description: 'Which side.' },
    },
  };
  const folder = await pluginsFolder(
    t,
    chunker('two-words', `context.report('words', '2'); context.report('else', 'x'); ${WHOLE_TEXT}`, {
      options,
      example: { text: 'a b' },
      reports: { words: 'How many words it has.', more: 'What is said of other texts.' },
    }),
    chunker('broken', `throw new Error('no');`, { example: { text: 'a b' } }),
    chunker('endless', 'await new Promise(() => {});', { example: { text: 'a b' } }),
  );
  const own = ['two-words', 'broken', 'endless'];
  const settings = { plugins: [...plugins, ...own], requestTimeout: 1 };
  const outside = await startServer(t, { ...settings, pluginsDir: [folder] });
  const served = await readDocument(outside);
  const { post } = served.paths['/v1/chunk/two-words'] ?? {};
  t.match(post, { operationId: 'chunk_two_words', summary: 'For a test' });
  t.same(post?.responses['200']?.content?.['application/json'].examples?.answer?.value, [
    { text: 'a b', start_index: 0, end_index: 3, token_count: 3 },
  ]);
  const { paths } = await readOpenApi(outside);
  const answer = paths['/v1/chunk/two-words']?.post?.responses['200'];
  const { 'x-words': words, 'x-more': more, 'x-else': unlisted } = answer?.headers ?? {};
  t.match(words, { description: 'How many words it has.', example: '2' });
  t.same(more, { description: 'What is said of other texts.', schema: { type: 'string' } });
  t.match(unlisted, { description: /reports/, example: 'x' });
  const { size, side } = served.components.schemas.TwoWordsChunkerOptions?.properties ?? {};
  t.same(size, { description: 'How large.', allOf: [{ type: 'integer', default: 1 }] });
  t.match(side, { allOf: [{ type: 'string', enum: ['left', 'right'] }] });
  for (const name of ['broken', 'endless']) {
    const answer = served.paths[`/v1/chunk/${name}`]?.post?.responses['200'];
    t.notOk(answer?.content?.['application/json'].examples, name);
  }
});

t.test('nothing is run for the documentation before it is asked for', async (t) => {
  const counted = `globalThis.exampleRuns = (globalThis.exampleRuns ?? 0) + 1; ${WHOLE_TEXT}`;
  const folder = await pluginsFolder(t, chunker('counting', counted, { example: { text: 'a' } }));
  const runs = () => (globalThis as { exampleRuns?: number }).exampleRuns ?? 0;
  const counting = await startServer(t, { pluginsDir: [folder], plugins: ['counting', 'character'] });
  await counting.get('/');
  t.equal(runs(), 0);
  await Promise.all([counting.get('/openapi.json'), counting.get('/docs/json')]);
  await counting.get('/openapi.json');
  t.equal(runs(), 2, 'once for the chunker, and once for the pipeline of the examples');
});

const posts = operationsOf(document).filter(([, method]) => method === 'post');
/** Routes that take no stream and answer in lines. */
const ANSWERED_IN_LINES = ['/v1/evaluate'];
const streamed = posts.filter(([path]) => /^\/v1\/(chunk|refine)\/[^/]+$|\/execute$/.test(path));
const ajv = new Ajv({ strict: false, validateFormats: false });
ajv.addSchema(document, 'document');
const isLine = ajv.compile({
  allOf: [
    { $ref: 'document#/components/schemas/StreamLine' },
    { properties: { index: {}, id: {}, chunks: {}, error: {} }, additionalProperties: false },
  ],
});

async function executed(path: string): Promise<string> {
  if (!path.includes('{pipeline_id}')) return withPreset(path);
  const created = await client.post('/v1/pipelines', exampleOf('create_pipeline'));
  return path.replace('{pipeline_id}', created.json<{ id: string }>().id);
}

t.test('the routes that take streams say so, and no other', async (t) => {
  t.ok(streamed.length >= 3);
  for (const [path, , { requestBody, responses }] of posts) {
    const isStreamed = streamed.some(([one]) => one === path);
    t.equal(LINES in (requestBody?.content ?? {}), isStreamed, path);
    const isInLines = isStreamed || ANSWERED_IN_LINES.includes(path);
    t.equal(LINES in (responses['200']?.content ?? {}), isInLines, path);
  }
  t.match(document.info.description, /application\/x-ndjson/);
  t.match(document.info.description, /Content-Encoding/);
});

t.test('examples of streams work when they are pasted, and are answered as shown', async (t) => {
  const unavailable = await unavailablePaths(client);
  for (const [path, , { requestBody, responses }] of streamed) {
    if (unavailable.has(path)) continue;
    const request = requestBody?.content[LINES]?.example ?? '';
    const shown = responses['200']?.content?.[LINES]?.example ?? '';
    const answer = await client.post(await executed(path), request, { 'content-type': LINES });
    t.equal(answer.status, 200, path);
    const lines = linesIn(answer.bytes);
    t.same(lines, linesIn(Buffer.from(shown)), path);
    t.ok(lines.length > 0 && lines.every(({ chunks }) => chunks !== undefined), path);
    for (const line of lines) t.ok(isLine(line), JSON.stringify(isLine.errors));
  }
});

t.test('lines are as their schema says, those of errors too', async (t) => {
  const body = `{}\n{"text":"a","id":"one"}\n{"id":"two"}\n{\n{"text":"${'x'.repeat(10_000)}"}\n`;
  const lines = linesIn((await client.post('/v1/chunk/token', body, { 'content-type': LINES })).bytes);
  t.same(lines.map(({ error }) => error?.status ?? 200).join(), '200,400,400,413');
  for (const line of lines) t.ok(isLine(line), JSON.stringify(isLine.errors));
  for (const wrong of [{ chunks: [] }, { index: -1 }, { index: 0, error: {} }, { index: 0, more: 1 }])
    t.notOk(isLine(wrong), JSON.stringify(wrong));
});

t.test(
  'a validator of the document refuses what the server refuses: a pipeline without steps and preset',
  async (t) => {
    const steps = [{ type: 'chunk', chunker: 'token', config: {} }];
    const bodies = [{}, { steps }, { preset: 'docs' }, { description: 'neither' }];
    const takesNew = ajv.compile({ $ref: 'document#/components/schemas/PipelineInput' });
    const takesNamed = ajv.compile({ $ref: 'document#/components/schemas/NamedPipeline' });
    for (const [index, body] of bodies.entries()) {
      const isRight = 'steps' in body || 'preset' in body;
      const name = `of-document-${index}`;
      t.equal(takesNew({ name, ...body }), isRight, JSON.stringify(body));
      t.equal(takesNamed(body), isRight, JSON.stringify(body));
      const { status } = await client.post('/v1/pipelines', { name, ...body, allow_missing: true });
      t.equal(status, isRight ? 201 : 400, JSON.stringify(body));
    }
  },
);
