import t from 'tap';
import { startServer } from '../../../support/server.ts';
import { openChunkers } from '../../../support/service.ts';

const chunk = await openChunkers();

/** Each chunk as its text and its pointer, or its records where it has some. */
async function shown(text: string, options: object = {}) {
  const chunks = await chunk('json', { text, min_chunk_size: 0, ...options });
  return chunks.map(({ text, ...fields }) => {
    const { pointer, records } = fields as { pointer?: string | null; records?: number[] };
    return records === undefined ? [text, pointer] : [text, pointer, records];
  });
}

t.test('JSON is cut between members first, then within them, and each chunk has its pointer', async (t) => {
  const text = '{"name": "Ada", "tags": ["math", "engines"], "born": 1815}';
  t.same(await shown(text), [[text, '']], 'what fits is whole');
  t.same(await shown(text, { chunk_size: 32 }), [
    ['{"name": "Ada", ', '/name'],
    ['"tags": ["math", "engines"], ', '/tags'],
    ['"born": 1815}', '/born'],
  ]);
  t.same(await shown(text, { chunk_size: 17 }), [
    ['{"name": "Ada", ', '/name'],
    ['"tags": ["math", ', '/tags'],
    ['"engines"], ', '/tags/1'],
    ['"born": 1815}', '/born'],
  ]);
});

t.test('a line break goes with the comma before it, an indentation with its line', async (t) => {
  const text = '{\r\n  "a": [\r\n    1,\r\n    2\r\n  ],\r\n\r\n  "b": 3\r\n}\r\n';
  t.same(await shown(text, { chunk_size: 40 }), [
    ['{\r\n  "a": [\r\n    1,\r\n    2\r\n  ],\r\n\r\n', '/a'],
    ['  "b": 3\r\n}\r\n', '/b'],
  ]);
});

t.test('JSON Lines are cut between records, blank lines and CRLF included', async (t) => {
  const text = '{"a": 1}\r\n{"a": 2}\n\n{"a": [3, 4]}\n5\n';
  t.same(await shown(text, { chunk_size: 21 }), [
    ['{"a": 1}\r\n{"a": 2}\n\n', null, [1, 2]],
    ['{"a": [3, 4]}\n5\n', null, [3, 4]],
  ]);
  t.same(await shown(text, { chunk_size: 11 }), [
    ['{"a": 1}\r\n', '', [1, 1]],
    ['{"a": 2}\n\n', '', [2, 2]],
    ['{"a": [3, ', '/a', [3, 3]],
    ['4]}\n', '/a/1', [3, 3]],
    ['5\n', '', [4, 4]],
  ]);
  t.same(await shown('{"a":1}{"a":2}\n{"a":3}', { chunk_size: 8 }), [
    ['{"a":1}', '', [1, 1]],
    ['{"a":2}\n', '', [2, 2]],
    ['{"a":3}', '', [3, 3]],
  ]);
});

t.test(
  'pointers escape names, read what is escaped in JSON, and tell members of one name apart',
  async (t) => {
    const names = '{"a/b~c": [1, 2], "\\u00e9\\n": [3, 4], "": [5, 6]}';
    t.same(
      (await shown(names, { chunk_size: 20 })).map(([, pointer]) => pointer),
      ['/a~1b~0c', '/é\n', '/'],
    );
    t.same(
      await shown('{"a": 1, "b": 2, "a": 3, "c": 4444444444444444444}', { chunk_size: 28 }),
      [
        ['{"a": 1, "b": 2, "a": 3, ', ''],
        ['"c": 4444444444444444444}', '/c'],
      ],
      'two members "a" are not one value',
    );
  },
);

t.test('a pointer of more than 256 characters or 64 levels is null', async (t) => {
  const deep = (levels: number) => `${'['.repeat(levels)}[1, 2], 3${']'.repeat(levels)}`;
  const pointers = async (text: string, chunk_size: number) =>
    (await shown(text, { chunk_size })).map(([, pointer]) => pointer);
  t.same(await pointers(deep(64), 72), ['/0'.repeat(64), '/0'.repeat(63).concat('/1')]);
  t.same(await pointers(deep(65), 73), [null, null]);
  const named = (length: number) => `{"${'n'.repeat(length)}": [1, 2], "b": 3}`;
  t.same(await pointers(named(255), 270), [`/${'n'.repeat(255)}`, '/b']);
  t.same(await pointers(named(256), 271), [null, '/b']);
});

t.test('a string above chunk_size is cut between sentences and words, never within an escape', async (t) => {
  t.same(await shown('{"bio": "One is here. Two is there.", "b": 1}', { chunk_size: 22 }), [
    ['{"bio": "One is here. ', '/bio'],
    ['Two is there.", ', '/bio'],
    ['"b": 1}', '/b'],
  ]);
  const escapes = `["${'\\u00e9\\ud83d\\ude00\\\\\\"'.repeat(20)}"]`;
  for (const chunk_size of [12, 13, 14, 17, 20, 31]) {
    const texts = (await shown(escapes, { chunk_size })).map(([text]) => String(text));
    t.equal(texts.join(''), escapes);
    for (const text of texts) t.match(text, /^\[?"?(?:\\u00e9|\\ud83d\\ude00|\\\\|\\")*"?\]?$/, text);
  }
  const cut = await shown('["\\ud83d\\ude00"]', { chunk_size: 5 });
  t.ok(
    cut.every(([text]) => String(text).length <= 5),
    'the limit is harder than that',
  );
});

t.test('with oversize: keep a value is never cut', async (t) => {
  const long = `"${'word '.repeat(20)}"`;
  t.same(await shown(`[1, ${long}, 2]`, { chunk_size: 10, oversize: 'keep' }), [
    ['[1, ', '/0'],
    [`${long}, `, '/1'],
    ['2]', '/2'],
  ]);
});

t.test('a short chunk joins a neighbour', async (t) => {
  const text = '{"a": [1111, 2222, 3333], "b": [4444, 5555, 6666], "c": 7}';
  const texts = async (options: object) =>
    (await shown(text, { chunk_size: 36, ...options })).map(([text]) => text);
  t.same(await texts({}), ['{"a": [1111, 2222, 3333], ', '"b": [4444, 5555, 6666], "c": 7}']);
  t.same(await texts({ chunk_size: 26 }), [
    '{"a": [1111, 2222, 3333], ',
    '"b": [4444, 5555, 6666], ',
    '"c": 7}',
  ]);
  t.same(await texts({ chunk_size: 33, min_chunk_size: 12 }), [
    '{"a": [1111, 2222, 3333], ',
    '"b": [4444, 5555, 6666], "c": 7}',
  ]);
});

t.test('what is no JSON gets 400 with the place and what could stand there', async (t) => {
  const { post } = await startServer(t);
  const cases: [text: string, detail: string][] = [
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
  for (const [text, detail] of cases) {
    const answer = await post('/v1/chunk/json', { text });
    t.equal(answer.status, 400, text);
    t.ok(
      answer.json<{ detail: string }>().detail.includes(`text: not valid JSON at ${detail}`),
      `${answer.bytes}`,
    );
    const tolerant = await post('/v1/chunk/json', { text, tolerant: true, chunk_size: 3 });
    t.equal(
      tolerant
        .json<{ text: string }[]>()
        .map(({ text }) => text)
        .join(''),
      text,
    );
  }
});

t.test('with tolerant what is broken is cut along its brackets, strings and commas', async (t) => {
  const options = { tolerant: true, chunk_size: 24 };
  t.same(await shown('{"a": [1, 2,], /* why */ b: "x, y", }', options), [
    ['{"a": [1, 2,], ', '/a'],
    ['/* why */ b: "x, y", }', '/~1*'],
  ]);
  t.same(
    (await shown('{"never": "closed,\n"a": "one, two"}\n', options)).map(([text]) => text),
    ['{"never": "closed,\n', '"a": "one, two"}\n'],
    'a string ends with its line',
  );
});
