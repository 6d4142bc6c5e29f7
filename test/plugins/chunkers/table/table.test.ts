import t from 'tap';
import { openService } from '../../../support/service.ts';
import { checkDepth, testCuts } from '../cuts.ts';
import { checkRefusals } from '../refusals.ts';
import CUTS from './cuts.json' with { type: 'json' };
import { HOSTILE_SHAPES } from './hostile-shapes.ts';

/** With a limit of rows chunks are not joined. */
const BY_ROWS = { min_chunk_size: undefined };

await testCuts(
  t,
  'table',
  { min_chunk_size: 0 },
  {
    ...CUTS,
    'rows_per_chunk is a limit beside chunk_size, and nothing joins its chunks': [
      ['a,b\n1,2\n3,4\n‖5,6\n7,8\n‖9,0\n', { ...BY_ROWS, rows_per_chunk: 2 }],
      ['a,b\n1,2\n‖3,4\n5,6\n‖7,8\n9,0\n', { ...BY_ROWS, rows_per_chunk: 2, header_rows: 0 }],
      ['a,b\n1,2\n‖3,4\n5,6\n‖7,8\n9,0\n', { ...BY_ROWS, rows_per_chunk: 3, chunk_size: 8 }],
      ['a,b\n1,2\n‖3,4\n‖5,6\n', { ...BY_ROWS, rows_per_chunk: 1 }],
    ],
  },
);

t.test('the delimiter is found by the number of fields, and said', async (t) => {
  const { post } = await openService(t);
  const markdown = '|a|b|\n|-|-|\n|1|2|\n';
  for (const [text, dialect, options = {}] of [
    ['a,b\n1,2\n', 'csv comma'],
    ['name;price\nan, apple;1,5\na pear;2,25\n', 'csv semicolon'],
    ['a\tb\nx, y\tz\n', 'tsv'],
    ['a|b\n1|2\n', 'csv pipe'],
    ['"a,b";c\n"d,e";f\n', 'csv semicolon'],
    ['a^b\n1^2\n', 'csv U+005E', { delimiter: '^' }],
    ['a,b\n', 'tsv', { format: 'tsv' }],
    ['no table at all', 'csv comma'],
    [markdown, 'markdown'],
    [markdown, 'csv pipe', { format: 'csv' }],
    ['<div>\n<TABLE><tr><td>1</table></div>', 'html'],
    ['a,<table>\n', 'csv comma', { delimiter: ',' }],
  ] as const) {
    const { headers } = await post('/v1/chunk/table', { text, ...options });
    t.equal(headers.get('x-table-dialect'), dialect, text);
  }
});

t.test("Excel's line with the delimiter is not the header, and stays in the text", async (t) => {
  const { post } = await openService(t);
  const chunksOf = async (text: string, options: object = {}) => {
    const answer = await post('/v1/chunk/table', { text, min_chunk_size: 0, ...options });
    const chunks = (await answer.json()) as Record<string, unknown>[];
    return { dialect: answer.headers.get('x-table-dialect'), chunks };
  };
  for (const [delimiter, dialect] of [
    [';', 'csv semicolon'],
    [',', 'csv comma'],
    ['\t', 'tsv'],
    ['|', 'csv pipe'],
    ['^', 'csv U+005E'],
    [' ', 'csv space'],
    ['s', 'csv U+0073'],
  ] as const)
    for (const mark of ['', '\ufeff'])
      for (const end of ['\n', '\r\n', '\r'])
        for (const line of ['sep=_', 'SEP=_', '"sep=_"', 'sep=___', '"sep=_"__', 'sep=_  ', `sep=_${end}`]) {
          const text = `${mark}${line}${end}a_b${end}1_2${end}3_4${end}`.replaceAll('_', delimiter);
          const name = JSON.stringify(text);
          const { dialect: found, chunks } = await chunksOf(text, {
            chunk_size: 40,
            rows_per_chunk: 1,
            min_chunk_size: undefined,
          });
          t.equal(found, dialect, name);
          t.equal(chunks.map(({ text }) => text).join(''), text, name);
          t.match(chunks, [{ rows: [1, 1] }, { rows: [2, 2], context: `a${delimiter}b` }], name);
          t.equal(chunks.length, 2, name);
        }
  const tight = await chunksOf('sep=;\naa;bb\n11;22\n33;44\n', { chunk_size: 6 });
  t.match(
    tight.chunks.map(({ text, rows }) => [text, rows ?? null]),
    [
      ['sep=;\n', null],
      ['aa;bb\n', null],
      ['11;22\n', [1, 1]],
      ['33;44\n', [2, 2]],
    ],
  );
  t.equal(
    (await chunksOf('sep=;\na,b\n1,2\n', { delimiter: ',' })).dialect,
    'csv comma',
    'the request decides',
  );
  t.equal((await chunksOf('sep=ab\n1,2\n')).dialect, 'csv comma', 'no such line');
  t.equal((await chunksOf('a;b\nsep=,\n1;2\n')).dialect, 'csv semicolon', 'only the first line');
});

t.test('marks that cannot be told apart get 400', (t) =>
  checkRefusals(t, 'table', [
    [{ delimiter: '\n' }, 'delimiter: must not be a line break.'],
    [{ quote: '\r' }, 'quote: must not be a line break.'],
    [{ delimiter: '"' }, 'delimiter: must not be the same as quote.'],
    [
      { rows_per_chunk: 2, min_chunk_size: 5 },
      'rows_per_chunk: cannot be given together with min_chunk_size',
    ],
  ]),
);

t.test('1 MB of what nests or repeats overflows no stack', (t) =>
  checkDepth(t, 'table', HOSTILE_SHAPES, [
    '«a,»',
    '",«,""»',
    '«<table><tr><td>»',
    '<table><tr>«<td>»',
    '«|-|\n»',
  ]),
);

t.test('a byte order mark changes no cut', async (t) => {
  const { post } = await openService(t);
  for (const text of [
    'aa,bb,cc\n11,22,33\n',
    'sep=;\naa;bb\n11;22\n',
    '<table><tr><th>a</th></tr><tr><td>1</td></tr><tr><td>2</td></tr></table>',
    '| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n',
  ])
    for (const chunk_size of [7, 20, 30]) {
      const cut = async (given: string) => {
        const answer = await post('/v1/chunk/table', { text: given, chunk_size, min_chunk_size: 0 });
        const chunks = (await answer.json()) as Record<string, unknown>[];
        return chunks.map(({ text, context, rows }) => [String(text).replace('\ufeff', ''), context, rows]);
      };
      const plain = await cut(text);
      // The mark may not fit too.
      if (String(plain[0]?.[0]).length === chunk_size) continue;
      t.same(await cut(`\ufeff${text}`), plain, `${chunk_size} ${text}`);
    }
});
