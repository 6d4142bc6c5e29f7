import fc from 'fast-check';
import t from 'tap';
import { findProblem } from '../../../../plugins/chunkers/json/syntax.ts';

/** Whether `JSON.parse` takes it: that is JSON, and sequences of that. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Within brackets there is no sequence of values, unless they end early. */
const MAY_BE_SEQUENCE = /[\]}]\s*[^\s,\]}]/;

const TOKENS = [
  ...['{', '}', '[', ']', ',', ':', '"a"', '"\\u00e9\\n"', '0', '-1.5e+3', '01', '1.', '.5'],
  ...['-', '+1', '1e', 'true', 'null', 'nul', 'NaN', '"', '"\\x"', '"\\u12"', '"a\tb"', '"\ud83d"', ' '],
  ...['\n', '\r\n', '\u00a0', '/**/'],
];

t.test('it takes the values that JSON.parse takes, and no others', async () => {
  const anyJson = fc.json({ maxDepth: 6 });
  const spaced = fc.jsonValue().map((value) => JSON.stringify(value, null, '\t'));
  const soup = fc.array(fc.constantFrom(...TOKENS), { maxLength: 12 }).map((tokens) => tokens.join(''));
  const numbers = fc.stringMatching(/^-?[0-9]{0,3}\.?[0-9]{0,2}[eE]?[+-]?[0-9]{0,2}$/);
  const strings = fc.stringMatching(/^"(?:\\?[a-z"\\/0-9]|\\u[0-9a-fA-F]{2,4})*"$/);
  const damaged = fc.tuple(spaced, fc.nat(), fc.constantFrom('', ...TOKENS)).map(([text, at, put]) => {
    const from = at % (text.length + 1);
    return text.slice(0, from) + put + text.slice(from + 1);
  });
  const wrapped = fc.oneof(anyJson, spaced, damaged, soup, numbers, strings).map((text) => `[${text}]`);
  fc.assert(
    fc.property(wrapped, (text) => {
      fc.pre(!MAY_BE_SEQUENCE.test(text));
      const problem = findProblem(text);
      if ((problem === undefined) !== isJson(text)) throw new Error(JSON.stringify({ text, problem }));
    }),
    { numRuns: 5000 },
  );
});

t.test('it takes sequences whose values stand apart', async (t) => {
  for (const text of ['1 2', '{}\n{}', '{}{}', '[][]\r\n\r\n"a" null', '\ufeff{}', ' \n1\n '])
    t.equal(findProblem(text), undefined, encodeURI(text));
  for (const text of ['1"a"', '"a""b"', '{}1', '1{}', '{} ,{}', '{}\u2028{}', '\ufeff\ufeff{}'])
    t.not(findProblem(text), undefined, encodeURI(text));
});

t.test('a place is exact', async (t) => {
  const offsets = { '[1,2,3}': 6, '{"a":tru}': 5, '{"a":"b': 7, '{"a":"b\\': 8, '["\\u00': 6, '[1,,2]': 3 };
  for (const [text, offset] of Object.entries({ ...offsets, '': 0 }))
    t.equal(findProblem(text)?.offset, offset, text);
});
