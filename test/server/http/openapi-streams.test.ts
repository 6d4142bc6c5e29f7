// Needs chunker/token, tokenizer/character.
import { Ajv } from 'ajv';
import t from 'tap';
import { type Operation, readDocument, unavailablePaths } from '../../support/openapi.ts';
import { startServer } from '../../support/server.ts';
import { LINES, linesIn } from '../../support/streams.ts';

/** What the OpenAPI document says of streams. */

const client = await startServer(t, { maxBodyBytes: 10_000 });
const document = await readDocument(client);
const posts = Object.entries(document.paths).flatMap(([path, { post }]): [string, Operation][] =>
  post === undefined ? [] : [[path, post]],
);
/** Routes that take no stream and answer in lines. */
const ANSWERED_IN_LINES = ['/v1/evaluate'];
const streamed = posts.filter(([path]) => /^\/v1\/(chunk|refine)\/[^/]+$|\/execute$/.test(path));
const ajv = new Ajv({ strict: false });
ajv.addSchema(document, 'document');
const isLine = ajv.compile({
  allOf: [
    { $ref: 'document#/components/schemas/StreamLine' },
    { properties: { index: {}, id: {}, chunks: {}, error: {} }, additionalProperties: false },
  ],
});

async function executed(path: string): Promise<string> {
  if (!path.includes('{pipeline_id}')) return path;
  const { example } = document.paths['/v1/pipelines']?.post?.requestBody?.content['application/json'] ?? {};
  const created = await client.post('/v1/pipelines', example);
  return path.replace('{pipeline_id}', created.json<{ id: string }>().id);
}

t.test('the routes that take streams say so, and no other', async (t) => {
  t.ok(streamed.length >= 3);
  for (const [path, { requestBody, responses }] of posts) {
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
  for (const [path, { requestBody, responses }] of streamed) {
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
  t.match(
    lines.map(({ error }) => error?.status),
    [undefined, 400, 400, 413],
  );
  for (const line of lines) t.ok(isLine(line), JSON.stringify(isLine.errors));
  for (const wrong of [{ chunks: [] }, { index: -1 }, { index: 0, error: {} }, { index: 0, more: 1 }])
    t.notOk(isLine(wrong), JSON.stringify(wrong));
});
