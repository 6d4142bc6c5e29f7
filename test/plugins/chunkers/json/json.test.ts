import t from 'tap';
import { openChunkers } from '../../../support/service.ts';
import { checkDepth, testCuts } from '../cuts.ts';
import { checkRefusals } from '../refusals.ts';
import { HOSTILE_SHAPES, optionsFor } from './hostile-shapes.ts';

/** Pointers and records of each chunk. */
const records = (pointer: readonly (string | null)[], ...lists: string[]) => ({ pointer, records: lists });
const WORDS = 'word '.repeat(20);
const nested = (levels: number) => `${'['.repeat(levels)}[1, 2], ‖3${']'.repeat(levels)}`;
const named = (length: number) => `{"${'n'.repeat(length)}": [1, 2], ‖"b": 3}`;
const BROKEN = { tolerant: true, chunk_size: 24 };

await testCuts(
  t,
  'json',
  { min_chunk_size: 0 },
  {
    'JSON is cut between members first, then within them, and each chunk has its pointer': [
      ['{"name": "Ada", "tags": ["math", "engines"]}', {}, { pointer: [''], records: [undefined] }],
      ['{"a": "Ada", ‖"b": ["law", "art"], ‖"c": 1815}', { chunk_size: 24 }, { pointer: ['/a', '/b', '/c'] }],
      [
        '{"name": "Ada", ‖"tags": ["math", ‖"engines"], ‖"born": 1815}',
        { chunk_size: 17 },
        { pointer: ['/name', '/tags', '/tags/1', '/born'] },
      ],
    ],
    'a line break goes with the comma before it, an indentation with its line': [
      ['{\r\n "a": [\r\n  1\r\n ],\r\n\r\n‖ "b": 3\r\n}\r\n', { chunk_size: 32 }, { pointer: ['/a', '/b'] }],
    ],
    'JSON Lines are cut between records, blank lines and CRLF included': [
      ['{"a": 1}\r\n{"a": 2}\n\n‖{"a": [3,4]}\n5\n', { chunk_size: 21 }, records([null, null], '1-2', '3-4')],
      [
        '{"a": 1}\r\n‖{"a": 2}\n\n‖{"a": [3, ‖4]}\n‖5\n',
        { chunk_size: 11 },
        records(['', '', '/a', '/a/1', ''], '1-1', '2-2', '3-3', '3-3', '4-4'),
      ],
      ['{"a":1}‖{"a":2}\n‖{"a":3}', { chunk_size: 8 }, records(['', '', ''], '1-1', '2-2', '3-3')],
    ],
    'pointers escape names, read what is escaped in JSON, and tell members of one name apart': [
      ['{"a/b~c":[1],‖"\\u00e9\\n":[3],‖"":[5]}', { chunk_size: 15 }, { pointer: ['/a~1b~0c', '/é\n', '/'] }],
      ['{"a": 1, "b": 2, "a": 3, ‖"c": 4444444444444444444}', { chunk_size: 28 }, { pointer: ['', '/c'] }],
    ],
    'a pointer of more than 256 characters or 64 levels is null': [
      [nested(64), { chunk_size: 72 }, { pointer: ['/0'.repeat(64), '/0'.repeat(63).concat('/1')] }],
      [nested(65), { chunk_size: 73 }, { pointer: [null, null] }],
      [named(255), { chunk_size: 270 }, { pointer: [`/${'n'.repeat(255)}`, '/b'] }],
      [named(256), { chunk_size: 271 }, { pointer: [null, '/b'] }],
    ],
    'a string above chunk_size is cut between sentences and words, an escape above it wherever that is': [
      ['{"b": "One is here. ‖Two is there.", ‖"c": 1}', { chunk_size: 22 }, { pointer: ['/b', '/b', '/c'] }],
      ['["‖\\ud83‖d\\ude‖00‖"]', { chunk_size: 5 }],
    ],
    'with oversize: keep a value is never cut': [
      [`[1, ‖"${WORDS}", ‖2]`, { chunk_size: 10, oversize: 'keep' }, { pointer: ['/0', '/1', '/2'] }],
    ],
    'a short chunk joins a neighbour': [
      ['{"a": [1111, 2222, 3333], ‖"b": [4444, 5555, 6666], "c": 7}', { chunk_size: 36 }],
      ['{"a": [1111, 2222, 3333], ‖"b": [4444, 5555, 6666], ‖"c": 7}', { chunk_size: 26 }],
      ['{"a": [1111, 2222, 3333], ‖"b": [4444, 5555, 6666], "c": 7}', { chunk_size: 33, min_chunk_size: 12 }],
    ],
    'with tolerant what is broken is cut along its brackets, strings and commas': [
      ['{"a": [1, 2,], ‖/* why */ b: "x, y", }', BROKEN, { pointer: ['/a', '/~1*'] }],
      ['{"never": "closed,\n‖"a": "one, two"}\n', BROKEN],
    ],
  },
);

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
  return checkRefusals(
    t,
    'json',
    PROBLEMS.map(([text, place]) => refusalOf(text, place)),
  );
});

t.test('1 MB that nests without end overflows no stack', (t) =>
  checkDepth(t, 'json', HOSTILE_SHAPES, ['«[»«]»', '«{"a":»1«}»', '«[1,»1«,2]»', '«[{»', '«]}»'], optionsFor),
);
