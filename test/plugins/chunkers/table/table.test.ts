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
