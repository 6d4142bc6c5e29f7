import t from 'tap';
import { startServer } from '../../../support/server.ts';
import { openChunkers } from '../../../support/service.ts';

const chunk = await openChunkers();

/** Each chunk as its text, its rows and its context. */
async function shown(text: string, options: object = {}) {
  const chunks = await chunk('table', { text, min_chunk_size: 0, ...options });
  return chunks.map(({ text, ...fields }) => {
    const { rows, context } = fields as { rows?: number[]; context?: string };
    return [text, rows?.join('-'), context];
  });
}

const texts = async (text: string, options: object = {}) =>
  (await shown(text, options)).map(([text]) => text);

t.test(
  'CSV is cut between records; the header stays with the first and is context of the others',
  async (t) => {
    const text = 'city,people\nOslo,709037\nRome,2748109\nLima,10092000\n';
    t.same(await shown(text), [[text, '1-3', undefined]], 'what fits is whole');
    t.same(await shown(text, { chunk_size: 27 }), [
      ['city,people\nOslo,709037\n', '1-1', undefined],
      ['Rome,2748109\nLima,10092000\n', '2-3', 'city,people'],
    ]);
  },
);

t.test('quoted fields hold delimiters, line breaks and quotes', async (t) => {
  const text = 'a,b\n"x\n,""y""\r\n",1\n"z",2\n';
  t.same(await shown(text, { chunk_size: 21 }), [
    ['a,b\n"x\n,""y""\r\n",1\n', '1-1', undefined],
    ['"z",2\n', '2-2', 'a,b'],
  ]);
  t.same(await texts("a;b\n'x\n';1\n'z';2\n", { chunk_size: 12, quote: "'" }), ["a;b\n'x\n';1\n", "'z';2\n"]);
  t.same(await texts('a;b\n"x;1\ny";2\n', { chunk_size: 9, quote: null }), ['a;b\n"x;1\n', 'y";2\n']);
});

t.test('a quote counts at the beginning of a field alone, and none that is never closed', async (t) => {
  t.same(await texts('size,n\n5" disk,1\n8" disk,2\n', { chunk_size: 17 }), [
    'size,n\n5" disk,1\n',
    '8" disk,2\n',
  ]);
  t.same(await texts('a,b\n1,"never\n2,3\n4,5\n', { chunk_size: 13 }), ['a,b\n1,"never\n', '2,3\n4,5\n']);
  t.same(await texts('a,b\n"x"y,"z"\n1,2\n', { chunk_size: 13 }), ['a,b\n"x"y,"z"\n', '1,2\n']);
});

t.test('CRLF, CR, blank lines and a byte order mark are what they are', async (t) => {
  t.same(await shown('a,b\r\n1,2\r\n\r\n3,4\r\n', { chunk_size: 12 }), [
    ['a,b\r\n1,2\r\n\r\n', '1-1', undefined],
    ['3,4\r\n', '2-2', 'a,b'],
  ]);
  t.same(await shown('a,b\r1,2\r3,4', { chunk_size: 8 }), [
    ['a,b\r1,2\r', '1-1', undefined],
    ['3,4', '2-2', 'a,b'],
  ]);
  t.same(await shown('\ufeff\n\na,b\n1,2\n3,4\n', { chunk_size: 11 }), [
    ['\ufeff\n\na,b\n1,2\n', '1-1', undefined],
    ['3,4\n', '2-2', 'a,b'],
  ]);
});

t.test('the delimiter is found by the number of fields, and said', async (t) => {
  const { post } = await startServer(t);
  const dialectOf = async (text: string, options: object = {}) =>
    (await post('/v1/chunk/table', { text, ...options })).headers.get('x-table-dialect');
  t.equal(await dialectOf('a,b\n1,2\n'), 'csv comma');
  t.equal(await dialectOf('name;price\nan, apple;1,5\na pear;2,25\n'), 'csv semicolon');
  t.equal(await dialectOf('a\tb\nx, y\tz\n'), 'tsv');
  t.equal(await dialectOf('a|b\n1|2\n'), 'csv pipe');
  t.equal(await dialectOf('"a,b";c\n"d,e";f\n'), 'csv semicolon', 'within quotes it parts nothing');
  t.equal(await dialectOf('a^b\n1^2\n', { delimiter: '^' }), 'csv U+005E');
  t.equal(await dialectOf('a,b\n', { format: 'tsv' }), 'tsv');
  t.equal(await dialectOf('no table at all'), 'csv comma');
  t.equal(await dialectOf('|a|b|\n|-|-|\n|1|2|\n'), 'markdown');
  t.equal(await dialectOf('|a|b|\n|-|-|\n|1|2|\n', { format: 'csv' }), 'csv pipe');
  t.equal(await dialectOf('<div>\n<TABLE><tr><td>1</table></div>'), 'html');
  t.equal(await dialectOf('a,<table>\n', { delimiter: ',' }), 'csv comma');
});

t.test('captions and comments stand before the header, and are not carried', async (t) => {
  const text = '# made in 2024\nPeople of cities\n\ncity,people\nOslo,709037\nRome,2748109\n';
  t.same(await shown(text, { chunk_size: 33 }), [
    ['# made in 2024\nPeople of cities\n\n', undefined, undefined],
    ['city,people\nOslo,709037\n', '1-1', undefined],
    ['Rome,2748109\n', '2-2', 'city,people'],
  ]);
  t.same(await shown('#id,n\n10,2222\n33,4444\n', { chunk_size: 14 }), [
    ['#id,n\n10,2222\n', '1-1', undefined],
    ['33,4444\n', '2-2', '#id,n'],
  ]);
});

t.test('rows may be ragged', async (t) => {
  t.same(await shown('a,b,c\n1,2\n3,4,5,6\n7\n', { chunk_size: 12 }), [
    ['a,b,c\n1,2\n', '1-1', undefined],
    ['3,4,5,6\n7\n', '2-3', 'a,b,c'],
  ]);
});

t.test('header_rows and carry say what is carried', async (t) => {
  const text = 'a,b\nx,y\n1,2\n3,4\n';
  t.same(await shown('a,b\nx,y\n11,22222\n33,44444\n', { chunk_size: 17, header_rows: 2 }), [
    ['a,b\nx,y\n11,22222\n', '1-1', undefined],
    ['33,44444\n', '2-2', 'a,b\nx,y'],
  ]);
  t.same(await shown(text, { chunk_size: 8, header_rows: 0 }), [
    ['a,b\nx,y\n', '1-2', undefined],
    ['1,2\n3,4\n', '3-4', undefined],
  ]);
  t.same(await shown(text, { chunk_size: 8, carry: 'none' }), [
    ['a,b\nx,y\n', '1-1', undefined],
    ['1,2\n3,4\n', '2-3', undefined],
  ]);
  t.same(await shown('a,b\n1,2\n', { chunk_size: 4, header_rows: 9 }), [
    ['a,b\n', '1-1', undefined],
    ['1,2\n', '2-2', undefined],
  ]);
});

t.test('rows_per_chunk is a limit beside chunk_size, and nothing joins its chunks', async (t) => {
  const text = 'a,b\n1,2\n3,4\n5,6\n7,8\n9,0\n';
  const rows = async (options: object) =>
    (await chunk('table', { text, ...options })).map(({ text }) => text);
  t.same(await rows({ rows_per_chunk: 2 }), ['a,b\n1,2\n3,4\n', '5,6\n7,8\n', '9,0\n']);
  t.same(await rows({ rows_per_chunk: 2, header_rows: 0 }), ['a,b\n1,2\n', '3,4\n5,6\n', '7,8\n9,0\n']);
  t.same(await rows({ rows_per_chunk: 3, chunk_size: 8 }), ['a,b\n1,2\n', '3,4\n5,6\n', '7,8\n9,0\n']);
  t.same(await rows({ rows_per_chunk: 1 }), ['a,b\n1,2\n', '3,4\n', '5,6\n', '7,8\n', '9,0\n']);
});

t.test('with count_context the limit holds for header and rows together', async (t) => {
  const text = `a,b\n${'1,2\n'.repeat(12)}`;
  const both = await chunk('table', { text, chunk_size: 16, count_context: true });
  t.ok(both.length > 3);
  for (const { text, ...fields } of both) {
    const { context = '' } = fields as { context?: string };
    t.ok(`${context}\n${text}`.length <= (context === '' ? 17 : 16), `${context}\n${text}`);
  }
});

t.test('a header above half of chunk_size is left out, and that is said', async (t) => {
  const [, second] = await chunk('table', {
    text: 'long name,b\n1,2\n3,4\n',
    chunk_size: 16,
    min_chunk_size: 0,
  });
  t.has(second, { text: '3,4\n', context_shortened: true });
  t.notOk(second !== undefined && 'context' in second);
});

t.test('a row above chunk_size is cut between fields, then as text, or kept whole', async (t) => {
  const text = 'a,b\nfield one,"two, and more of it"\n1,2\n';
  t.same(await shown(text, { chunk_size: 14 }), [
    ['a,b\n', undefined, undefined],
    ['field one,', '1-1', 'a,b'],
    ['"two, and ', '1-1', 'a,b'],
    ['more of it"\n', '1-1', 'a,b'],
    ['1,2\n', '2-2', 'a,b'],
  ]);
  t.same(await shown(text, { chunk_size: 14, oversize: 'keep' }), [
    ['a,b\nfield one,"two, and more of it"\n', '1-1', undefined],
    ['1,2\n', '2-2', 'a,b'],
  ]);
});

t.test('marks that cannot be told apart get 400', async (t) => {
  const { post } = await startServer(t);
  const cases: [options: object, detail: string][] = [
    [{ delimiter: '\n' }, 'delimiter: must not be a line break.'],
    [{ quote: '\r' }, 'quote: must not be a line break.'],
    [{ delimiter: '"' }, 'delimiter: must not be the same as quote.'],
    [
      { rows_per_chunk: 2, min_chunk_size: 5 },
      'rows_per_chunk: cannot be given together with min_chunk_size',
    ],
  ];
  for (const [options, detail] of cases) {
    const answer = await post('/v1/chunk/table', { text: 'a,b\n', ...options });
    t.equal(answer.status, 400);
    t.ok(answer.json<{ detail: string }>().detail.includes(detail), `${answer.bytes}`);
  }
});
