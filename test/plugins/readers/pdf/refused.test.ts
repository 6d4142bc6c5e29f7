import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { extractPages } from '../../../../plugins/readers/pdf/document.ts';
import createReader from '../../../../plugins/readers/pdf/index.ts';
import { PdfFile } from '../../../../plugins/readers/pdf/pdf-file.ts';
import { loadPdfium } from '../../../../plugins/readers/pdf/pdfium.ts';
import { never } from '../../../support/hosted-host.ts';
import { readWith } from '../reading.ts';
import { at, column, FIRST_MORE, makePdf, pdfOf, stream } from './support/builder.ts';
import {
  billionPages,
  bookmarksInCircle,
  deepArray,
  formsInForms,
  pagesInCircle,
  samePage,
} from './support/hostile.ts';

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

function rc4(key: Uint8Array, data: Uint8Array): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  const swap = (a: number, b: number) => {
    [state[a], state[b]] = [state[b] as number, state[a] as number];
  };
  for (let index = 0, other = 0; index < 256; index++) {
    other = (other + (state[index] as number) + (key[index % key.length] as number)) & 255;
    swap(index, other);
  }
  let [at, other] = [0, 0];
  return Buffer.from(data).map((byte) => {
    at = (at + 1) & 255;
    other = (other + (state[at] as number)) & 255;
    swap(at, other);
    return byte ^ (state[((state[at] as number) + (state[other] as number)) & 255] as number);
  }) as Buffer;
}

const PADDING = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex');
const md5 = (...parts: Uint8Array[]) => createHash('md5').update(Buffer.concat(parts)).digest();

/** Encrypted with RC4 of 40 bits. The password of the owner is set, that of the user is empty. */
function ownerOnly(): Buffer {
  const owner = rc4(
    md5(Buffer.concat([Buffer.from('owner'), PADDING]).subarray(0, 32)).subarray(0, 5),
    PADDING,
  );
  const id = Buffer.from('0123456789abcdef');
  const key = md5(PADDING, owner, Buffer.from([0xc4, 0xff, 0xff, 0xff]), id).subarray(0, 5);
  const user = rc4(key, PADDING);
  const ofObject = md5(key, Buffer.from([4, 0, 0, 0, 0])).subarray(0, 10);
  const content = rc4(ofObject, Buffer.from(at(50, 700, 'Readable without a password')));
  const file = pdfOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>',
    stream(content.toString('latin1')),
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    `<</Filter/Standard/V 1/R 2/P -60/O<${owner.toString('hex')}>/U<${user.toString('hex')}>>>`,
    '<<>>',
  ]).toString('latin1');
  const trailer = `/Encrypt 6 0 R/ID[<${id.toString('hex')}><${id.toString('hex')}>]/Root`;
  return Buffer.from(file.replace('/Root', trailer), 'latin1');
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

t.test(
  'a page on which PDFium crashes costs itself, and the others are read by another instance',
  async (t) => {
    const file = new PdfFile(
      await loadPdfium(),
      pages(...['One', 'Two', 'Three'].map((text) => at(50, 700, text))),
    );
    const { pdfium } = file;
    const { call } = pdfium;
    const FPDF_LoadPage = (document: number, index: number) =>
      call.FPDF_LoadPage(index === 1 ? -4096 : document, index);
    Object.defineProperty(pdfium, 'call', { value: { ...call, FPDF_LoadPage } });
    const read = await extractPages(file, never);
    t.same(
      read.map(({ isFaulty, runs }) => [isFaulty, runs.get(0)?.[0]?.text]),
      [
        [false, 'One'],
        [true, undefined],
        [false, 'Three'],
      ],
    );
    t.not(file.pdfium, pdfium);
    t.equal(pdfium.isReusable, false);
    file.close();
  },
);

t.test('bookmarks in a circle are read once', async (t) => {
  t.match((await read(bookmarksInCircle())).text, /A title.*A text below it\./s);
});

t.test('a file that is encrypted without a password for reading is read', async (t) => {
  t.equal((await read(ownerOnly())).text, 'Readable without a password');
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
