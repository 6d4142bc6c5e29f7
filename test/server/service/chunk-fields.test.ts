import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { type Chunk, OFFSET_UNITS, type OffsetUnit } from '../../../core/contracts/chunk.ts';
import { splitsCodePoint } from '../../../core/engine/text.ts';
import { anyText } from '../../../server/testing/cases/texts.ts';
import { ALL_FIELDS, plainHash, plainIds, plainLine, plainPage } from '../../support/plain-fields.ts';
import { chunker, pluginsFolder } from '../../support/plugins.ts';
import { composeQuietly, runTask } from '../../support/service.ts';

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

interface Fields extends Chunk {
  readonly id: string;
  readonly document_id: string | null;
  readonly index: number;
  readonly hash: string;
  readonly first_line: number;
  readonly last_line: number;
  readonly first_page: number | null;
  readonly last_page: number | null;
  readonly previous_id: string | null;
  readonly next_id: string | null;
}

async function chunkAll(name: string, request: object): Promise<Fields[][]> {
  const { bytes } = await runTask(service, { run: 'chunk', name }, { include: ALL_FIELDS, ...request });
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
  return [0, ...fitting.sort((a, b) => a - b)].map((at) => lengthIn(text.slice(0, at), unit));
}

function lengthIn(text: string, unit: OffsetUnit): number {
  if (unit === 'utf16') return text.length;
  return unit === 'byte' ? Buffer.byteLength(text) : Array.from(text).length;
}

t.test('lines are those that a plain count gives', async () => {
  const property = fc.asyncProperty(text, size, unit, async (text, size, offset_unit) => {
    for (const name of ['frames', 'gaps']) {
      const options = name === 'frames' ? { size } : {};
      const chunks = await chunkOne(name, { text }, { ...options, offset_unit });
      const places = await chunkOne(name, { text }, { ...options, offset_unit: 'utf16' });
      assert.deepEqual(
        chunks.map(({ first_line, last_line }) => [first_line, last_line]),
        places.map(({ start_index, end_index }) => [
          plainLine(text, start_index),
          plainLine(text, end_index - 1),
        ]),
      );
    }
  });
  await fc.assert(property, { numRuns: 200 });
});

t.test('pages are those that a plain count gives, in each unit', async () => {
  const places = fc.array(fc.nat(200), { maxLength: 8 });
  const property = fc.asyncProperty(text, places, size, unit, async (text, places, size, offset_unit) => {
    const pages = pagesIn(text, places, offset_unit);
    for (const name of ['frames', 'gaps']) {
      const options = name === 'frames' ? { size } : {};
      const chunks = await chunkOne(name, { text, pages }, { ...options, offset_unit });
      for (const { first_page, last_page, start_index, end_index } of chunks) {
        assert.equal(first_page, plainPage(pages, start_index));
        assert.equal(last_page, plainPage(pages, end_index - 1));
      }
    }
  });
  await fc.assert(property, { numRuns: 200 });
});

t.test('a hash is of the text, an id of namespace, document, hash and occurrence', async () => {
  const name = fc.oneof(fc.constantFrom('', 'a', 'b'), fc.string({ unit: 'binary', maxLength: 20 }));
  const property = fc.asyncProperty(
    fc.oneof(repeated, anyText),
    name,
    name.filter((id) => id !== ''),
    size,
    async (text, namespace, id, size) => {
      const chunks = await chunkOne('frames', { text, id }, { size, namespace });
      const hashes = chunks.map((chunk) => plainHash({ text: chunk.text }));
      assert.deepEqual(
        chunks.map(({ hash }) => hash),
        hashes,
      );
      const ids = plainIds(namespace, id, hashes);
      assert.deepEqual(
        chunks.map(({ id }) => id),
        ids,
      );
      for (const [index, chunk] of chunks.entries()) {
        assert.equal(chunk.document_id, id);
        assert.equal(chunk.index, index);
        assert.equal(chunk.previous_id, ids[index - 1] ?? null);
        assert.equal(chunk.next_id, ids[index + 1] ?? null);
      }
    },
  );
  await fc.assert(property, { numRuns: 200 });
});

t.test('metadata come back byte for byte, however they are written and wherever they stand', async () => {
  const spaces = fc.constantFrom('', ' ', '\t', '\n \r', '  ');
  const metadata = fc
    .tuple(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), spaces)
    .map(([value, indent]) => JSON.stringify(value, null, indent));
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
  await fc.assert(property, { numRuns: 300 });
});

t.test('ids are equal where document, namespace, content and occurrence are, and nowhere else', async () => {
  const few = fc.constantFrom('x', 'y');
  const one = fc.record({ text: repeated, id: few, namespace: few, size: fc.constantFrom(3, 6) });
  const property = fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 6 }), async (all) => {
    const ids = new Map<string, string>();
    for (const { text, id, namespace, size } of all) {
      const chunks = await chunkOne('frames', { text, id }, { namespace, size });
      chunks.forEach((chunk, index) => {
        const before = chunks.slice(0, index).filter((other) => other.text === chunk.text).length;
        const key = JSON.stringify([namespace, id, chunk.text, before]);
        assert.equal(ids.get(key) ?? chunk.id, chunk.id);
        ids.set(key, chunk.id);
      });
    }
    assert.equal(new Set(ids.values()).size, ids.size);
  });
  await fc.assert(property, { numRuns: 100 });
});

t.test('an edit keeps the ids of the chunks that it does not touch', async () => {
  const words = fc.array(fc.constantFrom<string[]>('one', 'two', 'three', 'four'), {
    minLength: 1,
    maxLength: 30,
  });
  await fc.assert(
    fc.asyncProperty(words, fc.nat(29), async (words, place) => {
      const at = place % words.length;
      const edited = words.with(at, 'new');
      const [before, after] = await chunkAll('gaps', {
        documents: [
          { id: 'same', text: words.join(' ') },
          { id: 'other', text: edited.join(' ') },
        ],
      });
      const again = await chunkOne('gaps', { id: 'same', text: edited.join(' ') });
      const had = new Set(before?.map(({ id }) => id));
      assert.equal(again.filter(({ id }) => !had.has(id)).length, 1);
      assert.ok(after?.every(({ id }) => !had.has(id)));
    }),
    { numRuns: 100 },
  );
});

t.test('chunks of a text without an id are told apart by their place alone', async (t) => {
  const [first, second] = await chunkAll('frames', {
    documents: [{ text: 'aaa' }, { text: 'aaa' }],
    size: 1,
  });
  t.equal(new Set(first?.map(({ id }) => id)).size, 3);
  t.same(first, second, 'the same text through the same step');
  const [asText] = await chunkAll('frames', { text: ['aaa'], size: 1 });
  t.same(asText, first);
  const [edited] = await chunkAll('frames', { documents: [{ text: 'aab' }], size: 1 });
  t.notOk(
    edited?.some((chunk) => first?.some(({ id }) => id === chunk.id)),
    'another text',
  );
  t.equal(first?.[0]?.document_id, null);
});
