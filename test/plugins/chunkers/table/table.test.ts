import t from 'tap';
import { openService } from '../../../support/service.ts';
import { checkDepth, testCuts } from '../cuts.ts';
import { checkRefusals } from '../refusals.ts';
import { HOSTILE_SHAPES } from './hostile-shapes.ts';

const NONE = undefined;
/** Two chunks of a row each, and what the second carries. */
const carries = (context?: string) => ({ rows: ['1-1', '2-2'], context: [NONE, context] });
const HEADED = 'a,b\nx,y\n';
const THREE_ROWS = '1,2\n3,4\n5,6\n';
const WIDE = 'a,b\n‖field one,‖"two, and ‖more of it"\n‖1,2\n';
/** With a limit of rows chunks are not joined. */
const BY_ROWS = { min_chunk_size: undefined };

await testCuts(
  t,
  'table',
  { min_chunk_size: 0 },
  {
    'CSV is cut between records; the header stays with the first and is context of the others': [
      ['city,people\nOslo,709037\nLima,10092000\n', {}, { rows: ['1-2'], context: [NONE] }],
      [
        'city,people\nOslo,709037\n‖Rome,2748109\nLima,10092000\n',
        { chunk_size: 27 },
        { rows: ['1-1', '2-3'], context: [NONE, 'city,people'] },
      ],
    ],
    'quoted fields hold delimiters, line breaks and quotes': [
      ['a,b\n"x\n,""y""\r\n",1\n‖"z",2\n', { chunk_size: 21 }, carries('a,b')],
      ["a;b\n'x\n';1\n‖'z';2\n", { chunk_size: 12, quote: "'" }],
      ['a;b\n"x;1\n‖y";2\n', { chunk_size: 9, quote: null }],
    ],
    'a quote counts at the beginning of a field alone, and none that is never closed': [
      ['size,n\n5" disk,1\n‖8" disk,2\n', { chunk_size: 17 }],
      ['a,b\n1,"never\n‖2,3\n4,5\n', { chunk_size: 13 }],
      ['a,b\n"x"y,"z"\n‖1,2\n', { chunk_size: 13 }],
    ],
    'CRLF, CR, blank lines and a byte order mark are what they are': [
      ['a,b\r\n1,2\r\n\r\n‖3,4\r\n', { chunk_size: 12 }, carries('a,b')],
      ['a,b\r1,2\r‖3,4', { chunk_size: 8 }, carries('a,b')],
      ['\ufeff\n\na,b\n1,2\n‖3,4\n', { chunk_size: 11 }, carries('a,b')],
    ],
    'captions and comments stand before the header, and are not carried': [
      [
        '# made in 2024\nPeople of cities\n\n‖city,people\nOslo,709037\n‖Rome,2748109\n',
        { chunk_size: 33 },
        { rows: [NONE, '1-1', '2-2'], context: [NONE, NONE, 'city,people'] },
      ],
      ['#id,n\n10,2222\n‖33,4444\n', { chunk_size: 14 }, carries('#id,n')],
    ],
    'rows may be ragged': [
      ['a,b,c\n1,2\n‖3,4,5,6\n7\n', { chunk_size: 12 }, { rows: ['1-1', '2-3'], context: [NONE, 'a,b,c'] }],
    ],
    'header_rows and carry say what is carried': [
      [`${HEADED}1,22222\n‖3,44444\n`, { chunk_size: 17, header_rows: 2 }, carries('a,b\nx,y')],
      [`${HEADED}‖1,2\n`, { chunk_size: 8, header_rows: 0 }, { rows: ['1-2', '3-3'], context: [NONE, NONE] }],
      [`${HEADED}‖1,2\n`, { chunk_size: 8, carry: 'none' }, carries()],
      ['a,b\n‖1,2\n', { chunk_size: 4, header_rows: 9 }, carries()],
    ],
    'rows_per_chunk is a limit beside chunk_size, and nothing joins its chunks': [
      ['a,b\n1,2\n3,4\n‖5,6\n7,8\n‖9,0\n', { ...BY_ROWS, rows_per_chunk: 2 }],
      ['a,b\n1,2\n‖3,4\n5,6\n‖7,8\n9,0\n', { ...BY_ROWS, rows_per_chunk: 2, header_rows: 0 }],
      ['a,b\n1,2\n‖3,4\n5,6\n‖7,8\n9,0\n', { ...BY_ROWS, rows_per_chunk: 3, chunk_size: 8 }],
      ['a,b\n1,2\n‖3,4\n‖5,6\n', { ...BY_ROWS, rows_per_chunk: 1 }],
    ],
    'with count_context the limit holds for header and rows together': [
      [
        `a,b\n${THREE_ROWS}‖${THREE_ROWS}‖${THREE_ROWS}`,
        { chunk_size: 16, count_context: true },
        { context: [NONE, 'a,b', 'a,b'] },
      ],
    ],
    'a header above half of chunk_size is left out, and that is said': [
      ['a long name,b\n1,2\n‖3,4\n', { chunk_size: 18 }, { ...carries(), context_shortened: [NONE, true] }],
    ],
    'a row above chunk_size is cut between fields, then as text, or kept whole': [
      [
        WIDE,
        { chunk_size: 14 },
        { rows: [NONE, '1-1', '1-1', '1-1', '2-2'], context: [NONE, 'a,b', 'a,b', 'a,b', 'a,b'] },
      ],
      ['a,b\nfield one,"two, and more of it"\n‖1,2\n', { chunk_size: 14, oversize: 'keep' }, carries('a,b')],
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
