import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import t from 'tap';
import { OFFSET_UNITS, writeChunks } from '../../core/json-chunks.ts';
import { writeObjects, writeOutputs } from '../../core/json-objects.ts';
import { findTextLiterals, toJsonText } from '../../core/json-text.ts';
import { splitsCodePoint } from '../../core/text.ts';
import { anyText } from '../contracts/texts.ts';

const LIMIT = 1e9;

t.test('answers are cut from any spelling of the text', async (t) => {
  const spellings = [
    (text: string) => JSON.stringify(text),
    (text: string) =>
      `"${Array.from({ length: text.length }, (_, at) => escapeUnit(text.charCodeAt(at))).join('')}"`,
    (text: string) => JSON.stringify(text).replaceAll('/', '\\/'),
  ];
  fc.assert(
    fc.property(anyText, fc.constantFrom(...spellings), fc.array(fc.nat(200)), (text, spell, places) => {
      const edges = [
        0,
        ...places.filter((at) => at < text.length && !splitsCodePoint(text, at)),
        text.length,
      ];
      const rising = [...new Set(edges)].sort((a, b) => a - b);
      const spans = rising
        .slice(1)
        .map((end, index) => ({ start: rising[index] as number, end, token_count: index }));
      const body = Buffer.from(`{"text":${spell(text)}}`);
      const [json] = findTextLiterals(body, 'text') as Uint8Array[];
      for (const unit of OFFSET_UNITS) {
        const answer = JSON.parse(
          Buffer.from(writeChunks([{ json: json as Uint8Array, spans }], unit, false, LIMIT)).toString(),
        );
        t.same(
          answer,
          spans.map(({ start, end, token_count }) => ({
            text: text.slice(start, end),
            start_index: lengthIn(unit, text.slice(0, start)),
            end_index: lengthIn(unit, text.slice(0, end)),
            token_count,
          })),
        );
      }
    }),
    { numRuns: 300 },
  );
});

t.test('overlapping and missing stretches are located too', async (t) => {
  const text = 'añ😀b\nc"d';
  const spans = [
    { start: 0, end: 4, token_count: 1 },
    {
      start: 2,
      end: 5,
      token_count: 2,
      extra: { kind: 'x' },
      located: { nodes: [{ start: 2, end: 5, fields: { type: 'x' } }] },
    },
    { start: 6, end: 9, token_count: 1_234_567_890 },
  ];
  const answer = writeChunks(
    [
      { json: toJsonText(text), spans },
      { json: toJsonText(''), spans: [] },
    ],
    'utf16',
    true,
    LIMIT,
  );
  t.same(JSON.parse(Buffer.from(answer).toString()), [
    [
      { text: 'añ😀', start_index: 0, end_index: 4, token_count: 1 },
      {
        text: '😀b',
        start_index: 2,
        end_index: 5,
        token_count: 2,
        kind: 'x',
        nodes: [{ type: 'x', start_index: 2, end_index: 5 }],
      },
      { text: 'c"d', start_index: 6, end_index: 9, token_count: 1_234_567_890 },
    ],
    [],
  ]);
});

t.test('an answer over the limit is refused before it is made', async (t) => {
  const spans = [{ start: 0, end: 100, token_count: 1 }];
  t.throws(() => writeChunks([{ json: toJsonText('x'.repeat(100)), spans }], 'byte', false, 100), {
    code: 'answer_too_large',
  });
});

t.test('the literals of a member are found wherever it stands', async (t) => {
  const find = (json: string) =>
    findTextLiterals(Buffer.from(json), 'text')?.map((literal) => Buffer.from(literal).toString());
  t.same(find('{"text":"a"}'), ['a']);
  t.same(find(' { "a" : [1, {"text":"no"}, "]"] , "text" : "yes\\"}" , "z":-1.5e3}'), ['yes\\"}']);
  t.same(find('{"text":["a","b\\\\","",  "c]"],"n":null}'), ['a', 'b\\\\', '', 'c]']);
  t.same(find('{"text":"first","text":["last"]}'), ['last'], 'of repeated members the last counts');
  t.same(find('{"text":[]}'), []);
  t.equal(find('{"te\\u0078t":"a"}'), undefined, 'an escaped name is left to the general way');
  t.equal(find('{"text":5}'), undefined);
  t.equal(find('{}'), undefined);
});

t.test('any valid JSON object is walked without losing the way', async (t) => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      anyText,
      fc.boolean(),
      (others, text, isFirst) => {
        delete others.text;
        const value = isFirst ? { text, ...others } : { ...others, text };
        const found = findTextLiterals(Buffer.from(JSON.stringify(value, null, isFirst ? 1 : 0)), 'text');
        if (found === undefined)
          return t.ok(Object.keys(others).some((name) => JSON.stringify(name).includes('\\')));
        t.equal(JSON.parse(`"${Buffer.from(found[0] as Uint8Array)}"`), text);
      },
    ),
    { numRuns: 500 },
  );
});

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}

function lengthIn(unit: string, text: string): number {
  if (unit === 'utf16') return text.length;
  return unit === 'byte' ? Buffer.byteLength(text) : Array.from(text).length;
}

t.test('objects are written as JSON.stringify does, and vectors as numbers', async (t) => {
  fc.assert(
    fc.property(fc.array(fc.dictionary(anyText, fc.jsonValue())), fc.boolean(), (objects, isBatch) => {
      const answer = JSON.parse(Buffer.from(writeObjects([objects], isBatch, LIMIT)).toString());
      t.same(isBatch ? answer[0] : answer, JSON.parse(JSON.stringify(objects)));
    }),
    { numRuns: 300 },
  );
  const vector = Float32Array.of(0.1, -0.25, 1, 0, -1e-9, 0.00000001, 123_456.78, 3e20, -7.5);
  const [chunk, other] = JSON.parse(
    Buffer.from(
      writeObjects([[{ text: 'a', embedding: vector, n: 1 }, { embedding: vector }]], false, LIMIT),
    ).toString(),
  );
  t.same(Object.keys(chunk).sort(), ['embedding', 'n', 'text']);
  t.same(other, { embedding: chunk.embedding });
  vector.forEach((value, index) => {
    t.ok(Math.abs(chunk.embedding[index] - value) <= Math.max(5e-9, Math.abs(value) * 1e-7), `${value}`);
  });
  t.throws(() => writeObjects([[{ text: 'a'.repeat(100) }]], false, 50), { code: 'answer_too_large' });
});

t.test('outputs hold what became of their source', async (t) => {
  fc.assert(
    fc.property(anyText, anyText, anyText, fc.boolean(), (before, text, after, isKept) => {
      const chunk = {
        text: isKept ? before + text + after : before,
        start_index: 0,
        end_index: 1,
        token_count: 2,
        note: after,
      };
      const output = { id: 'x', chunk, source: { text, json: toJsonText(text) } };
      const [answer] = JSON.parse(Buffer.from(writeOutputs([[output]], false, LIMIT)).toString());
      t.same(answer, { id: 'x', ...chunk, context: null, embedding: null });
    }),
    { numRuns: 500 },
  );
});

t.test('short texts of every UTF-16 unit, and what refineries add', async (t) => {
  let wrong = 0;
  for (let unit = 0; unit <= 0xffff; unit++) {
    const text = `a${String.fromCharCode(unit)}"b`;
    const source = { text: 'never in it', json: toJsonText('never in it') };
    const chunk = { text, start_index: unit, end_index: -1, token_count: 0.5, context: text, [text]: [text] };
    const [answer] = JSON.parse(
      Buffer.from(writeOutputs([[{ id: 'x', chunk, source }]], false, LIMIT)).toString(),
    );
    if (!isDeepStrictEqual(answer, { id: 'x', ...chunk, embedding: null })) wrong++;
  }
  t.equal(wrong, 0);
});
