import t from 'tap';
import { openChunkers } from '../../../support/service.ts';
import { checkDepth, testCuts } from '../cuts.ts';
import { checkRefusals } from '../refusals.ts';
import CUTS from './cuts.json' with { type: 'json' };
import { HOSTILE_SHAPES, optionsFor } from './hostile-shapes.ts';

await testCuts(t, 'json', { min_chunk_size: 0 }, CUTS);

t.test('a string is never cut within an escape that fits', async (t) => {
  const chunk = await openChunkers();
  const text = `["${'\\u00e9\\ud83d\\ude00\\\\\\"'.repeat(20)}"]`;
  for (const chunk_size of [12, 13, 14, 17, 20, 31]) {
    for (const one of await chunk('json', { text, chunk_size, min_chunk_size: 0 }))
      t.match(one.text, /^\[?"?(?:\\u00e9|\\ud83d\\ude00|\\\\|\\")*"?\]?$/, one.text);
  }
});

const PROBLEMS: readonly (readonly [text: string, place: string])[] = [
  ['{"a": 1,}', 'line 1, column 9: expected a name in quotes'],
  ['[1, 2,\n]', 'line 2, column 1: expected a value'],
  ['{"a": 1\r\n "b": 2}', 'line 2, column 2: expected a comma or }'],
  ['{"é😀" 1}', 'line 1, column 7: expected a colon'],
  ['// comment\n{}', 'line 1, column 1: expected a value'],
  ['[1 2]', 'line 1, column 4: expected a comma or ]'],
  ['[01]', 'line 1, column 2: expected a value or ]'],
  ["{'a': 1}", 'line 1, column 2: expected a name in quotes or }'],
  ['["a\nb"]', 'line 1, column 4: expected a quote that ends the string'],
  ['["\\x"]', 'line 1, column 4: expected one of'],
  ['["\\u12g4"]', 'line 1, column 7: expected four hexadecimal digits'],
  ['["a\tb"]', 'line 1, column 4: expected an escape'],
  ['[1', 'line 1, column 3: expected a comma or ]'],
  ['{}]', 'line 1, column 3: expected another value'],
  ['"a"1', 'line 1, column 4: expected another value on a new line, or the end of the text'],
  ['\ufeff', 'line 1, column 2: expected a value'],
  ['{"a": 1}\n{"a" 2}\n', 'line 2, column 6: expected a colon'],
];

t.test('what is no JSON gets 400 with the place and what could stand there', (t) => {
  const refusalOf = (text: string, place: string) => [{ text }, `text: not valid JSON at ${place}`] as const;
  const refusals = PROBLEMS.map(([text, place]) => refusalOf(text, place));
  return checkRefusals(t, 'json', refusals);
});

t.test('1 MB that nests without end overflows no stack', (t) =>
  checkDepth(t, 'json', HOSTILE_SHAPES, ['«[»«]»', '«{"a":»1«}»', '«[1,»1«,2]»', '«[{»', '«]}»'], optionsFor),
);
