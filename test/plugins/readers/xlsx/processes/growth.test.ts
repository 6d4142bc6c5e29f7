import t from 'tap';
import { startBlockCounter } from '../../../../support/executed-blocks.ts';
import { checkLinearWork, repeated } from '../../../../support/linear-work.ts';
import { workbookOf } from '../../../toolkit/office/office-files.ts';

t.test('the work grows with the sheet, whatever it consists of', async (t) => {
  const counter = await startBlockCounter(t);
  const { default: createReader } = await import('../../../../../plugins/readers/xlsx/index.ts');
  const { readWith } = await import('../../reading.ts');
  const shapes = {
    ...repeated(
      '<row><c><v>1</v></c></row>',
      '<row><c/></row>',
      '<c t="str"><v>a</v></c>',
      '<c t="str"><v>&lt;|\n',
      '<x a="',
      "<x a='",
      '<x ',
      '<!--',
      '<![CDATA[',
      '&#1',
      '</',
      '_x000D_ ',
    ),
    'a cell in each column': (length: number) =>
      Array.from(
        { length: length / 50 },
        (_, at) => `<row r="${at + 1}">${'<c/>'.repeat(at % 90)}<c><v>1</v></c></row>`,
      ).join(''),
  };
  const run = (rows: string) =>
    readWith(createReader, workbookOf([{ name: 'S', rows }])).catch(() => undefined);
  await checkLinearWork(t, shapes, [{}], run, counter);
});
