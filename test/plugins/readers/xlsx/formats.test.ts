import t from 'tap';
import createReader from '../../../../plugins/readers/xlsx/index.ts';
import { escapeXml, workbookOf } from '../../toolkit/office/office-files.ts';
import { readWith } from '../reading.ts';

const ACCOUNTING = '_($* #,##0.00_);_($* (#,##0.00);_($* "-"??_);_(@_)';
const SCALED = '[>=1000000]0.0,,"M";[>=1000]0.0,"K";0';
const PHONE = '[<=9999999]###-####;(###) ###-####';

/** Formats with numbers and what Excel shows, without spaces at the ends. */
const SHOWN: Readonly<Record<string, readonly (readonly [code: string, number: string, shown: string])[]>> = {
  currencies: [
    ['"$"#,##0.00', '1234.5', '$1,234.50'],
    ['"$"#,##0.00', '-1234.5', '-$1,234.50'],
    ['$#,##0;[Red]-$#,##0', '-7', '-$7'],
    ['[$€-407] #,##0.00', '1234.5', '€ 1,234.50'],
    ['#,##0.00\\ [$€-1]', '1234567.891', '1,234,567.89 €'],
    ['[$USD] #,##0', '99.5', 'USD 100'],
    ['[$-409]#,##0', '1000', '1,000'],
    ['#,##0 "руб."', '1234', '1,234 руб.'],
    [ACCOUNTING, '1234.5', '$1,234.50'],
    [ACCOUNTING, '-1234.5', '$(1,234.50)'],
    [ACCOUNTING, '0', '$-'],
  ],
  'codes of digits': [
    ['00000', '2134', '02134'],
    ['00000-0000', '21341234', '02134-1234'],
    ['000\\-00\\-0000', '12345678', '012-34-5678'],
    ['0000 0000', '12345678', '1234 5678'],
    ['00', '7', '07'],
    ['"Nr. "000', '12', 'Nr. 012'],
    [PHONE, '5551234', '555-1234'],
    [PHONE, '2065551234', '(206) 555-1234'],
    ['0', '12345678901234567', '12345678901234567'],
  ],
  'scaled numbers': [
    ['#,##0,"k"', '1234000', '1,234k'],
    ['0.0,,"M"', '1234567', '1.2M'],
    ['#,', '1234567', '1235'],
    [SCALED, '1500', '1.5K'],
    [SCALED, '2500000', '2.5M'],
    [SCALED, '7', '7'],
    [SCALED, '-7', '-7'],
  ],
  words: [
    ['"Yes";"Yes";"No"', '1', 'Yes'],
    ['"Yes";"Yes";"No"', '-1', 'Yes'],
    ['"Yes";"Yes";"No"', '0', 'No'],
    ['[=1]"one";[=2]"two";0', '2', 'two'],
    ['[=1]"one";[=2]"two";0', '3', '3'],
    ['[<0]"minus "0;0', '-7', 'minus 7'],
    ['General" units"', '3.5', '3.5 units'],
    ['0.0\\ "°C"', '-21', '-21.0 °C'],
    ['\\"0\\"', '5', '"5"'],
    ['+0;-0;0', '5', '+5'],
    ['0.0"%"', '5', '5.0%'],
  ],
  percentages: [
    ['0%', '0.653035934239184', '65%'],
    ['0.0%', '0.653035934239184', '65.3%'],
    ['+0.0%;-0.0%', '-0.123', '-12.3%'],
    ['0.0%', '-0.0001', '0.0%'],
    ['[<1]0%;0.0', '0.5', '50%'],
  ],
  'powers of ten': [
    ['0.00E+00', '1234567', '1.23E+06'],
    ['0.00E+00', '0.00012345', '1.23E-04'],
    ['0.00E-00', '1234567', '1.23E06'],
    ['0.0E+00', '9.96', '1.0E+01'],
    ['0.00E+00', '0', '0.00E+00'],
    ['##0.0E+0', '12345', '12.3E+3'],
  ],
  fractions: [
    ['# ?/?', '1.5', '1 1/2'],
    ['# ?/?', '-1.5', '-1 1/2'],
    ['# ?/?', '0.25', '1/4'],
    ['# ?/?', '2', '2'],
    ['# ?/?', '0', '0'],
    ['# ?/?', '0.99', '1'],
    ['# ?/?', '0.3', '2/7'],
    ['# ???/???', '0.333333333333333', '1/3'],
    ['?/?', '1.5', '3/2'],
    ['# ?/8', '1.3', '1 2/8'],
    ['# ??/100', '1.25', '1 25/100'],
    ['# ?/?" in"', '1.5', '1 1/2 in'],
  ],
  digits: [
    ['0.00', '1.005', '1.01'],
    ['0.00', '2.675', '2.68'],
    ['0', '0.5', '1'],
    ['0', '-0.4', '0'],
    ['0', '9.5', '10'],
    ['0.##', '12', '12'],
    ['#,##0.0#', '1234.5', '1,234.5'],
    ['#.##', '0.5', '.5'],
    ['.00', '12.5', '12.50'],
    ['0.0??', '1.5', '1.5'],
    ['0.000', '1e-20', '0.000'],
    ['#,##0.0', '1e21', '1,000,000,000,000,000,000,000.0'],
    ['#,##0_);(#,##0)', '-1234', '(1,234)'],
    ['## ##0', '12345', '12 345'],
    ['#,##0;-#,##0', '-1234567', '-1,234,567'],
  ],
  'formats that hide numbers, or are none': [
    [';;;', '5', '5'],
    ['0;-0;;@', '0', '0'],
    ['#', '0', '0'],
    ['@', '5.5', '5.5'],
    ['General', '0.1', '0.1'],
    ['""', '5', '5'],
    ['[', '5', '5'],
    ['0'.repeat(300), '5', '5'],
  ],
  dates: [
    ['d/m/yyyy', '45000', '2023-03-15'],
    ['"Due "d mmm', '45000', 'Due 2023-03-15'],
    ['yyyy"年"m"月"d"日"', '45000', '2023-03-15'],
    ['[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy', '45000', '2023-03-15'],
    ['h:mm AM/PM', '0.75', '18:00:00'],
    ['[h]:mm', '1.5', '36:00:00'],
  ],
};

const stylesOf = (codes: readonly string[], ids: readonly number[] = []): string => {
  const formats = codes.map((code, at) => `<numFmt numFmtId="${164 + at}" formatCode="${escapeXml(code)}"/>`);
  const used = [...codes.map((_, at) => 164 + at), ...ids].map((id) => `<xf numFmtId="${id}"/>`);
  return `<numFmts>${formats.join('')}</numFmts><cellXfs>${used.join('')}</cellXfs>`;
};
const cellsOf = async (rows: string, styles: string, strings = ''): Promise<string[]> => {
  const { text } = await readWith(createReader, workbookOf([{ name: 'S', rows }], { styles, strings }));
  const [, , ...lines] = text.split('\n').filter((line) => line !== '');
  return lines.slice(1).map((line) => line.slice(2, -2).split(' | ')[1] ?? '');
};
const row = (cell: string): string => `<row><c t="inlineStr"><is><t>k</t></is></c>${cell}</row>`;
const HEAD = row('<c t="inlineStr"><is><t>v</t></is></c>');

for (const [name, cases] of Object.entries(SHOWN))
  t.test(`numbers are written as Excel shows them: ${name}`, async (t) => {
    const codes = [...new Set(cases.map(([code]) => code))];
    const rows = cases.map(([code, number]) => row(`<c s="${codes.indexOf(code)}"><v>${number}</v></c>`));
    const found = await cellsOf(HEAD + rows.join(''), stylesOf(codes));
    for (const [at, [code, number, shown]] of cases.entries()) t.equal(found[at], shown, `${code} ${number}`);
  });

t.test('built-in formats have their codes, those of money no currency', async (t) => {
  const cases = [
    [1, '1234.5', '1235'],
    [4, '1234.5', '1,234.50'],
    [9, '0.256', '26%'],
    [10, '0.256', '25.60%'],
    [11, '1234', '1.23E+03'],
    [12, '0.5', '1/2'],
    [14, '45000', '2023-03-15'],
    [44, '1234.5', '1,234.50'],
    [38, '-1234', '(1,234)'],
    [46, '1.5', '36:00:00'],
    [49, '5', '5'],
  ] as const;
  const rows = cases.map(([, number], at) => row(`<c s="${at}"><v>${number}</v></c>`));
  const found = await cellsOf(
    HEAD + rows.join(''),
    stylesOf(
      [],
      cases.map(([id]) => id),
    ),
  );
  t.same(
    found,
    cases.map(([, , shown]) => shown),
  );
});

t.test('formats of text add their words, and raised digits stay raised', async (t) => {
  const strings =
    '<si><t>a|b</t></si><si><r><t>m</t></r><r><rPr><vertAlign val="superscript"/></rPr><t>2</t></r></si>';
  const cells = ['<c s="0" t="s"><v>0</v></c>', '<c s="1" t="s"><v>0</v></c>', '<c s="1" t="s"><v>1</v></c>'];
  const found = await cellsOf(
    HEAD + cells.map(row).join(''),
    stylesOf(['0;0;0;"Item: "@', '0;0;0;@']),
    strings,
  );
  t.same(found, ['Item: a\\|b', 'a\\|b', 'm²']);
});

t.test('any format is read in time that grows with its length', async (t) => {
  for (const code of [
    ','.repeat(255),
    `0${','.repeat(254)}`,
    '0/'.repeat(127),
    'E+0'.repeat(85),
    '[<0]'.repeat(60),
  ]) {
    const rows = Array.from({ length: 2000 }, () => row('<c s="0"><v>123456</v></c>')).join('');
    t.equal((await cellsOf(HEAD + rows, stylesOf([code]))).length, 2000, code.slice(0, 9));
  }
});
