import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { type Chunk, OFFSET_UNITS, type OffsetUnit } from '../../../core/contracts/chunk.ts';
import { splitsCodePoint } from '../../../core/engine/cuts/cuts.ts';
import { INCLUDED } from '../../../server/engine/read/document-schemas.ts';
import { anyText } from '../../../server/testing/cases/texts.ts';
import { chunker, pluginsFolder } from '../../support/plugins.ts';
import { composeQuietly, runTask } from '../../support/service.ts';
import { lengthIn } from './documents.ts';
import { plainHash, plainIds, plainLine, plainPage } from './plain-fields.ts';

/** The fields that `include` asks for, on generated documents, against the plainest way to work them out. */

const number = (value: number) => ({ type: 'integer', minimum: 0, default: value });
const folder = await pluginsFolder(
  t,
  // Windows of a few characters end between CR and LF too, and overlap.
  chunker('frames', 'return context.windows(options.size, options.overlap);', {
    options: { type: 'object', properties: { size: number(5), overlap: number(0) } },
  }),
  chunker(
    'gaps',
    'return [...text.matchAll(/\\S+/g)].map(({ index, 0: word }) => ({ start: index, end: index + word.length }));',
  ),
);
const { service } = await composeQuietly({ pluginsDir: [folder], plugins: ['frames', 'gaps', 'character'] });

type Fields = Chunk & Readonly<Record<'id' | 'hash', string> & Record<string, unknown>>;

async function chunkAll(name: string, request: object): Promise<Fields[][]> {
  const { bytes } = await runTask(service, { run: 'chunk', name }, { include: INCLUDED, ...request });
  return JSON.parse(Buffer.from(bytes).toString());
}

async function chunkOne(name: string, document: object, request: object = {}): Promise<Fields[]> {
  const [chunks] = await chunkAll(name, { documents: [document], ...request });
  return chunks as Fields[];
}

const lineEnds = fc
  .array(fc.constantFrom('\n', '\r\n', '\r', '\n\r', 'a', 'é ', '😀', '\ud800', '\u2028', '\f', ' b '), {
    maxLength: 60,
  })
  .map((pieces) => pieces.join(''));
const text = fc.oneof(anyText, lineEnds, fc.constant(''));
const size = fc.integer({ min: 1, max: 12 });
const unit = fc.constantFrom(...OFFSET_UNITS);
/** Small enough that chunks are equal now and then, within a document and between two. */
const repeated = fc
  .array(fc.constantFrom('ab ', 'ab ', 'cd ', '\ud800 ', 'é😀 '), { maxLength: 20 })
  .map((words) => words.join(''));

/** Offsets of pages in a text, in a unit: the first is 0, and some are equal. */
function pagesIn(text: string, places: readonly number[], unit: OffsetUnit): number[] {
  const fitting = places.map((place) => place % (text.length + 1)).filter((at) => !splitsCodePoint(text, at));
  return [0, ...fitting.sort((a, b) => a - b)].map((at) => lengthIn(unit, text.slice(0, at)));
}

t.test('texts are those of their places, lines and pages as counted plainly, in each unit', async () => {
  const places = fc.array(fc.nat(200), { maxLength: 8 });
  const property = fc.asyncProperty(text, places, size, unit, async (text, places, size, offset_unit) => {
    const pages = pagesIn(text, places, offset_unit);
    for (const [name, options] of Object.entries({ frames: { size }, gaps: {} })) {
      const chunks = await chunkOne(name, { text, pages }, { ...options, offset_unit });
      const utf16 = await chunkOne(name, { text }, { ...options, offset_unit: 'utf16' });
      for (const [index, chunk] of chunks.entries()) {
        const { start_index, end_index } = utf16[index] as Fields;
        assert.equal(chunk.text, text.slice(start_index, end_index));
        assert.equal(chunk.first_line, plainLine(text, start_index));
        assert.equal(chunk.last_line, plainLine(text, end_index - 1));
        assert.equal(chunk.first_page, plainPage(pages, chunk.start_index));
        assert.equal(chunk.last_page, plainPage(pages, chunk.end_index - 1));
      }
    }
  });
  await fc.assert(property, { numRuns: 100 });
});

t.test('a hash is of the text, an id of namespace, document, hash and occurrence', async () => {
  const namespace = fc.oneof(fc.constantFrom('', 'a', 'b'), fc.string({ unit: 'binary', maxLength: 20 }));
  const id = namespace.filter((id) => id !== '');
  const anyOrRepeated = fc.oneof(repeated, anyText);
  const property = fc.asyncProperty(anyOrRepeated, namespace, id, size, async (text, namespace, id, size) => {
    const chunks = await chunkOne('frames', { text, id }, { size, namespace });
    const hashes = chunks.map(({ text }) => plainHash({ text }));
    const ids = plainIds(namespace, id, hashes);
    for (const [index, chunk] of chunks.entries()) {
      assert.equal(chunk.hash, hashes[index]);
      assert.equal(chunk.id, ids[index]);
      assert.equal(chunk.document_id, id);
      assert.equal(chunk.index, index);
      assert.equal(chunk.previous_id, ids[index - 1] ?? null);
      assert.equal(chunk.next_id, ids[index + 1] ?? null);
    }
  });
  await fc.assert(property, { numRuns: 100 });
});

/** Metadata that change if they are parsed and written again. */
const CHANGED_BY_PARSING = [
  '{"n":[1e400,-1E400,-0,1152921504606846976,1.10,1E+2,0.1e-400,12345678901234567890.5]}',
  '{ "a" :\n\t[ 1 ,2 ]\r\n, "b":{ } }',
  '{"\\u0061\\/":"\\u00e9\\ud83d\\ude00\\ud800 \\\\\\"}],{"}',
  `{"a":{"b":[{"c":[[]]},{}]},"deep":${'['.repeat(2000)}${']'.repeat(2000)}}`,
  '{"a":1,"a":2,"__proto__":{"x":1},"constructor":null}',
  '{"名前":"東京 😀 é","\u2028":"\u007f"}',
];

t.test('metadata come back byte for byte, however they are written and wherever they stand', async () => {
  const spaces = fc.constantFrom('', ' ', '\t', '\n \r', '  ');
  const made = fc
    .tuple(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), spaces)
    .map(([value, indent]) => JSON.stringify(value, null, indent));
  const metadata = fc.oneof(made, fc.constantFrom(...CHANGED_BY_PARSING));
  const before = fc.subarray(['"title":"}"', '"pages":[0 , 1]', '"m\\u0065tadata":{"]":"\\\\"}']);
  const document = fc.tuple(metadata, before, spaces);
  const property = fc.asyncProperty(fc.array(document, { maxLength: 4 }), async (documents) => {
    const written = documents.map(([metadata, before, space], index) => {
      const own = `"metadata"${space}:${space}${metadata}${space}`;
      const members = [...before, '"text":"a"', own, `"id":"\\"${index}"`];
      return `${space}{${members.join(`${space},`)}}`;
    });
    const body = Buffer.from(`{"include":["metadata"],"documents":[${written.join(',')}]}`);
    const { bytes } = await runTask(service, { run: 'chunk', name: 'gaps' }, body);
    const core = '"text":"a","start_index":0,"end_index":1,"token_count":1';
    const lists = documents.map(([metadata]) => `[{${core},"metadata":${metadata}}]`);
    assert.equal(Buffer.from(bytes).toString(), `[${lists.join(',')}]`);
  });
  await fc.assert(property, { numRuns: 60 });
});

t.test('chunks of a text without an id are told apart by their place alone', async (t) => {
  const documents = [{ text: 'aaa' }, { text: 'aaa' }];
  const [first, second] = await chunkAll('frames', { documents, size: 1 });
  t.equal(new Set(first?.map(({ id }) => id)).size, 3);
  t.same(first, second, 'the same text through the same step');
  const [asText] = await chunkAll('frames', { text: ['aaa'], size: 1 });
  t.same(asText, first);
  const [edited] = await chunkAll('frames', { documents: [{ text: 'aab' }], size: 1 });
  const had = new Set(first?.map(({ id }) => id));
  const kept = edited?.find(({ id }) => had.has(id));
  t.equal(kept, undefined, 'another text');
  t.equal(first?.[0]?.document_id, null);
});
