import t from 'tap';
import { parseExactJson } from '../../../../plugins/toolkit/json/exact-json.ts';

const roundTrip = (text: string): string => JSON.stringify(parseExactJson(text));

const CHANGED_BY_DOUBLES = [
  '1e400',
  '-1E400',
  '1e-400',
  '12345678901234567890',
  '9007199254740993',
  // A double holds it, and is written as 1152921504606847000.
  '1152921504606846976',
  '0.1234567890123456789',
  '12345678901234567890.5',
  '-0',
  '-0.0',
];

t.test('numbers that a double would change are written as they came', async (t) => {
  for (const number of CHANGED_BY_DOUBLES)
    for (const text of [number, `{"n":${number}}`, `[0,[${number}],"${number}"]`])
      t.equal(roundTrip(text), text);
  t.equal(roundTrip('{"a": [ 1e400 ],"b":\n-0}'), '{"a":[1e400],"b":-0}');
});

t.test('all other numbers are numbers', async (t) => {
  for (const [text, value] of [
    ['1e2', 100],
    ['1.10', 1.1],
    ['100000000000000000000', 1e20],
    ['0.1000000000000000', 0.1],
    ['-0.05', -0.05],
    ['5e-324', 5e-324],
    ['1.7976931348623157e308', Number.MAX_VALUE],
  ] as const)
    t.same(parseExactJson(`[${text}]`), [value]);
});

t.test('what else is JSON stays as it is, and what is not is refused', async (t) => {
  t.same(parseExactJson('{"a":"[1e400","b":[null,true]}'), { a: '[1e400', b: [null, true] });
  t.same(Object.keys(parseExactJson('{"__proto__":1e400}') as object), ['__proto__']);
  t.throws(() => parseExactJson('{"a":1e400'), SyntaxError);
});
