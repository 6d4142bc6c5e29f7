import t from 'tap';
import createReader from '../../../../plugins/readers/docx/index.ts';
import { readWith } from '../reading.ts';
import { docxOf, paragraph, run } from './support/docx.ts';

const textOf = async (body: string) => (await readWith(createReader, docxOf(body))).text;

const mark = (type: string, inner = ''): string =>
  `<w:r><w:fldChar w:fldCharType="${type}">${inner}</w:fldChar></w:r>`;
const choice = (properties: string): string =>
  `<w:ffData><w:ddList>${properties}<w:listEntry w:val="RED"/><w:listEntry w:val="B&amp;W"/></w:ddList></w:ffData>`;
const field = (data: string, result = ''): string =>
  `${mark('begin', data)}<w:r><w:instrText> FORM </w:instrText></w:r>${result}${mark('end')}`;

t.test('old form fields have their choice, once', async (t) => {
  for (const [inner, text] of [
    [field(choice('<w:result w:val="1"/>')), 'B&W'],
    [field(choice('<w:default w:val="1"/>')), 'B&W'],
    [field(choice('')), 'RED'],
    [field(choice('<w:result w:val="7"/>')), ''],
    [field(choice('<w:result w:val="1"/>'), mark('separate') + run('B&amp;W')), 'B&W'],
    [field(choice('<w:result w:val="1"/>'), mark('separate')), 'B&W'],
    [field(choice('')) + run(' or ') + field(choice('<w:result w:val="1"/>')), 'RED or B&W'],
    [field('<w:ffData><w:textInput/></w:ffData>', mark('separate') + run('Ada')), 'Ada'],
  ] as const)
    t.equal(await textOf(`<w:p>${run('Pick: ')}${inner}</w:p>`), `Pick: ${text}`.trim());
});

t.test('a row that skips columns keeps its cells below their heads', async (t) => {
  const row = (skipped: number, ...cells: readonly string[]): string => {
    const before = skipped === 0 ? '' : `<w:trPr><w:cantSplit/><w:gridBefore w:val="${skipped}"/></w:trPr>`;
    return `<w:tr>${before}${cells.map((text) => `<w:tc>${paragraph(text)}</w:tc>`).join('')}</w:tr>`;
  };
  const rows = [row(0, 'A', 'B', 'C'), row(1, 'b', ''), row(2, 'c'), row(2, ''), row(0, '', 'b')];
  t.equal(
    await textOf(`<w:tbl>${rows.join('')}</w:tbl>`),
    '| A | B | C |\n| - | - | - |\n|  | b | |\n|  |  | c |\n| | b |',
  );
});

t.test('formulas keep numbers, binomials and accents apart', async (t) => {
  const r = (text: string): string => `<m:r><m:t>${text}</m:t></m:r>`;
  const fraction = (above: string, below: string, properties = ''): string =>
    `<m:f>${properties}<m:num>${r(above)}</m:num><m:den>${r(below)}</m:den></m:f>`;
  const accent = (name: string, properties: string, base: string): string =>
    `<m:${name}><m:${name}Pr>${properties}</m:${name}Pr><m:e>${r(base)}</m:e></m:${name}>`;
  for (const [omml, text] of [
    [r('3') + fraction('1', '2') + fraction('a', 'b'), '3 1/2 a/b'],
    [fraction('n', 'k', '<m:fPr><m:type m:val="noBar"/></m:fPr>'), 'n¦k'],
    [fraction('1', '2', '<m:fPr><m:type m:val="skw"/></m:fPr>'), '1/2'],
    [accent('acc', '', 'x') + accent('acc', '<m:chr m:val="&#x303;"/>', 'y'), 'x\u0302y\u0303'],
    [accent('bar', '<m:pos m:val="top"/>', 'x'), 'x\u0305'],
    [`<m:limUpp><m:e>${r('=')}</m:e><m:lim>${r('def')}</m:lim></m:limUpp>`, '=^def'],
    [r('a&lt;b'), 'a<b'],
  ] as const)
    t.equal(await textOf(`<w:p><m:oMath>${omml}</m:oMath></w:p>`), text);
});

t.test('no-break spaces are spaces, and names of files describe no picture', async (t) => {
  const picture = (text: string): string =>
    `<w:r><w:drawing><wp:inline><wp:docPr id="1" name="P" descr="${text}"/></wp:inline></w:drawing></w:r>`;
  for (const name of ['C:\\Users\\ada\\My cup.png', 'image1.jpeg', 'file:///tmp/x', '\\\\host\\x.bmp'])
    t.match(await readWith(createReader, docxOf(`<w:p>${run('a\u00a0b ')}${picture(name)}</w:p>`)), {
      text: 'a b',
      leftOut: { picture_name: 1 },
    });
  t.equal(await textOf(`<w:p>${picture('A cup.')}</w:p>`), '![A cup.]()');
});
