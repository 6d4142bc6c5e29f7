import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import createReader from '../../../../plugins/readers/pdf/index.ts';
import { readWith } from '../reading.ts';
import { at, column, FIRST_MORE, makePdf, pdfOf, stream } from './support/builder.ts';
import { billionPages, deepArray, formsInForms, pagesInCircle, samePage } from './support/hostile.ts';

const FIXTURES = join(import.meta.dirname, '../../../fixtures/pdf');
const read = (bytes: Uint8Array | string) => readWith(createReader, bytes);
const pages = (...contents: string[]) => makePdf(contents.map((content) => ({ content })));

/** A font whose characters are said to be private ones. */
function withPrivateCharacters(): Buffer {
  const table =
    'begincmap 1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfrange <00> <FF> <E000> endbfrange endcmap';
  const objects = [
    stream(table),
    `<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode ${FIRST_MORE} 0 R>>`,
  ];
  const more = `/Resources<</Font<</F ${FIRST_MORE + 1} 0 R>>>>`;
  return makePdf(
    [{ content: column(50, 790, new Array(60).fill('Hello characters that are private')), more }],
    { objects },
  );
}

/** Its page has text, and a form that draws itself. */
function drawingItself(): Buffer {
  const resources = `/Resources<</XObject<</X ${FIRST_MORE} 0 R>>>>`;
  const form = stream('/X Do', `/Type/XObject/Subtype/Form/BBox[0 0 9 9]${resources}`);
  const more = `/Resources<</XObject<</X ${FIRST_MORE} 0 R>>/Font<</F 3 0 R>>>>`;
  return makePdf([{ content: `${at(50, 700, 'Before')} /X Do ${at(50, 600, 'After')}`, more }], {
    objects: [form],
  });
}

/** Its second page is a number. */
function withBrokenPage(): Buffer {
  return pdfOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 5 0 R/Resources<</Font<</F 6 0 R>>>>>>',
    '17',
    stream(at(50, 700, 'Here')),
    ...['<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>', '<<>>'],
  ]);
}

t.test('what cannot be read is refused in words that say what to do', async (t) => {
  for (const [bytes, problem] of [
    [readFileSync(join(FIXTURES, 'password.pdf')), 'it has a password; save it without.'],
    ['', 'it is not a PDF, or broken.'],
    ['Just text.', 'it is not a PDF, or broken.'],
    [pagesInCircle(), 'all of its 5 pages are broken.'],
    [
      pages('0 0 9 9 re f'),
      'its page has no text: it is a scan, or drawn; a reader with OCR can read it, such as docling, once DOCLING_URL is set.',
    ],
    [pages('', ''), /none of its 2 pages has text: it is a scan, or drawn; a reader with OCR can read it/],
    [
      withPrivateCharacters(),
      /its fonts do not say what their characters are; a reader with OCR can read it/,
    ],
    [samePage(20_001), 'it has 20001 pages, over the limit of 20000; divide it.'],
  ] as const) {
    const message = typeof problem === 'string' ? `The PDF cannot be read: ${problem}` : problem;
    await t.rejects(read(bytes), { statusCode: 400, message });
  }
});

t.test('a form that draws itself is drawn once', async (t) => {
  t.equal((await read(drawingItself())).text, 'Before\n\nAfter');
});

t.test('a broken page costs itself, and is named', async (t) => {
  const reports: string[][] = [];
  const report = (...one: string[]) => void reports.push(one);
  const { text, leftOut } = await readWith(createReader, withBrokenPage(), {}, {}, report);
  t.equal(text, 'Here');
  t.same(reports, [['unread-pages', '2']]);
  t.same(leftOut, { unread_page: 1 });
});

t.test('a file with junk before it, or a damaged table of objects, is read', async (t) => {
  const whole = pages(at(50, 700, 'Whole text'));
  const table = whole.indexOf('xref');
  for (const bytes of [
    Buffer.concat([Buffer.from('From: a mail\n\n'), whole]),
    whole.subarray(0, table),
    Buffer.from(whole.toString('latin1').replace(/startxref\n\d+/, 'startxref\n7'), 'latin1'),
  ])
    t.equal((await read(bytes)).text, 'Whole text');
});

t.test('what takes too much memory is refused, and the reader goes on', async (t) => {
  const { collaborators } = await import('../../../../server/testing/collaborators.ts');
  const reader = await createReader(collaborators());
  const context = { report() {}, signal: new AbortController().signal, options: {} };
  const ask = async (bytes: Uint8Array) =>
    reader.read({ bytes, name: undefined, mediaType: undefined, charset: undefined }, context);
  await t.rejects(ask(formsInForms()), {
    statusCode: 400,
    message: 'The PDF cannot be read: it needs more than 256 MB of memory.',
    cause: { message: 'Array buffer allocation failed' },
  });
  t.equal((await ask(pages(at(50, 700, 'Still here')))).text, 'Still here');
});

t.test('hostile files end with an error, or as what they are', async (t) => {
  for (const make of [billionPages, pagesInCircle, deepArray])
    await t.rejects(read(make()), { statusCode: 400, message: /^The PDF cannot be read: / }, make.name);
});

t.test('an answer that is no longer wanted is not worked for', async (t) => {
  const { collaborators } = await import('../../../../server/testing/collaborators.ts');
  const reader = await createReader(collaborators());
  const file = { bytes: samePage(200), name: undefined, mediaType: undefined, charset: undefined };
  const controller = new AbortController();
  const answer = Promise.resolve(reader.read(file, { report() {}, signal: controller.signal, options: {} }));
  setImmediate(() => controller.abort(new Error('gone')));
  await t.rejects(answer, { message: 'gone' });
});
