import { join } from 'node:path';
import t from 'tap';
import type { Chunk } from '../../../core/contracts/chunk.ts';
import { TEXTS } from '../../support/documents.ts';
import { postRoutes, unavailablePaths } from '../../support/openapi.ts';
import { ALL_FIELDS } from '../../support/plain-fields.ts';
import { plugin, pluginsFolder } from '../../support/plugins.ts';
import { startServer } from '../../support/server.ts';

/** Chunks with all fields go through every refinery that is found, and keep them. */

const refinery = (name: string, body: string, manifest: object = {}) =>
  plugin(
    { kind: 'refinery', name, ...manifest },
    `export default () => ({ refine(chunks, options, { document, join }) { ${body} } });\n`,
  );

const folder = await pluginsFolder(
  t,
  refinery(
    'pairs',
    'return chunks.slice(1).flatMap((_, at, rest) => at % 2 ? [] : [join(rest.slice(at, at + 2))]);',
    {
      changesCount: true,
    },
  ),
  refinery('drops', 'return chunks.filter(({ index }) => index !== 1).map((chunk) => ({ ...chunk }));', {
    changesCount: true,
  }),
  refinery('clones', 'return chunks.map((chunk) => structuredClone(chunk));'),
  refinery(
    'adds',
    'return chunks.map((chunk) => ({ ...chunk, metadata: { ...chunk.metadata, added: 1 } }));',
  ),
  refinery('told', 'return chunks.map((chunk) => ({ ...chunk, told: document }));'),
);
const pluginsDir = [join(import.meta.dirname, '../../fixtures/plugins'), folder];
const inline = await startServer(t, { pluginsDir });
const workers = await startServer(t, { pluginsDir, workers: 1, inlineBytes: 1000 });

/** Refineries that change fields or the number of chunks on purpose. */
const OTHERS = ['pairs', 'drops', 'adds'];
const unavailable = await unavailablePaths(inline);
const routes = (await postRoutes(inline, '/v1/refine/'))
  .map(({ path }) => path)
  .filter((path) => !unavailable.has(path));

const METADATA = '{ "n":[1e400,-0,1152921504606846976,1.10] ,"\\u0061":"\\/\\ud800","a":1,"__proto__":[]}';

type Fields = Chunk & Record<string, unknown>;

/** The answer to documents with all fields, as bytes of JSON, and the same parsed. */
async function chunkedDocuments(times: number): Promise<{ json: string; lists: Fields[][] }> {
  const text = JSON.stringify((TEXTS.lines ?? '').repeat(times));
  const documents = [
    `{"id":"a\\u0000\\ud800","text":${text},"metadata":${METADATA},"pages":[0,3]}`,
    '{"text":""}',
    `{"text":${JSON.stringify(TEXTS.loneSurrogates)}}`,
  ];
  const body = `{"documents":[${documents.join(',')}],"include":${JSON.stringify(ALL_FIELDS)}}`;
  const answer = await inline.post('/v1/chunk/lines', body);
  if (answer.status !== 200) throw new Error(`${answer.bytes}`);
  return { json: answer.bytes.toString(), lists: answer.json<Fields[][]>() };
}

async function refine(path: string, json: string): Promise<{ json: string; lists: Fields[][] }> {
  const body = `{"chunks":${json}}`;
  const [here, there] = [await inline.post(path, body), await workers.post(path, body)];
  if (here.status !== 200) throw new Error(`${path}: ${here.bytes}`);
  if (!here.bytes.equals(there.bytes)) throw new Error(`${path}: another answer from a worker`);
  return { json: here.bytes.toString(), lists: here.json<Fields[][]>() };
}

const countOf = (json: string) => json.split(`"metadata":${METADATA}`).length - 1;

for (const path of routes) {
  const name = path.slice('/v1/refine/'.length);
  if (OTHERS.includes(name)) continue;
  t.test(`${name}: every field comes back, metadata byte for byte`, async (t) => {
    for (const times of [1, 5]) {
      const given = await chunkedDocuments(times);
      const refined = await refine(path, given.json);
      t.ok(countOf(given.json) > 3);
      t.equal(countOf(refined.json), countOf(given.json));
      const kept = given.lists.map((list) =>
        list.map(({ text, token_count, metadata, ...others }) => others),
      );
      t.match(refined.lists, kept);
      const [first] = given.lists;
      const alone = await refine(
        path,
        JSON.stringify(first).replaceAll(JSON.stringify(first?.[0]?.metadata), METADATA),
      );
      t.equal(countOf(alone.json), first?.length, 'and those of a single list');
    }
  });
}

t.test('refineries that drop and merge chunks keep the fields of the first', async (t) => {
  const given = await chunkedDocuments(1);
  const [first = []] = given.lists;
  const merged = await refine('/v1/refine/pairs', given.json);
  t.match(
    merged.lists[0]?.map(({ id, index, first_page }) => ({ id, index, first_page })),
    first
      .slice(1)
      .filter((_, at) => at % 2 === 0)
      .map(({ id, index, first_page }) => ({ id, index, first_page })),
  );
  t.equal(countOf(merged.json), merged.lists[0]?.length);
  const dropped = await refine('/v1/refine/drops', given.json);
  t.match(
    dropped.lists[0]?.map(({ id }) => id),
    first.filter((_, at) => at !== 1).map(({ id }) => id),
  );
  t.equal(countOf(dropped.json), first.length - 1);
});

t.test('metadata that a refinery makes anew are written as it made them', async (t) => {
  const given = await chunkedDocuments(1);
  const { lists, json } = await refine('/v1/refine/adds', given.json);
  t.equal(countOf(json), 0);
  t.ok(lists.flat().every(({ metadata }) => (metadata as { added: number }).added === 1));
});

t.test('metadata may be of any type, or missing', async (t) => {
  const core = '"text":"a","start_index":0,"end_index":1,"token_count":1';
  const values = ['5', '"a"', 'null', '[1e400]', '{"a":1e400}', '{"a":5},"metadata":{"a":-0}'];
  const chunks = [`{${core}}`, ...values.map((value) => `{${core},"metadata":${value}}`)];
  const { json } = await refine('/v1/refine/shout', `[${chunks.join(',')}]`);
  const written = [...json.matchAll(/"shout":"A"(?:,"metadata":(.*?))?\}(?=,\{"text"|\]$)/g)].map(
    ([, value]) => value,
  );
  t.same(written, [undefined, '5', '"a"', 'null', '[1e400]', '{"a":1e400}', '{"a":-0}']);
});

t.test('chunks of a request are of no document', async (t) => {
  const given = await chunkedDocuments(1);
  const { lists } = await refine('/v1/refine/told', given.json);
  t.same(lists[0]?.[0]?.told, {});
});
