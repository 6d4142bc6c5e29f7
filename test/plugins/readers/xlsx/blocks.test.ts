import t from 'tap';
import createReader from '../../../../plugins/readers/xlsx/index.ts';
import { problemOfPlaces } from '../../../../server/engine/read/places.ts';
import { columnName, escapeXml, officeFileOf, workbookOf } from '../../toolkit/office/office-files.ts';
import { readAndReports } from '../office.ts';
import { placed } from '../reading.ts';

type Cell = string | number | undefined;

const read = (bytes: Buffer) => readAndReports(createReader as never, bytes);
const cellOf = (value: Cell, ref: string): string =>
  typeof value === 'number'
    ? `<c r="${ref}"><v>${value}</v></c>`
    : `<c r="${ref}" t="inlineStr"><is><t>${escapeXml(value ?? '')}</t></is></c>`;
/** Rows of cells; an empty list is a blank row. */
const rowsOf = (...rows: readonly (readonly Cell[])[]): string =>
  rows
    .map((cells, y) => {
      const all = cells.map((value, x) =>
        value === undefined ? '' : cellOf(value, `${columnName(x + 1)}${y + 1}`),
      );
      return `<row r="${y + 1}">${all.join('')}</row>`;
    })
    .join('');
const textOf = async (...rows: readonly (readonly Cell[])[]) => {
  const { file } = await read(workbookOf([{ name: 'S', rows: rowsOf(...rows) }]));
  t.equal(problemOfPlaces(file.places ?? [], file.text), undefined);
  return file.text.replace(/^## S\n\n/, '');
};

const TABLE = '| Region | Sum |\n| - | - |\n| North | 5 |\n| South | 7 |';
const ROWS = [
  ['Region', 'Sum'],
  ['North', 5],
  ['South', 7],
] as const;

t.test('titles are paragraphs above their table', async (t) => {
  t.equal(await textOf(['Sales 2024'], ...ROWS), `Sales 2024\n\n${TABLE}`);
  t.equal(await textOf(['Sales'], ['in EUR'], ...ROWS), `Sales\n\nin EUR\n\n${TABLE}`);
  t.equal(await textOf(['Sales'], [], ...ROWS), `Sales\n\n${TABLE}`);
  t.equal(await textOf(['Sales'], [], [], ['in EUR'], [], ...ROWS), `Sales\n\nin EUR\n\n${TABLE}`);
  t.equal(await textOf(['Sales'], ['in EUR'], [], ...ROWS), `Sales\n\nin EUR\n\n${TABLE}`);
  t.equal(await textOf([2024], ...ROWS), `2024\n\n${TABLE}`);
  t.equal(await textOf(['# Sales'], ...ROWS), `\\# Sales\n\n${TABLE}`);
  t.equal(
    await textOf(
      ['Sales', undefined, undefined],
      [undefined, 'Region', 'Sum'],
      [undefined, 'North', 5],
      [undefined, 'South', 7],
    ),
    `Sales\n\n${TABLE}`,
    'a title beside the columns adds none',
  );
  t.equal(await textOf(['a'], ['b', 'c']), 'a\n\n| b | c |\n| - | - |');
  t.equal(await textOf(['T1'], ...ROWS, [], ['T2'], ...ROWS), `T1\n\n${TABLE}\n\nT2\n\n${TABLE}`);
});

t.test('rows of a list are no titles, and neither are notes below a table', async (t) => {
  t.equal(await textOf(['Name'], ['Ann'], ['Bo']), '| Name |\n| - |\n| Ann |\n| Bo |');
  t.equal(
    await textOf(['Name'], ['Ann'], ['Bo', 'late'], ['Cy']),
    '| Name | |\n| - | - |\n| Ann | |\n| Bo | late |\n| Cy | |',
  );
  const names = ['Name', 'Ann', 'Bo', 'Cy', 'Di', 'Ed'].map((name) => [name]);
  t.match(await textOf(...names, ['Flo', 'late'], ['Gus', 'late']), /^\| Name \| \|\n\| - \| - \|\n\| Ann/);
  t.equal(
    await textOf(['Name'], ['Ann'], [], ['Bo'], ['Cy']),
    '| Name |\n| - |\n| Ann |\n\n| Bo |\n| - |\n| Cy |',
  );
  t.equal(await textOf(...ROWS, ['Source: us']), `${TABLE}\n| Source: us | |`);
});

t.test('rows below a blank one go on below the head, if they are data', async (t) => {
  t.equal(await textOf(...ROWS, [], ['Total', 12]), `${TABLE}\n| Total | 12 |`);
  t.equal(await textOf(ROWS[0], [], ...ROWS.slice(1)), TABLE);
  t.equal(await textOf(['Sales'], [], ROWS[0], [], ...ROWS.slice(1)), `Sales\n\n${TABLE}`);
  t.equal(
    await textOf(...ROWS, [], [], ['Total', 12]),
    `${TABLE}\n\n| Total | 12 |\n| - | - |`,
    'two blank rows part tables',
  );
  t.equal(
    await textOf(...ROWS, [], ['Name', 'Age'], ['Ann', 5]),
    `${TABLE}\n\n| Name | Age |\n| - | - |\n| Ann | 5 |`,
  );
  t.equal(
    await textOf(...ROWS, [], ['Total', 12, 3]),
    `${TABLE}\n\n| Total | 12 | 3 |\n| - | - | - |`,
    'another column is another table',
  );
  const years = [
    ['Cost', 2023, 2024],
    ['Rent', 1, 2],
  ] as const;
  t.equal(
    await textOf(...years, [], ['Gain', 2023, 2024]),
    '| Cost | 2023 | 2024 |\n| - | - | - |\n| Rent | 1 | 2 |\n\n| Gain | 2023 | 2024 |\n| - | - | - |',
    'a head of numbers may be followed by another one',
  );
});

t.test('titles and rows have their places', async (t) => {
  const { file } = await read(workbookOf([{ name: 'S', rows: rowsOf(['Sales'], ...ROWS) }]));
  t.same(placed(file).slice(1, 3), [
    ['Sales', { sheet: 'S', cells: 'A1' }],
    ['| Region | Sum |', { sheet: 'S', cells: 'A2:B2' }],
  ]);
});

t.test('formulas without a saved value are written, and counted', async (t) => {
  const formula = (inner: string, more = ''): string =>
    `<row>${cellOf('k', 'A1')}<c${more}>${inner}</c></row>`;
  const cases = [
    ['<f>SUM(A1:A2)</f>', '=SUM(A1:A2)'],
    ['<f>SUM(A1:A2)</f><v></v>', '=SUM(A1:A2)'],
    ['<f>IF(A1&gt;1,"a|b","c")</f><v/>', '=IF(A1>1,"a\\|b","c")'],
    ['<f>A1</f><v>5</v>', '5'],
    ['<f>A1</f><v>0</v>', '0'],
    ['<f t="shared" si="0"/>', ''],
    ['<f t="shared" si="0"/><v>7</v>', '7'],
  ] as const;
  const rows = [
    rowsOf(['k', 'v']),
    ...cases.map(([inner]) => formula(inner)),
    formula('<f>A1</f><v></v>', ' t="str"'),
  ];
  const { file, reports } = await read(workbookOf([{ name: 'S', rows: rows.join('') }]));
  const cells = file.text
    .split('\n')
    .slice(4)
    .map((line) => line.split(' | ')[1]?.replace(/ ?\|$/, ''));
  t.same(
    cells.slice(0, -1).map((cell = '') => cell),
    cases.map(([, text]) => text),
  );
  t.equal(cells.at(-1) ?? '', '', 'a formula may give an empty text');
  t.same(reports, { 'formulas-without-value': '4' });
  t.same(file.leftOut, { formula_value: 4 });
  const saved = await read(workbookOf([{ name: 'S', rows: formula('<f>A1</f><v>1</v>') }]));
  t.same([saved.reports, saved.file.leftOut], [{}, {}]);
  const alone = await read(workbookOf([{ name: 'S', rows: '<row><c><f t="shared" si="0"/></c></row>' }]));
  t.same([alone.file.text, alone.reports], ['', { 'formulas-without-value': '1' }]);
});

t.test('comments, charts and text boxes are counted', async (t) => {
  const { file } = await read(
    officeFileOf('xl/workbook.xml', {
      'xl/workbook.xml': '<workbook/>',
      'xl/comments1.xml':
        '<comments><commentList><comment ref="A1"/><comment ref="A2"/></commentList></comments>',
      'xl/charts/chart1.xml': '<c:chartSpace><c:plotArea></c:plotArea></c:chartSpace>',
      'xl/drawings/drawing1.xml': '<xdr:wsDr><xdr:sp><xdr:txBody></xdr:txBody></xdr:sp></xdr:wsDr>',
    }),
  );
  t.same(file.leftOut, { comment: 2, chart: 1, text_box: 1 });
});
