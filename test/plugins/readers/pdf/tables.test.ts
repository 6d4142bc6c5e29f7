import t from 'tap';
import { findGrids } from '../../../../plugins/readers/pdf/grids.ts';
import createReader from '../../../../plugins/readers/pdf/index.ts';
import { readWith } from '../reading.ts';
import { at, makePdf } from './support/builder.ts';

const X = [50, 200, 350];
const rowsAt = (rows: readonly (readonly string[])[], y = 700, leading = 16): string =>
  rows
    .flatMap((cells, row) =>
      cells.map((text, column) => (text === '' ? '' : at(X[column] ?? 0, y - leading * row, text))),
    )
    .join('');
const line = (x0: number, y0: number, x1: number, y1: number): string => `${x0} ${y0} m ${x1} ${y1} l S\n`;
const read = (contents: readonly string[], options = {}) =>
  readWith(createReader, makePdf(contents.map((content) => ({ content }))), {}, options);
const table = (rows: readonly string[]): string => {
  const [first = '', ...others] = rows;
  return [first, '| - | - | - |', ...others].join('\n');
};

/** A grid around rows whose base lines are 16 points apart. */
const grid = (rows: number): string =>
  [45, 195, 345, 500].map((x) => line(x, 712, x, 712 - 16 * rows)).join('') +
  Array.from({ length: rows + 1 }, (_, row) => line(45, 712 - 16 * row, 500, 712 - 16 * row)).join('');

t.test('a ruled table is a Markdown table, with blank cells in place and pipes escaped', async (t) => {
  const cells = rowsAt([
    ['Kind', 'Fat', 'Note'],
    ['whole', '', 'a|b'],
    ['skimmed', '0.1', 'thin'],
  ]);
  const { text, places = [] } = await read([grid(3) + cells]);
  t.equal(text, table(['| Kind | Fat | Note |', '| whole | | a\\|b |', '| skimmed | 0.1 | thin |']));
  const placed = places.map(({ start, end }) => text.slice(start, end));
  t.same(
    placed,
    ['| Kind | Fat | Note |', '| whole | | a\\|b |', '| skimmed | 0.1 | thin |'],
    'each row has a place',
  );
  t.ok(places.every(({ page, box }) => page === 1 && box !== undefined));
});

t.test('a simple table without rules stays lines with tabs, unless Markdown is asked for', async (t) => {
  const rows = [
    ['Kind', 'Fat', 'Note'],
    ['whole', '3.5', 'rich'],
    ['skimmed', '0.1', 'thin'],
    ['buttermilk', '0.5', 'sour'],
  ];
  t.equal((await read([rowsAt(rows)])).text, rows.map((cells) => cells.join('\t')).join('\n'));
  const { text } = await read([rowsAt(rows)], { tables: 'markdown' });
  t.equal(text, table(rows.map((cells) => `| ${cells.join(' | ')} |`)));
});

t.test('blank cells and wrapped cells of a table without rules', async (t) => {
  const rows = [
    ['Kind', 'Fat', 'Note'],
    ['whole', '3.5', 'as it comes from'],
    ['', '', 'the cow'],
    ['skimmed', '', 'thin'],
    ['buttermilk', '0.5', 'sour, and'],
    ['', '', 'white'],
  ];
  t.equal(
    (await read([rowsAt(rows)])).text,
    table([
      '| Kind | Fat | Note |',
      '| whole | 3.5 | as it comes from the cow |',
      '| skimmed | | thin |',
      '| buttermilk | 0.5 | sour, and white |',
    ]),
  );
});

t.test('horizontal rules alone', async (t) => {
  const rules = [714, 696, 650].map((y) => line(45, y, 500, y)).join('');
  const { text } = await read([
    rules +
      rowsAt(
        [
          ['Kind', 'Fat', 'Note'],
          ['whole', '3.5', 'rich'],
          ['skimmed', '0.1', 'thin'],
        ],
        700,
        18,
      ),
  ]);
  t.equal(text, table(['| Kind | Fat | Note |', '| whole | 3.5 | rich |', '| skimmed | 0.1 | thin |']));
});

t.test('a table goes on over pages, and its repeated header is left out and counted', async (t) => {
  const page = (kind: string) =>
    grid(3) +
    rowsAt([
      ['Kind', 'Fat', 'Note'],
      [kind, '1', 'x'],
      [`${kind}2`, '2', 'y'],
    ]);
  const { text, leftOut } = await read([page('a'), page('b')]);
  t.equal(
    text,
    table(['| Kind | Fat | Note |', '| a | 1 | x |', '| a2 | 2 | y |', '| b | 1 | x |', '| b2 | 2 | y |']),
  );
  t.same(leftOut, { repeated_table_header_row: 1 });
});

t.test('what looks like a table is none', async (t) => {
  const lists = Array.from(
    { length: 5 },
    (_, row) => at(50, 700 - 16 * row, `${row + 1}.`) + at(75, 700 - 16 * row, `point ${row}`),
  ).join('');
  const contents = Array.from(
    { length: 5 },
    (_, row) =>
      at(50, 700 - 16 * row, `Chapter ${row} . . . . . . .`) + at(450, 700 - 16 * row, `${3 * row + 1}`),
  ).join('');
  for (const content of [
    lists,
    contents,
    `${line(45, 720, 500, 720)}${line(45, 600, 500, 600)}${at(50, 700, 'one box')}`,
  ])
    t.notMatch((await read([content], { tables: 'markdown' })).text, /^\|/m);
});

t.test('the rules of a page are bounded', async (t) => {
  const many = Array.from({ length: 100_000 }, (_, index) =>
    line(10, 10 + (index % 7000) / 9, 300 + (index % 13), 10 + (index % 7000) / 9),
  ).join('');
  t.match((await read([many + at(50, 700, 'Text.')])).text, /Text\./);
  const rules = Array.from({ length: 400 }, (_, index) => ({ at: 10 * index, from: 0, to: 4000 }));
  t.same(findGrids({ across: rules, down: rules }), [], 'a grid of too many cells is a drawing');
});
