import t from 'tap';
import { startBlockCounter } from '../../../../support/executed-blocks.ts';
import { checkLinearWork, repeated } from '../../../../support/linear-work.ts';
import { deckOf, paragraph, shapeOf } from '../../../toolkit/office/office-files.ts';

t.test('the work grows with the slide, whatever it consists of', async (t) => {
  const counter = await startBlockCounter(t);
  const { default: createReader } = await import('../../../../../plugins/readers/pptx/index.ts');
  const { readWith } = await import('../../reading.ts');
  const shapes = repeated(
    shapeOf({ text: ['x'], box: [1, 2, 3, 4] }),
    shapeOf({ text: ['x'], placeholder: 'idx="1"' }),
    shapeOf({ text: ['[ ( \n|'], placeholder: 'type="title"' }),
    '<p:grpSp></p:grpSp>',
    '<p:pic><p:nvPicPr><p:cNvPr descr="[ a"/></p:nvPicPr></p:pic>',
    '<a:br/>',
    'x<y/>',
  );
  const paragraphs = repeated(paragraph('x', '<a:pPr lvl="3"><a:buAutoNum/></a:pPr>'), '<a:p><a:br/></a:p>');
  const run = (xml: string) => readWith(createReader, deckOf([{ shapes: xml }])).catch(() => undefined);
  await checkLinearWork(t, shapes, [{}], run, counter);
  const inShape = (xml: string) => run(`<p:sp><p:txBody>${xml}</p:txBody></p:sp>`);
  await checkLinearWork(t, paragraphs, [{}], inShape, counter);
});
