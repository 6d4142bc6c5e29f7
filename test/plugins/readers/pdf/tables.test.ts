import t from 'tap';
import { findGrids } from '../../../../plugins/readers/pdf/grids.ts';
import createReader from '../../../../plugins/readers/pdf/index.ts';
import { openChunkers } from '../../../support/service.ts';
import { readWith } from '../reading.ts';
import { at, FIRST_MORE, makePdf, stream } from './support/builder.ts';

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

t.test('a table goes on over pages, and its repeated header is left out, counted and listed', async (t) => {
  const page = (kind: string) =>
    grid(3) +
    rowsAt([
      ['Kind', 'Fat', 'Note'],
      [kind, '1', 'x'],
      [`${kind}2`, '2', 'y'],
    ]);
  const { text, leftOut, leftOutTexts } = await read([page('a'), page('b')]);
  t.equal(
    text,
    table(['| Kind | Fat | Note |', '| a | 1 | x |', '| a2 | 2 | y |', '| b | 1 | x |', '| b2 | 2 | y |']),
  );
  t.same(leftOut, { repeated_table_header_row: 1 });
  t.match(leftOutTexts, [{ kind: 'repeated_table_header_row', text: /Kind.*Fat.*Note/, page: 2 }]);
  const { text: whole, leftOut: none } = await read([page('a'), page('b')], { keep_furniture: true });
  t.equal(whole.match(/Kind/g)?.length, 2);
  t.same(none, {});
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

t.test('signs in a column of their own belong to their number', async (t) => {
  const rows = [
    'Sales',
    'Costs',
    'Taxes',
    'Loss',
    'Share',
    'Assets',
    'Debts',
    'Cash',
    'Stock',
    'Fees',
    'Sum',
  ];
  const signs: Readonly<Record<string, readonly [string, string]>> = {
    Sales: ['$', ''],
    Taxes: ['(', ')'],
    Loss: ['$ (', ')'],
    Share: ['', '%'],
    Sum: ['$', ''],
  };
  const amount = (x: number, row: number) => {
    const [before, after] = signs[rows[row] ?? ''] ?? ['', ''];
    const y = 700 - 16 * row;
    const number = `${before.includes('(') ? '(' : ''}1,${row + 100}`;
    return [
      before.startsWith('$') ? at(x, y, '$') : '',
      at(x + 40, y, number),
      after === '' ? '' : at(x + 76, y, after),
    ];
  };
  const cells = rows.flatMap((label, row) => [
    at(50, 700 - 16 * row, label),
    ...amount(200, row),
    ...amount(340, row),
  ]);
  const { text } = await read([cells.join('')], { tables: 'markdown' });
  const lines = text.split('\n').filter((line) => !line.startsWith('| -'));
  t.equal(lines.length, rows.length);
  const expected = ['$ 1,100', '1,101', '(1,102 )', '$ (1,103 )', '1,104 %', '1,105'];
  for (const [row, one] of expected.entries()) t.equal(lines[row], `| ${rows[row]} | ${one} | ${one} |`);
});

t.test('text between rules divides tables, and rules of headers are no tables of their own', async (t) => {
  const rows = (y: number) =>
    rowsAt(
      [
        ['', 'Men', ''],
        ['Kind', 'Count', 'Rate'],
        ['whole', '11', '0.5'],
        ['skimmed', '12', '0.1'],
      ],
      y,
    );
  const rules = (y: number) =>
    [y + 12, y - 20, y - 54].map((at) => line(45, at, 500, at)).join('') + line(190, y - 4, 400, y - 4);
  const caption = 'Table 2. Another table, with a caption that is as wide as the whole table above it.';
  const { text } = await read([rules(700) + rows(700) + at(50, 620, caption) + rules(580) + rows(580)]);
  const expected = table([
    '| Kind | Men | |',
    '| | Count | Rate |',
    '| whole | 11 | 0.5 |',
    '| skimmed | 12 | 0.1 |',
  ]);
  t.equal(text, [expected, caption, expected].join('\n\n'));
});

t.test('columns of a script that is read from right to left begin at the right', async (t) => {
  const unicode =
    '/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /H def 1 begincodespacerange <00> <ff> endcodespacerange 2 beginbfrange <61> <7a> <05d0> <20> <39> <0020> endbfrange endcmap end end';
  const cells = Array.from({ length: 4 }, (_, row) =>
    [450, 300, 150]
      .map((x, column) =>
        at(
          x,
          700 - 16 * row,
          column === 0 ? 'abcdefgh'.slice(row, row + 4) : `${10 * row + column}`,
          10,
          'H',
        ),
      )
      .join(''),
  ).join('');
  const rules = [714, 694, 640].map((y) => line(140, y, 500, y)).join('');
  const more = `/Resources<</Font<</H ${FIRST_MORE} 0 R>>>>`;
  const file = makePdf([{ content: rules + cells, more }], {
    objects: [
      `<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode ${FIRST_MORE + 1} 0 R>>`,
      stream(unicode),
    ],
  });
  const { text } = await readWith(createReader, file);
  const [first, , second] = text.split('\n');
  t.match(first, /^\| [\u05d0-\u05ea ]+ \| 1 \| 2 \|$/);
  t.match(second, /^\| [\u05d0-\u05ea ]+ \| 11 \| 12 \|$/);
});

t.test('text beside labels, formulas and scattered labels are no tables', async (t) => {
  const text = [
    'The rate of requests grows with the number',
    'of servers, because each of them has its own',
    'queue, which the others do not see. Reads are',
    'spread over all of them, and the largest one',
    'answers most, whatever the clients ask for, so',
    'that the curve is flat from there to the end.',
  ];
  const rows = (count: number, draw: (row: number) => readonly string[]) =>
    Array.from({ length: count }, (_, row) => draw(row).join('')).join('');
  const beside = rows(text.length, (row) => [
    at(50, 700 - 16 * row, `${100 - 10 * row}`),
    at(250, 700 - 16 * row, text[row] ?? ''),
  ]);
  const formula = rows(12, (row) => [at(50, 700 - 6.5 * row, 'x'), at(250, 700 - 6.5 * row, 'y')]);
  const scattered = rows(8, (row) => [
    at(50 + 31 * ((row * 3) % 5), 700 - 20 * row, `label ${row}`),
    at(300 + 47 * ((row * 5) % 4), 700 - 20 * row, `note ${row}`),
  ]);
  for (const content of [beside, formula, scattered])
    t.notMatch((await read([content], { tables: 'markdown' })).text, /^\|/m);
});

t.test('chunks of a table over several pages have its header as context', async (t) => {
  const chunk = await openChunkers();
  const page = (number: number) =>
    grid(31) +
    rowsAt([
      ['Kind', 'Fat', 'Note'],
      ...Array.from({ length: 30 }, (_, row) => [`kind ${number}-${row}`, `${row}`, 'rich']),
    ]);
  const { text } = await read([1, 2, 3].map(page));
  for (const [name, options] of [
    ['markdown', { chunk_size: 100 }],
    ['table', { rows_per_chunk: 10, min_chunk_size: undefined }],
  ] as const) {
    const chunks: readonly { text: string; context?: string }[] = await chunk(name, { text, ...options });
    const rows = chunks.flatMap((one) => one.text.match(/kind \d-\d+/g) ?? []);
    t.equal(new Set(rows).size, 90, 'no row is lost');
    t.ok(chunks.length > 3);
    for (const one of chunks.slice(1)) t.match(one.context, /\| Kind \| Fat \| Note \|/);
  }
});

t.test('thousands of cells are read', async (t) => {
  const cells = Array.from({ length: 6000 }, (_, index) =>
    at(20 + (index % 10) * 57, 790 - Math.floor(index / 10) * 1.3, `${index}`, 0.9),
  ).join('');
  const { text } = await read([cells]);
  t.equal(new Set(text.match(/\d+/g)).size, 6000);
});

t.test(
  'code between rules and tables of contents are no tables, a header over several columns is',
  async (t) => {
    const code = ['if (one) {', '  a = first(1);   b = 2', '  c = second(1);  d = 3', '}']
      .map(
        (one, row) =>
          at(50, 700 - 14 * row, one, 10, 'M') + at(300, 700 - 14 * row, `// note ${row}`, 10, 'M'),
      )
      .join('');
    const contents = Array.from(
      { length: 6 },
      (_, row) =>
        at(50, 700 - 16 * row, `${row + 1}`) +
        at(80, 700 - 16 * row, `Chapter of things ${row}`) +
        at(450, 700 - 16 * row, `${2 * row + 2}`),
    ).join('');
    for (const content of [[714, 640].map((y) => line(45, y, 500, y)).join('') + code, contents])
      t.notMatch((await read([content], { tables: 'markdown' })).text, /^\|/m);
    const rows = Array.from({ length: 5 }, (_, row) =>
      [
        at(50, 664 - 16 * row, `kind ${row}`),
        at(220, 664 - 16 * row, `${row}.5`),
        at(300, 664 - 16 * row, `${row}`),
      ].join(''),
    ).join('');
    const rules = [714, 676, 590].map((y) => line(45, y, 500, y)).join('');
    const head =
      at(195, 700, 'Numbers of the whole') +
      at(50, 684, 'Kind') +
      at(215, 684, 'Rate') +
      at(290, 684, 'Count');
    t.match((await read([rules + head + rows])).text, /^\| Kind \| Rate \| Count \|$/m);
  },
);

t.test('lines of a header are one cell, unless a rule below one tells its columns', async (t) => {
  const body = rowsAt(
    [
      ['whole', '11', '0.5'],
      ['skimmed', '12', '0.1'],
      ['sour', '13', '0.2'],
    ],
    640,
  );
  const head =
    at(190, 694, 'Milk of farms') +
    at(200, 668, 'Count of') +
    at(200, 656, 'bottles') +
    at(50, 656, 'Kind') +
    at(350, 656, 'Fat');
  const rules = [708, 650, 600].map((y) => line(45, y, 500, y)).join('') + line(190, 684, 400, 684);
  t.equal(
    (await read([rules + head + body])).text,
    table([
      '| Kind | Milk of farms | |',
      '| | Count of bottles | Fat |',
      '| whole | 11 | 0.5 |',
      '| skimmed | 12 | 0.1 |',
      '| sour | 13 | 0.2 |',
    ]),
  );
});

t.test('tables beside each other stay together, and a missing rule merges no cells', async (t) => {
  const half = (x: number, name: string) =>
    [0, 1, 2]
      .map((row) => at(x, 700 - 16 * row, `${name}${row}`) + at(x + 80, 700 - 16 * row, `${row}${row}`))
      .join('') +
    [x - 5, x + 70, x + 150].map((edge) => line(edge, 712, edge, edge === x + 70 ? 696 : 664)).join('') +
    [712, 696, 680, 664].map((y) => line(x - 5, y, x + 150, y)).join('');
  const rows = (name: string) =>
    [`| ${name}0 | 00 |`, '| - | - |', `| ${name}1 | 11 |`, `| ${name}2 | 22 |`].join('\n');
  t.equal((await read([half(50, 'a') + half(300, 'b')])).text, `${rows('a')}\n\n${rows('b')}`);
});

t.test('axes, addresses of authors and numbered code are no tables', async (t) => {
  const axes = Array.from(
    { length: 6 },
    (_, row) => at(50, 700 - 16 * row, `${60 - 10 * row}`) + at(300, 700 - 16 * row, 'reads'),
  ).join('');
  const authors = rowsAt([
    ['Ann Lee', 'Bob Ray', 'Cy Doe'],
    ['Bern', 'Rome', 'Oslo'],
    ['ann@bern.ch', 'bob@rome.it', 'cy@oslo.no'],
    ['Main 1', 'Via 2', 'Gata 3'],
    ['B', 'R', 'O'],
  ]);
  const code =
    [714, 630].map((y) => line(45, y, 500, y)).join('') +
    Array.from(
      { length: 5 },
      (_, row) => at(50, 700 - 16 * row, `${row + 1}:`) + at(90, 700 - 16 * row, `x := ${row}`),
    ).join('');
  for (const content of [axes, authors, code])
    t.notMatch((await read([content], { tables: 'markdown' })).text, /^\|/m);
});

t.test('tables under each other have columns of their own, and titles beside them', async (t) => {
  const row = (y: number, xs: readonly number[], cells: readonly string[]): string =>
    cells.map((text, index) => at(xs[index] ?? 0, y, text)).join('');
  const first = [50, 300, 400];
  const second = [50, 250, 350, 450];
  const content = [
    row(700, [50], ['Inventories consist of the following:']),
    row(676, [300, 400], ['2022', '2021']),
    row(660, first, ['Raw materials', '78,586', '54,818']),
    row(644, first, ['Finished goods', '131,081', '108,494']),
    row(628, [300, 400], ['209,667', '163,312']),
    row(590, [50, 70], ['4.', 'BALANCE SHEET']),
    row(574, [50], ['Property consists of the following:']),
    row(550, [250, 350, 450], ['2022', '2021', '2020']),
    row(534, second, ['Land', '3,426', '1,330', '1,100']),
    row(518, second, ['Buildings', '11,051', '10,623', '10,200']),
    row(502, second, ['Machinery', '66,140', '56,824', '51,900']),
    row(478, [50, 70], ['(1)', 'Without what was leased, which is shown in note 12 and in note 14.']),
    row(462, [50, 70], ['(2)', 'With what was bought in the year, less what was sold in the year.']),
  ].join('');
  const { text } = await read([content], { tables: 'markdown' });
  const tables = text.split('\n\n').filter((block) => block.startsWith('|'));
  t.same(tables, [
    [
      '| | 2022 | 2021 |',
      '| - | - | - |',
      '| Raw materials | 78,586 | 54,818 |',
      '| Finished goods | 131,081 | 108,494 |',
      '| | 209,667 | 163,312 |',
    ].join('\n'),
    [
      '| | 2022 | 2021 | 2020 |',
      '| - | - | - | - |',
      '| Land | 3,426 | 1,330 | 1,100 |',
      '| Buildings | 11,051 | 10,623 | 10,200 |',
      '| Machinery | 66,140 | 56,824 | 51,900 |',
    ].join('\n'),
  ]);
  t.match(text, /4\.\s+BALANCE SHEET/);
  t.match(text, /\(1\)\s+Without what was leased/);
});

t.test('labels that wrap are not running text beside numbers', async (t) => {
  const rows = [
    ['Years', '2022', '2021'],
    ['Net income of the year', '99,803', '94,680'],
    ['Change in foreign currency', '', ''],
    ['translation, net of tax of it', '(1,511)', '501'],
    ['Change in unrealized gains and', '', ''],
    ['losses on instruments held', '3,212', '32'],
    ['Adjustment for net gains', '', ''],
    ['realized and included in it', '(1,074)', '1,003'],
  ];
  const { text } = await read([rowsAt(rows, 700, 12)], { tables: 'markdown' });
  t.match(text, /translation, net of tax of it \| \(1,511\) \| 501 \|/);
});

t.test('rows keep labels that are at the left of the rules of their numbers', async (t) => {
  const rule = (y: number): string => line(300, y, 500, y);
  const rows = (y: number, cells: readonly (readonly string[])[]): string =>
    cells
      .flatMap((texts, index) =>
        texts.map((text, column) => at([50, 310, 420][column] ?? 0, y - 14 * index, text)),
      )
      .join('');
  const content = [
    rows(700, [
      ['', '2022', '2021'],
      ['Realized gains', '8', '6'],
      ['Realized losses', '7', '5'],
      ['Net', '1', '1'],
    ]),
    rule(697),
    at(50, 620, 'Property is stated at its cost, less what it has lost since it was bought.'),
    rows(580, [
      ['', '2022', '2021'],
      ['Land', '9,770', '7,150'],
      ['Equipment', '18,417', '14,213'],
      ['Other', '334', '304'],
    ]),
    rule(577),
  ].join('');
  const { text } = await read([content], { tables: 'markdown' });
  for (const row of ['| Realized gains | 8 | 6 |', '| Net | 1 | 1 |', '| Equipment | 18,417 | 14,213 |'])
    t.ok(text.includes(row), row);
});
