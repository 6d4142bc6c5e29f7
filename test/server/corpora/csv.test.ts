import fc from 'fast-check';
import papaparse from 'papaparse';
import t from 'tap';
import { CsvRecords } from '../../../server/corpora/formats/csv.ts';
import { failureOf, memoryStorage, readPath, shown } from './memory-storage.ts';

const CELLS = [
  ...['', 'a', 'é👍🏽', 'two words', 'x,y', 'semi;colon', 'ta\tb'],
  ...['"', '""', 'say "hi"', 'l1\nl2', 'l1\r\nl2', "5' 3"],
];

const quotedCell = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
/** As a writer does that quotes only what must be. */
const sparingly = (cell: string, delimiter: string) =>
  /["\r\n]/.test(cell) || cell.includes(delimiter) ? quotedCell(cell) : cell;

const anyTable = fc.record({
  columns: fc.integer({ min: 2, max: 5 }),
  cells: fc.array(fc.constantFrom(...CELLS), { maxLength: 60 }),
  delimiter: fc.constantFrom(',', ';', '\t', '|'),
  end: fc.constantFrom('\n', '\r\n'),
  quotesAll: fc.boolean(),
  isEnded: fc.boolean(),
  mark: fc.constantFrom('', '\ufeff'),
  block: fc.constantFrom(1, 2, 3, 17, 1000),
});

type AnyTable = typeof anyTable extends fc.Arbitrary<infer Table> ? Table : never;

t.test('rows are those that papaparse reads, however they are written and cut', async () => {
  const property = async ({ columns, cells, delimiter, end, quotesAll, isEnded, mark, block }: AnyTable) => {
    const header = Array.from({ length: columns }, (_, index) => `c${index}`);
    const rows = Array.from({ length: Math.floor(cells.length / columns) }, (_, row) =>
      cells.slice(row * columns, (row + 1) * columns),
    );
    const write = (cell: string) => (quotesAll ? quotedCell(cell) : sparingly(cell, delimiter));
    const records = [header, ...rows].map((row) => row.map(write).join(delimiter)).join(end);
    const text = records + (isEnded ? end : '');
    const fields = { text: 'c0', metadata: header };
    const lines = await readPath(memoryStorage({ 'a.csv': mark + text }, block), 'a.csv', 'csv', { fields });
    const found = JSON.stringify(lines.map((line) => (shown(line) as { metadata?: object }).metadata));
    const { data } = papaparse.parse(text, { header: true, delimiter, skipEmptyLines: true });
    if (found !== JSON.stringify(data)) {
      throw new Error(`${JSON.stringify(text)}: ${found}, not ${JSON.stringify(data)}`);
    }
  };
  await fc.assert(fc.asyncProperty(anyTable, property), { numRuns: 150 });
});

t.test('columns that are called like members of a document are them, all others metadata', async (t) => {
  const text = 'year,id,text,filename,title,\n2020,7,"A, b",f.md,T,last\n,,no id,,,\n';
  const lines = await readPath(memoryStorage({ 'a.csv': text }), 'a.csv', 'csv');
  t.same(lines.map(shown), [
    { id: '7', title: 'T', filename: 'f.md', metadata: { year: '2020', column_6: 'last' }, text: 'A, b' },
    { metadata: { year: '', column_6: '' }, text: 'no id' },
  ]);
  const places = [29, 55].map((byte, row) => ({ source: 'a.csv', byte, row }));
  const found = lines.map(({ place }) => place);
  t.same(found, places);
});

t.test('what is wrong with one row keeps no other from being read', async (t) => {
  const long = '7,long '.padEnd(60, 'x');
  const rows = ['id,text', '1,one', '2', '3,a,b', '4,"x"y', '5,5" pipe', '6,"a\nb"', long, '8,last'];
  const latin = Buffer.from(`${rows.join('\n')}\n9,\u00e9\n10,"open\n1,2`, 'latin1');
  const lines = await readPath(memoryStorage({ 'a.csv': latin }, 7), 'a.csv', 'csv', { limit: 40 });
  t.match(lines.map(shown), [
    { id: '1', text: 'one' },
    'invalid_parameters: the row has 1 fields, but the header 2.',
    'invalid_parameters: the row has 3 fields, but the header 2.',
    'invalid_parameters: the row has a quoted field that does not end with its closing quote.',
    { id: '5', text: '5" pipe' },
    { id: '6', text: 'a\nb' },
    /line_too_large: The row is longer than the limit of 40 bytes/,
    { id: '8', text: 'last' },
    'invalid_parameters: the row is not valid UTF-8.',
    'invalid_parameters: the row has a quoted field that does not end with its closing quote.',
  ]);
});

t.test('a header that cannot be one is an error of the file', async (t) => {
  const failure = (bytes: Buffer | string) =>
    failureOf(readPath(memoryStorage({ 'a.csv': bytes }), 'a.csv', 'csv', { limit: 100 }));
  const twice = await failure('id,text,id\n1,2,3');
  t.match(twice, /source_unreadable: a.csv cannot be read: its header has the column id twice/);
  t.match(await failure(Buffer.from('\ufeffid,text\n1,a', 'utf16le')), /it is UTF-16: save it as UTF-8/);
  t.match(await failure(`${'x'.repeat(200)}\n1`), /its header exceeds the limit/);
  const other = await readPath(memoryStorage({ 'a.csv': 'id,body\n1,a\n2,b' }), 'a.csv', 'csv');
  t.match(other.map(shown), [
    /there is no column text; the columns are id, body; name the one .*source\.fields\.text/,
  ]);
  t.match(await failure('"id,text\n1,2'), /its header is not valid CSV/);
  const wide = readPath(memoryStorage({ 'a.csv': `text${',c'.repeat(10_000)}` }), 'a.csv', 'csv');
  t.match(await failureOf(wide), /its header has 10001 columns, over the limit of 10000/);
  t.same(await readPath(memoryStorage({ 'a.csv': '' }), 'a.csv', 'csv'), []);
});

t.test('of a record that is too long, no more than the limit is kept', async (t) => {
  const records = new CsvRecords(1000, [0x2c]);
  let [most, taken] = [0, 0];
  const piece = Buffer.from('"a""b",'.repeat(10));
  for (let index = 0; index < 2000; index++) {
    records.add(index === 0 ? Buffer.from('"open ""') : piece);
    while (records.take(false) !== undefined) taken++;
    most = Math.max(most, records.kept);
  }
  t.equal(taken, 0);
  t.ok(most <= 1100, `${most} bytes`);
  t.equal(records.take(true)?.content, undefined);
});

t.test('no stretch of a record is searched again and again', async (t) => {
  const search = Buffer.prototype.indexOf;
  t.teardown(() => {
    Buffer.prototype.indexOf = search;
  });
  let searched = 0;
  Buffer.prototype.indexOf = function indexOf(this: Buffer, value: string | number | Uint8Array, from = 0) {
    const found = search.call(this, value, from as number);
    searched += (found === -1 ? this.length : found) - Number(from);
    return found;
  };
  for (const shape of ['"a",', 'a"b,', '"a""b",', '"a\n",', '"a",\n']) {
    const text = shape.repeat(10_000);
    searched = 0;
    await readPath(memoryStorage({ 'a.csv': `c0,text\n${text}` }, 50_000), 'a.csv', 'csv');
    t.ok(searched < 20 * text.length, `${JSON.stringify(shape)}: ${searched} bytes of ${text.length}`);
  }
});

t.test('a first line for Excel names the delimiter, and is no header', async (t) => {
  const rowsOf = async (name: string, text: string, block = 1000) => {
    const lines = await readPath(memoryStorage({ [name]: text }, block), name, 'csv');
    return lines.map((line) => shown(line) as { text: string; metadata?: object });
  };
  for (const mark of ['', '\ufeff'])
    for (const end of ['\n', '\r\n'])
      for (const block of [1, 3, 1000])
        for (const [first, delimiter] of [
          ['sep=;', ';'],
          ['SEP=|', '|'],
          ['"sep=;"', ';'],
          ['sep=;;;', ';'],
          ['sep=^ ', '^'],
          ['sep=\t', '\t'],
        ] as const) {
          const records = [
            ['id', 'text'],
            ['1', `"a${delimiter}b"`],
          ].map((row) => row.join(delimiter));
          const text = `${mark}${[first, ...records].join(end)}${end}`;
          t.same(await rowsOf('a.csv', text, block), [{ id: '1', text: `a${delimiter}b` }], text);
        }
  t.same(await rowsOf('a.csv', 'sep=;\ntext;a,b,c\nx;1\n'), [{ text: 'x', metadata: { 'a,b,c': '1' } }]);
  t.same(await rowsOf('a.tsv', 'sep=;\ntext\ta\nx\t1\n'), [{ text: 'x', metadata: { a: '1' } }]);
  t.same(await rowsOf('a.csv', 'text,a\nsep=;,1\n'), [{ text: 'sep=;', metadata: { a: '1' } }], 'only first');
  t.same(await rowsOf('a.csv', 'sep=;x,text\n1,2\n'), [{ text: '2', metadata: { 'sep=;x': '1' } }]);
});
