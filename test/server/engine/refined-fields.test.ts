import t from 'tap';
import type { Chunk } from '../../../core/contracts/chunk.ts';
import { INCLUDED } from '../../../server/engine/read/document-schemas.ts';
import { FIXTURES, pluginsFolder, refinery } from '../../support/plugins.ts';
import type { Answer } from '../../support/server.ts';
import { jsonOf, openService } from '../../support/service.ts';
import { TEXTS } from './documents.ts';

/** Chunks with all fields go through every refinery that is found, and keep them. */

const PAIRS = `return chunks.slice(1).flatMap((_, at, rest) =>
  at % 2 ? [] : [context.join(rest.slice(at, at + 2))]);`;
const DROPS = 'return chunks.filter(({ index }) => index !== 1).map((chunk) => ({ ...chunk }));';
const ADDS = 'return chunks.map((chunk) => ({ ...chunk, metadata: { ...chunk.metadata, added: 1 } }));';
const folder = await pluginsFolder(
  t,
  refinery('pairs', PAIRS, { changesCount: true }),
  refinery('drops', DROPS, { changesCount: true }),
  refinery('clones', 'return chunks.map((chunk) => structuredClone(chunk));'),
  refinery('adds', ADDS),
  refinery('told', 'return chunks.map((chunk) => ({ ...chunk, told: context.document }));'),
);
const { registry, post } = await openService(t, { pluginsDir: [FIXTURES, folder] });

/** Refineries that change fields or the number of chunks on purpose. */
const OTHERS = ['pairs', 'drops', 'adds'];
const refineries = registry
  .ofKind('refinery')
  .filter(({ missing, manifest }) => missing.length === 0 && !OTHERS.includes(manifest.name));

const METADATA = '{ "n":[1e400,-0,1152921504606846976,1.10] ,"\\u0061":"\\/\\ud800","a":1,"__proto__":[]}';

type Fields = Chunk & Record<string, unknown>;

const listsOf = (answer: Answer) => ({ json: answer.bytes.toString(), lists: jsonOf<Fields[][]>(answer) });

/** The answer to documents with all fields, as bytes of JSON, and the same parsed. */
async function chunkedDocuments() {
  const text = JSON.stringify(TEXTS.lines);
  const documents = [
    `{"id":"a\\u0000\\ud800","text":${text},"metadata":${METADATA},"pages":[0,3,100,130]}`,
    '{"text":""}',
    `{"text":${JSON.stringify(TEXTS.loneSurrogates)}}`,
  ];
  const body = `{"documents":[${documents.join(',')}],"include":${JSON.stringify(INCLUDED)}}`;
  return listsOf(await post('/v1/chunk/lines', body));
}

const refine = async (name: string, json: string) =>
  listsOf(await post({ run: 'refine', name }, `{"chunks":${json}}`));

const countOf = (json: string) => json.split(`"metadata":${METADATA}`).length - 1;

for (const { manifest } of refineries) {
  const { name } = manifest;
  t.test(`${name}: every field comes back, metadata byte for byte`, async (t) => {
    const given = await chunkedDocuments();
    const refined = await refine(name, given.json);
    t.ok(countOf(given.json) > 3);
    t.equal(countOf(refined.json), countOf(given.json));
    const kept = given.lists.map((list) => list.map(({ text, token_count, metadata, ...others }) => others));
    t.match(refined.lists, kept);
    const [first] = given.lists;
    const list = JSON.stringify(first).replaceAll(JSON.stringify(first?.[0]?.metadata), METADATA);
    const alone = await refine(name, list);
    t.equal(countOf(alone.json), first?.length, 'and those of a single list');
  });
}

t.test('refineries that drop and merge chunks keep fields of the first, the end of the last', async (t) => {
  const given = await chunkedDocuments();
  const [first = []] = given.lists;
  const [, ...rest] = first;
  for (const [name, kept] of [
    ['pairs', rest.flatMap((chunk, at) => (at % 2 === 0 ? [[chunk, rest[at + 1] ?? chunk] as const] : []))],
    ['drops', first.filter((_, at) => at !== 1).map((chunk) => [chunk, chunk] as const)],
  ] as const) {
    const { lists, json } = await refine(name, given.json);
    const fields = kept.map(([{ id, index, first_page, first_line, previous_id }, last]) => {
      const { end_index, last_page, last_line, next_id } = last;
      return { id, index, first_page, first_line, previous_id, end_index, last_page, last_line, next_id };
    });
    t.match(lists[0], fields, name);
    t.equal(countOf(json), fields.length);
  }
});

t.test('metadata that a refinery makes anew are written as it made them', async (t) => {
  const { lists, json } = await refine('adds', (await chunkedDocuments()).json);
  t.equal(countOf(json), 0);
  t.ok(lists.flat().every(({ metadata }) => (metadata as { added: number }).added === 1));
});

t.test('metadata may be of any type, or missing', async (t) => {
  const core = '"text":"a","start_index":0,"end_index":1,"token_count":1';
  const values = ['5', '"a"', 'null', '[1e400]', '{"a":1e400}', '{"a":5},"metadata":{"a":-0}'];
  const chunks = [`{${core}}`, ...values.map((value) => `{${core},"metadata":${value}}`)];
  const { json } = await refine('shout', `[${chunks.join(',')}]`);
  const written = json.matchAll(/"shout":"A"(?:,"metadata":(.*?))?\}(?=,\{"text"|\]$)/g);
  const told = [...written].map(([, value]) => value);
  t.same(told, [undefined, '5', '"a"', 'null', '[1e400]', '{"a":1e400}', '{"a":-0}']);
});

t.test('chunks of a request are of no document', async (t) => {
  const { lists } = await refine('told', (await chunkedDocuments()).json);
  t.same(lists[0]?.[0]?.told, {});
});
