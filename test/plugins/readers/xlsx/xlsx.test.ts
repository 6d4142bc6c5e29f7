import t from 'tap';
import createReader from '../../../../plugins/readers/xlsx/index.ts';
import { cellBounds } from '../../../../server/engine/answer/places.ts';
import { problemOfPlaces } from '../../../../server/engine/read/places.ts';
import { between, createRandom } from '../../../support/random.ts';
import { columnName, escapeXml, HOSTILE_WORKBOOKS, workbookOf } from '../../toolkit/office/office-files.ts';
import { cellsIn, checkMutated, readAndReports, samplesOf, shareOfWords } from '../office.ts';
import { placed, readWith } from '../reading.ts';

const read = (bytes: Uint8Array) => readWith(createReader, bytes);
const inline = (ref: string, text: string) =>
  `<c r="${ref}" t="inlineStr"><is><t>${escapeXml(text)}</t></is></c>`;

for (const { name, bytes, expected } of samplesOf('xlsx'))
  t.test(`${name} has the cells that docling finds`, async (t) => {
    const { text, places = [] } = await read(bytes);
    t.equal(problemOfPlaces(places, text), undefined);
    // Charts of sheets are not read, and dates have no time at midnight.
    const tables = expected
      .replaceAll(' 00:00:00', '')
      .replace(/<!-- image -->(?!\n\n##)[\s\S]*?(?=\n\n\| |$)/g, '')
      // The format of these numbers of paragraphs is `1.00`, with hundredths: 1.01, 1.02.
      .replace(/^\| (?:[1-9]|1[0-4]) \|$/gm, '| |');
    const share = shareOfWords(tables.replace(/^## .* Chart\n\n.*/m, ''), repeatMerged(text, tables));
    t.ok(share >= 0.98, `${share}`);
    const found = cellsIn(text);
    t.same(
      [...cellsIn(tables)].filter(
        (cell) => !found.has(cell) && !/^\d+\.\d+$/.test(cell) && !text.includes(`\n${cell}\n`),
      ),
      [],
    );
  });

/** docling repeats the text of a merged cell in each cell that it covers. */
function repeatMerged(text: string, expected: string): string {
  const found = cellsIn(text);
  const again = expected.split('\n').flatMap((line) => line.split('|').map((cell) => cell.trim()));
  return `${text} ${again.filter((cell) => found.has(cell)).join(' ')}`;
}

const STYLES = `<numFmts>${[
  'yyyy\\-mm\\-dd',
  '[h]:mm',
  '0.0%',
  '[Red]0.00" days"',
  'General',
  '[$-409]h:mm AM/PM',
]
  .map((code, at) => `<numFmt numFmtId="${164 + at}" formatCode="${escapeXml(code)}"/>`)
  .join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${[
  0, 164, 165, 166, 167, 168, 169, 14, 9,
]
  .map((id) => `<xf numFmtId="${id}"/>`)
  .join('')}</cellXfs>`;

t.test('values have the text that they mean', async (t) => {
  const cases: readonly (readonly [cell: string, text: string, from1904?: boolean])[] = [
    ['<c><v>0.30000000000000004</v></c>', '0.3'],
    ['<c><v>12345678901234567</v></c>', '12345678901234567'],
    ['<c s="1"><v>45000</v></c>', '2023-03-15'],
    ['<c s="1"><v>45000.75</v></c>', '2023-03-15 18:00:00'],
    ['<c s="1"><v>60</v></c>', '1900-02-29'],
    ['<c s="1"><v>59</v></c>', '1900-02-28'],
    ['<c s="1"><v>61</v></c>', '1900-03-01'],
    ['<c s="1"><v>-3.1</v></c>', '-3.1'],
    ['<c s="7"><v>10</v></c>', '1904-01-11', true],
    ['<c s="2"><v>1.5</v></c>', '36:00:00'],
    ['<c s="2"><v>-0.5</v></c>', '-12:00:00'],
    ['<c s="6"><v>0.5</v></c>', '12:00:00'],
    ['<c s="3"><v>0.07</v></c>', '7.0%'],
    ['<c s="8"><v>0.256</v></c>', '26%'],
    ['<c s="4"><v>5</v></c>', '5.00 days'],
    ['<c s="5"><v>1E3</v></c>', '1000'],
    ['<c t="b"><v>1</v></c>', 'TRUE'],
    ['<c t="b"><v>0</v></c>', 'FALSE'],
    ['<c t="e"><v>#DIV/0!</v></c>', '#DIV/0!'],
    ['<c t="d"><v>2024-02-03</v></c>', '2024-02-03'],
    ['<c><f>SUM(A1:A9)</f><v>45</v></c>', '45'],
    ['<c t="str"><f>A1</f><v>a&amp;b</v></c>', 'a&b'],
    ['<c t="s"><v>0</v></c>', 'red and blue'],
    ['<c t="s"><v>1</v></c>', '東京'],
    ['<c t="s"><v>2</v></c>', 'one two \\| three 😀'],
  ];
  const strings = `<si><r><t>red</t></r><r><rPr><b/></rPr><t xml:space="preserve"> and blue</t></r></si>
    <si><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></si><si><t>one_x000D_&#10;two | three &#128512;</t></si>`;
  for (const [cell, expected, from1904 = false] of cases) {
    const rows = `<row r="1">${cell}</row>`;
    const { text } = await read(workbookOf([{ name: 'S', rows }], { strings, styles: STYLES, from1904 }));
    t.equal(text, `## S\n\n${expected}`, cell);
  }
});

t.test('blocks of rows are tables, columns without text are left out, hidden sheets are said', async (t) => {
  const rows = `<row r="2">${inline('B2', 'a')}${inline('D2', 'b')}</row><row r="3">${inline('D3', 'c')}</row>
    <row r="4"><c r="A4"/></row><row r="6">${inline('C6', 'd')}</row>`;
  const { file, reports } = await readAndReports(
    createReader as never,
    workbookOf([
      { name: 'First & last', rows },
      { name: 'Empty', rows: '', state: 'hidden' },
      { name: 'Hidden', rows: `<row>${inline('A1', 'e')}</row>`, state: 'veryHidden' },
    ]),
  );
  t.equal(file.text, '## First & last\n\n| a | b |\n| - | - |\n| | c |\n\nd\n\n## Hidden\n\ne');
  t.same(placed(file), [
    ['First & last', { sheet: 'First & last' }],
    ['| a | b |', { sheet: 'First & last', cells: 'B2:D2' }],
    ['| | c |', { sheet: 'First & last', cells: 'D3' }],
    ['d', { sheet: 'First & last', cells: 'C6' }],
    ['Hidden', { sheet: 'Hidden' }],
    ['e', { sheet: 'Hidden', cells: 'A1' }],
  ]);
  t.same(reports, { 'hidden-sheets': '1' });
  t.equal(file.mediaType, 'text/markdown');
});

t.test('each cell is in the row whose place covers it, wherever cells are', async (t) => {
  const random = createRandom(11);
  for (let round = 0; round < 60; round++) {
    const spread = [4, 40, 16_384][round % 3] as number;
    const cells: { row: number; column: number; text: string }[] = [];
    let row = 0;
    for (let count = between(random, 1, 30); count > 0; count--) {
      row += between(random, 1, 3);
      const columns = Array.from({ length: between(random, 1, 6) }, () => between(random, 1, spread));
      for (const column of [...new Set(columns)].sort((a, b) => a - b))
        cells.push({ row, column, text: `t${row}x${column}` });
    }
    const rows = Map.groupBy(cells, (cell) => cell.row);
    const xml = [...rows].map(([at, own]) => {
      return `<row r="${at}">${own.map(({ column, text }) => inline(`${columnName(column)}${at}`, text)).join('')}</row>`;
    });
    const { text, places = [] } = await read(workbookOf([{ name: 'S', rows: xml.join('') }]));
    const ofCells = places.filter((place) => place.cells !== undefined);
    t.equal(problemOfPlaces(places, text), undefined);
    t.equal(ofCells.length, rows.size);
    for (const { row: at, column, text: own } of cells) {
      const found = ofCells.filter(({ cells: range = '' }) => {
        const [left, top, right, bottom] = cellBounds(range);
        return left <= column && column <= right && top <= at && at <= bottom;
      });
      const [place] = found;
      const line = place && text.slice(place.start, place.end);
      if (found.length !== 1 || !line?.split(' | ').some((one) => one.replace(/[| ]/g, '') === own))
        t.fail(`${own} in ${line}`);
    }
    for (const table of text.split('\n\n').slice(1)) {
      const widths = table.split('\n').map((line) => line.split('|').length);
      t.equal(new Set(widths).size, 1, 'rows of a table have one width');
    }
  }
});

t.test('a column that begins late begins another table, so that rows need not wait', async (t) => {
  const rows = Array.from(
    { length: 10_001 },
    (_, at) => `<row><c><v>1</v></c>${at === 10_000 ? '<c><v>2</v></c>' : ''}</row>`,
  );
  const { text, places = [] } = await read(workbookOf([{ name: 'S', rows: rows.join('') }]));
  t.ok(text.endsWith('| 1 |\n\n| 1 | 2 |\n| - | - |'));
  t.equal(places.at(-1)?.cells, 'A10001:B10001');
});

t.test('what is not a workbook is refused', async (t) => {
  const broken: readonly (readonly [bytes: Buffer, message: RegExp])[] = [
    [Buffer.from('a,b'), /not a zip/],
    [workbookOf([{ name: 'S', rows: '<row><c t="s"><v>7</v></c></row>' }]), /damaged/],
    ...['1048577', '1.5', '0', '-1', '1e1', '0x1', ' 1', '', 'A', 'NaN', 'Infinity', '1.0'].map(
      (row) =>
        [workbookOf([{ name: 'S', rows: `<row r="${row}">${inline('A1', 'a')}</row>` }]), /damaged/] as const,
    ),
    [workbookOf([{ name: 'S', rows: '<row><c r="XFE1"/></row>' }]), /damaged/],
    [workbookOf([{ name: 'S', rows: '<row>' }]), /not XML/],
  ];
  for (const [bytes, message] of broken) await t.rejects(read(bytes), { statusCode: 400, message });
});

t.test('damaged workbooks are read or refused', async (t) => {
  const rows = `<row>${inline('A1', 'a')}<c r="B1" t="s"><v>0</v></c></row>`;
  const bytes = workbookOf([{ name: 'S', rows }], { strings: '<si><t>b</t></si>', styles: STYLES });
  await checkMutated(t, createReader, bytes, 500);
});

t.test('hostile workbooks are refused, or read to a text of bounded length', async (t) => {
  for (const [name, make] of Object.entries(HOSTILE_WORKBOOKS)) {
    const bytes = make();
    const outcome = await read(bytes).catch((error) => error);
    if (outcome instanceof Error) t.match(outcome, { statusCode: 400 }, name);
    else t.ok(outcome.text.length < 8_000_000, `${name}: ${outcome.text.length}`);
  }
});
