import t from 'tap';
import createReader from '../../../../plugins/readers/pptx/index.ts';
import { deckOf, shapeOf } from '../../toolkit/office/office-files.ts';
import { readWith } from '../reading.ts';

const textOf = async (shapes: string) => (await readWith(createReader, deckOf([{ shapes }]))).text;
const body = (inner: string): string =>
  `<p:sp><p:nvSpPr><p:cNvPr/><p:nvPr/></p:nvSpPr><p:txBody><a:p>${inner}</a:p></p:txBody></p:sp>`;
const run = (text: string, properties = ''): string => `<a:r><a:rPr${properties}/><a:t>${text}</a:t></a:r>`;
const r = (text: string): string => `<m:r><a:rPr/><m:t>${text}</m:t></m:r>`;
const formula = (...equations: readonly string[]): string => {
  const all = equations.map((one) => `<m:oMath>${one}</m:oMath>`).join('');
  return `<mc:AlternateContent><mc:Choice Requires="a14"><a14:m><m:oMathPara>${all}</m:oMathPara></a14:m></mc:Choice><mc:Fallback>${run('?')}</mc:Fallback></mc:AlternateContent>`;
};
const fraction = (above: string, below: string): string =>
  `<m:f><m:num>${above}</m:num><m:den>${below}</m:den></m:f>`;
const power = (base: string, exponent: string): string =>
  `<m:sSup><m:e>${base}</m:e><m:sup>${exponent}</m:sup></m:sSup>`;

t.test('formulas keep their structure, so that numbers stay right', async (t) => {
  for (const [inner, text] of [
    [fraction(r('12'), r('5')), '12/5'],
    [r('2') + fraction(r('1'), r('2')), '2 1/2'],
    [power(r('10'), r('6')), '10^6'],
    [r('E=m') + power(r('c'), r('2')), 'E=mc^2'],
    [power(r('e'), r('-x')), 'e^(-x)'],
    [fraction(r('a+b'), power(r('x'), r('2'))), '(a+b)/(x^2)'],
    [`<m:sSub><m:e>${r('x')}</m:e><m:sub>${r('1')}</m:sub></m:sSub>`, 'x_1'],
    [`<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/><m:e>${r('b-4')}</m:e></m:rad>`, '√(b-4)'],
    [
      `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${r('i=1')}</m:sub><m:sup>${r('n')}</m:sup><m:e>${r('i')}</m:e></m:nary>`,
      '∑_(i=1)^n i',
    ],
    [
      `<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e>${r('1')}</m:e><m:e>${r('2')}</m:e></m:d>`,
      '[1 | 2]',
    ],
    [
      `<m:m><m:mr><m:e>${r('1')}</m:e><m:e>${r('0')}</m:e></m:mr><m:mr><m:e>${r('0')}</m:e><m:e>${r('1')}</m:e></m:mr></m:m>`,
      '[1 0; 0 1]',
    ],
    [`<m:func><m:fName>${r('sin')}</m:fName><m:e>${r('x')}</m:e></m:func>`, 'sin x'],
  ] as const)
    t.equal(await textOf(body(run('Rate ') + formula(inner) + run('.'))), `Rate ${text}.`);
  t.equal(await textOf(body(formula(r('a=b'), r('c=d')))), 'a=b  \nc=d');
});

t.test('raised numbers of runs are written as raised', async (t) => {
  t.equal(await textOf(body(run('10') + run('6', ' baseline="30000"') + run(' m'))), '10⁶ m');
  t.equal(await textOf(body(run('1') + run('st', ' baseline="30000"'))), '1st');
  t.equal(await textOf(body(run('H') + run('2', ' baseline="-25000"') + run('O'))), 'H2O');
});

t.test('escapes of characters are resolved, in titles to spaces', async (t) => {
  const title = shapeOf({ text: ['One\n_x000B_two_x000b_three'], placeholder: 'type="title"' });
  t.equal(await textOf(title), '# One two three');
  t.equal(await textOf(body(run('a_x000B_b'))), 'a  \nb');
  t.equal(await textOf(body(run('a_x0007_b _x005F_x000B_ c_x00e9_'))), 'ab _x000B_ cé');
  t.equal(await textOf(body(run('file_x_y_xyz0_'))), 'file_x_y_xyz0_');
});
