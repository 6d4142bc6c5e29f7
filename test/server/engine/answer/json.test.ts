import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import t from 'tap';
import { type Chunk, OFFSET_UNITS, type OffsetUnit } from '../../../../core/contracts/chunk.ts';
import { splitsCodePoint } from '../../../../core/engine/cuts/cuts.ts';
import type { CountedSpan } from '../../../../core/engine/packing/packing.ts';
import { givenChunks, placeChunks, writtenChunks } from '../../../../server/engine/answer/chunk-set.ts';
import {
  type WrittenChunk,
  type WrittenDocument,
  writeChunks,
} from '../../../../server/engine/answer/chunk-writer.ts';
import { findTextLiterals, toJsonText } from '../../../../server/engine/read/json.ts';
import { anyText } from '../../../../server/testing/cases/texts.ts';
import { lengthIn } from '../documents.ts';

const LIMIT = 1e9;

/** The answer for stretches of a text, as a chunk stage gives them. */
function answerOf(json: Uint8Array, spans: readonly CountedSpan[], unit: OffsetUnit) {
  const written = writtenChunks(placeChunks({ text: '', json }, spans, unit));
  return parsed(writeChunks([documentOf(written)], false, LIMIT));
}

function documentOf(chunks: readonly WrittenChunk[], ids?: readonly string[]): WrittenDocument {
  return { chunks, ids, nullable: {}, columns: [] };
}

const parsed = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString());

/** A chunk whose text is made of its source and what a refinery put around it. */
function surrounded(chunk: Chunk, source: string, before: string, after: string): WrittenChunk {
  const json = toJsonText(source);
  const { start_index, end_index, token_count } = chunk;
  const place = { source: json, from: 0, to: json.length };
  return { ...place, before, after, start_index, end_index, token_count, fields: chunk };
}

const spellings = [
  (text: string) => JSON.stringify(text),
  (text: string) => `"${Array.from({ length: text.length }, (_, at) => escapeUnit(text, at)).join('')}"`,
  (text: string) => JSON.stringify(text).replaceAll('/', '\\/'),
];

t.test('stretches in any order, and within each other, are cut from any spelling of the text', async () => {
  const stretches = fc.array(fc.tuple(fc.nat(30), fc.nat(30)));
  const [units, spelling] = [fc.constantFrom(...OFFSET_UNITS), fc.constantFrom(...spellings)];
  fc.assert(
    fc.property(anyText, stretches, units, spelling, (text, stretches, unit, spell) => {
      const at = (place: number) => (splitsCodePoint(text, place) ? place + 1 : Math.min(place, text.length));
      const spans = stretches.map(([from, length], token_count) => {
        const start = at(Math.min(from, text.length));
        return { start, end: at(Math.min(start + length, text.length)), token_count };
      });
      const expected = spans.map(({ start, end, token_count }) => ({
        text: text.slice(start, end),
        start_index: lengthIn(unit, text.slice(0, start)),
        end_index: lengthIn(unit, text.slice(0, end)),
        token_count,
      }));
      const [json] = findTextLiterals(Buffer.from(`{"text":${spell(text)}}`), 'text') as Uint8Array[];
      assert.deepEqual(answerOf(json as Uint8Array, spans, unit), expected);
    }),
    { numRuns: 200 },
  );
});

t.test('a batch is written as lists, with what is said of places in a chunk', async (t) => {
  const text = 'añ😀b\nc"d';
  const located = { nodes: [{ start: 2, end: 5, fields: { type: 'x' } }] };
  const spans = [
    { start: 2, end: 5, token_count: 2, extra: { kind: 'x' }, located },
    { start: 6, end: 9, token_count: 1_234_567_890 },
  ];
  const documents = [spans, []].map((spans) => {
    return documentOf(writtenChunks(placeChunks({ text, json: toJsonText(text) }, spans, 'utf16')));
  });
  const nodes = [{ type: 'x', start_index: 2, end_index: 5 }];
  t.same(parsed(writeChunks(documents, true, LIMIT)), [
    [
      { text: '😀b', start_index: 2, end_index: 5, token_count: 2, kind: 'x', nodes },
      { text: 'c"d', start_index: 6, end_index: 9, token_count: 1_234_567_890 },
    ],
    [],
  ]);
});

t.test('the literals of a member are found wherever it stands', async (t) => {
  const find = (json: string) =>
    findTextLiterals(Buffer.from(json), 'text')?.map((literal) => Buffer.from(literal).toString());
  t.same(find('{"text":"a"}'), ['a']);
  t.same(find(' { "a" : [1, {"text":"no"}, "]"] , "text" : "yes\\"}" , "z":-1.5e3}'), ['yes\\"}']);
  t.same(find('{"text":["a","b\\\\","",  "c]"],"n":null}'), ['a', 'b\\\\', '', 'c]']);
  t.same(find('{"text":"first","text":["last"]}'), ['last'], 'of repeated members the last counts');
  t.same(find('{"text":[]}'), []);
  t.same(find('{"te\\u0078t":"a"}'), ['a'], 'an escaped name is the same name');
  t.equal(find('{"text":5}'), undefined);
  t.equal(find('{}'), undefined);
});

t.test('any valid JSON object is walked without losing the way', async () => {
  const others = fc.dictionary(fc.string(), fc.jsonValue());
  fc.assert(
    fc.property(others, anyText, fc.boolean(), ({ text: _, ...others }, text, isFirst) => {
      const value = isFirst ? { text, ...others } : { ...others, text };
      const found = findTextLiterals(Buffer.from(JSON.stringify(value, null, isFirst ? 1 : 0)), 'text');
      assert.equal(JSON.parse(`"${Buffer.from(found?.[0] as Uint8Array)}"`), text);
    }),
    { numRuns: 200 },
  );
});

function escapeUnit(text: string, at: number): string {
  return `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
}

const CORE = { start_index: 0, end_index: 1, token_count: 2 };

t.test('fields are written as JSON.stringify does, and vectors as numbers', async (t) => {
  fc.assert(
    fc.property(fc.array(fc.dictionary(anyText, fc.jsonValue())), fc.boolean(), (fields, isBatch) => {
      const chunks = fields.map((one): Chunk => ({ ...one, text: 'a', ...CORE }));
      const answer = writeChunks([documentOf(writtenChunks(givenChunks(chunks)))], isBatch, LIMIT);
      // Not parsed: V8 13.6 takes an escaped name for a backslash that stood at its place in an object before.
      const written = chunks.map(({ text, start_index, end_index, token_count, ...own }) => {
        const core = JSON.stringify({ text, start_index, end_index, token_count });
        return `${core.slice(0, -1)},${JSON.stringify(own).slice(1)}`.replace(/,\}$/, '}');
      });
      const list = `[${written.join()}]`;
      assert.equal(Buffer.from(answer).toString(), isBatch ? `[${list}]` : list);
    }),
    { numRuns: 100 },
  );
  const vector = Float32Array.of(0.1, -0.25, 1, 0, -1e-9, 0.00000001, 123_456.78, 3e20, -7.5);
  const given = { text: 'a', ...CORE, embedding: vector, n: 1, none: undefined };
  const [chunk] = parsed(writeChunks([documentOf(writtenChunks(givenChunks([given])))], false, LIMIT));
  t.same(Object.keys(chunk), ['text', 'start_index', 'end_index', 'token_count', 'embedding', 'n']);
  vector.forEach((value, index) => {
    t.ok(Math.abs(chunk.embedding[index] - value) <= Math.max(5e-9, Math.abs(value) * 1e-7), `${value}`);
  });
});

t.test('a text holds what was put around its source', async () => {
  fc.assert(
    fc.property(anyText, anyText, anyText, (before, text, after) => {
      const chunk = { text: before + text + after, ...CORE, note: after };
      const document = documentOf([surrounded(chunk, text, before, after)], ['x']);
      const [answer] = parsed(writeChunks([document], false, LIMIT));
      // A pair of surrogates may come together where the source begins or ends; JSON has them one by one.
      assert.deepEqual(answer, { id: 'x', ...chunk });
    }),
    { numRuns: 200 },
  );
});

t.test('short texts of every UTF-16 unit, and what refineries add', async (t) => {
  for (let first = 0; first <= 0xffff; first += 1024) {
    const chunks = Array.from({ length: 1024 }, (_, place) => {
      const [unit, text] = [first + place, `a${String.fromCharCode(first + place)}"b`];
      return { text, start_index: unit, end_index: -1, token_count: 0.5, context: text, [text]: [text] };
    });
    const written = chunks.map((chunk) => surrounded(chunk, '', chunk.text, ''));
    const answer = parsed(writeChunks([documentOf(written)], false, LIMIT));
    t.ok(isDeepStrictEqual(answer, chunks), `units from ${first}`);
  }
  for (const length of [511, 512, 513, 5000]) {
    for (const letters of ['a', '漢', 'é"', '😀', '\n']) {
      const context = letters.repeat(length / letters.length);
      const written = surrounded({ text: 'x', ...CORE, context }, '', 'x', '');
      const [answer] = parsed(writeChunks([documentOf([written])], false, LIMIT));
      t.ok(answer.context === context, `${length} units of ${letters}`);
    }
  }
});

t.test('fields that every chunk has are null where it has none of its own', async (t) => {
  const chunks = [{ note: 1 }, { context: 'c' }, { context: null, b: 2 }, {}].map(
    (own): Chunk => ({ text: 'a', ...CORE, ...own }),
  );
  const written = writtenChunks(givenChunks(chunks));
  const document = { ...documentOf(written), nullable: { context: null, b: null } };
  t.same(parsed(writeChunks([document], false, LIMIT)), [
    { text: 'a', ...CORE, note: 1, context: null, b: null },
    { text: 'a', ...CORE, context: 'c', b: null },
    { text: 'a', ...CORE, context: null, b: 2 },
    { text: 'a', ...CORE, context: null, b: null },
  ]);
});
