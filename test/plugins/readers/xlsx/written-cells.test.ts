import t from 'tap';
import createReader from '../../../../plugins/readers/xlsx/index.ts';
import { PLAIN, readPlainCell } from '../../../../plugins/readers/xlsx/plain-cell.ts';
import { workbookOf } from '../../toolkit/office/office-files.ts';
import { readAndReports } from '../office.ts';

/** Ways to write the cells B1, C1 and D1 with 5, `a & b` and TRUE. */
const WAYS = [
  '<c r="B1"><v>5</v></c><c r="C1" t="str"><v>a &amp; b</v></c><c r="D1" t="b"><v>1</v></c>',
  "<c r='B1'><v>5</v></c><c t='str' r='C1'><v>a &#38; b</v></c><c t='b' r='D1'><v>1</v></c>",
  '<c  r="B1" s="0" ><v >5</v></c ><c r="C1" t="str"><v><![CDATA[a & b]]></v></c>\n<c t="b"><v>1</v></c>',
  '<c r="B1"><f>2+3</f><v>5</v></c><c r="C1" t="str"><f t="shared" si="0"/><v>a &amp; b</v></c><c r="D1" t="b" x="y"><v>1</v></c>',
  '<x:c r="B1"><x:v>5</x:v></x:c><c r="C1" t="inlineStr"><is><t>a &amp; b</t></is></c><c r="D1" t="b"><v><!-- -->1</v></c>',
  '<c r="A1"/><c r="B1"><v>5</v></c><c r="C1" t="str"><v>a &amp; b</v></c><c t="b"><v>1</v></c><c r="E1"></c>',
];

t.test('a cell has the same text in whatever way it is written', async (t) => {
  for (const cells of WAYS) {
    const rows = `<row xmlns:x="x" r="1">${cells}</row>`;
    const { file } = await readAndReports(createReader as never, workbookOf([{ name: 'S', rows }]));
    t.equal(file.text, '## S\n\n| 5 | a & b | TRUE |\n| - | - | - |', cells);
  }
});

t.test('a plain cell is read where it stands, and others are left to the reader of XML', async (t) => {
  const read = (xml: string) =>
    readPlainCell(`<row>${xml}`, 5) === 5 + xml.length ? { ...PLAIN } : undefined;
  t.same(read('<c r="XFD9" s="12" t="s"><v>3</v></c>'), {
    type: 's',
    style: 12,
    column: 16_384,
    written: '3',
  });
  t.same(read('<c s="1"><v>1.5</v></c>'), { type: 'n', style: 1, column: 0, written: '1.5' });
  t.same(read('<c r="B2" s="1"/>'), { type: 'n', style: 1, column: 2, written: '' });
  t.same(read('<c r="B2"><f>A1</f><v>1</v></c>'), { type: 'n', style: 0, column: 2, written: '1' });
  const others = ['<c r="B2"><v>a&amp;b</v></c>', '<c r="B2"><f>A1</f></c>', '<c r="2"/>', '<c r="B"/>'];
  for (const xml of [...others, '<col/>', '<c/>', '<c r="B2" t="x"/>', '<c r="B2"><v>1', '<c r="B2"'])
    t.equal(read(xml), undefined, xml);
});
