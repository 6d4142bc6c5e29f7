import t from 'tap';
import type { PagePicture, Reader, RecognizedLine } from '../../../../core/contracts/reader.ts';
import createReader from '../../../../plugins/readers/pdf/index.ts';
import { BUILT_IN_PLUGINS, loadRegistry } from '../../../../server/plugins/loader/loader.ts';
import { collaborators } from '../../../../server/testing/collaborators.ts';
import { needs } from '../../../support/here.ts';
import { never } from '../../../support/hosted-host.ts';
import { at, column, makePdf } from './support/builder.ts';

/** A page of which something is drawn, but no text. */
const DRAWN = '60 60 480 680 re S';
const WIDTH = 600;

interface Given {
  readonly lines?: readonly Partial<RecognizedLine>[];
  readonly turns?: number;
  readonly skew?: number;
  readonly isReadable?: boolean;
}

/** A reader of PDFs with one that finds these lines in each picture, in points. */
async function open(of: (page: number) => Given, contents: readonly string[], options = {}) {
  const asked: { picture: PagePicture; options: unknown }[] = [];
  const reported: Record<string, string> = {};
  let pages = 0;
  const recognize: Reader['recognize'] = async (picture, given) => {
    asked.push({ picture, options: given });
    const { lines = [], turns = 0, skew = 0, isReadable = true } = of(asked.length);
    const pixels = picture.width / WIDTH;
    const scaled = lines.map(
      ({ text = '', x0 = 60, x1 = 400, base = 100, size = 10, ...line }, paragraph) => ({
        ...{
          text,
          paragraph,
          confidence: 0.9,
          legibility: 'sure' as const,
          size: size * pixels,
          base: base * pixels,
        },
        ...{ x0: x0 * pixels, x1: x1 * pixels, y0: (base - 8) * pixels, y1: (base + 2) * pixels },
        ...line,
      }),
    );
    return { lines: scaled, turns, skew, isReadable };
  };
  const ocr = { recognize } as Reader;
  const reader = await createReader({ ...collaborators(), 'reader/ocr': ocr });
  const bytes = makePdf(contents.map((content) => ({ content })));
  const read = async () =>
    reader.read(
      { bytes, name: undefined, mediaType: undefined, charset: undefined },
      {
        report: (name, value) => void Object.assign(reported, { [name]: value }),
        signal: never,
        options,
        progress: () => void pages++,
      },
    );
  return { read, asked, reported, told: () => pages };
}

t.test('pages without text are recognized, those with text are not, in one document', async (t) => {
  const lines = [
    { text: 'First line of a scan, which goes on in the', base: 100, confidence: 0.95 },
    { text: 'second line.', base: 112, x1: 150, confidence: 0.7, legibility: 'uncertain' },
    { text: 'qx#~r', base: 300, confidence: 0.2, legibility: 'unreadable' },
  ] as const;
  const contents = [at(50, 700, 'Text of a page'), DRAWN, ''];
  const { read, asked, reported, told } = await open(() => ({ lines }), contents, {
    ocr: { languages: ['deu'] },
  });
  const { text, places, leftOut, leftOutTexts } = await read();
  t.equal(text, 'Text of a page\n\nFirst line of a scan, which goes on in the second line.');
  t.match(places, [
    { page: 1, ocr_confidence: undefined },
    { page: 2, ocr_confidence: 0.95, box: [0.1, 0.115, 0.6667, 0.1275] },
    { page: 2, ocr_confidence: 0.7 },
    { page: 3 },
  ]);
  t.equal(asked.length, 1, 'a blank page is not looked at');
  const { width = 0, height = 0, pixels } = asked[0]?.picture ?? {};
  t.same([width, height, pixels?.length], [WIDTH * (300 / 72), 3333, width * height]);
  t.same(asked[0]?.options, { languages: ['deu'] });
  t.same(reported, {
    'ocr-pages': '2',
    'ocr-confidence': '0.89',
    'uncertain-lines': '1',
    'unreadable-lines': '1',
    'pages-without-text': '3',
  });
  t.match(leftOut, { unreadable_line: 1, page_without_text: 1 });
  t.match(leftOutTexts, [{ kind: 'unreadable_line', text: 'qx#~r', page: 2 }]);
  t.equal(told(), 1, 'the time of a file begins again');
});

t.test('columns of a scan are read one after the other', async (t) => {
  const side = (x0: number, name: string) =>
    Array.from({ length: 8 }, (_, line) => ({
      text: `${name} ${line} goes on with more words, and`,
      x0,
      x1: x0 + 200,
      base: 100 + 12 * line,
    }));
  const [left, right] = [side(60, 'left'), side(320, 'right')];
  const across = left.flatMap((line, at) => [line, right[at] ?? line]);
  const { read } = await open(() => ({ lines: across }), [DRAWN]);
  const { text } = await read();
  t.ok(text.indexOf('left 7') < text.indexOf('right 0'));
});

t.test('boxes are where slanted and turned lines are shown', async (t) => {
  const lines = [{ text: 'A slanted line', x0: 0, x1: 600, base: 408 }];
  const slant = await (await open(() => ({ lines, skew: 0.03 }), [DRAWN])).read();
  const [, top = 0, , bottom = 0] = slant.places?.[0]?.box ?? [];
  t.ok(bottom - top > 0.03 && top < 0.5 && bottom > 0.5);
  const turned = await (await open(() => ({ lines: [{ ...lines[0], x1: 300 }], turns: 1 }), [DRAWN])).read();
  t.same(turned.places?.[0]?.box, [0.3167, 0, 0.3333, 0.375]);
});

t.test('writing that cannot be recognized is reported, and never in the text', async (t) => {
  const lines = [{ text: 'Gar bage', confidence: 0.5 }];
  const mixed = await open(() => ({ lines, isReadable: false }), [at(50, 700, 'Text'), DRAWN]);
  t.equal((await mixed.read()).text, 'Text');
  t.same(mixed.reported, { 'unreadable-pages': '2', 'pages-without-text': '2' });
  const alone = await open(() => ({ lines, isReadable: false }), [DRAWN]);
  await t.rejects(alone.read(), {
    statusCode: 400,
    message: /its page has no text, and the writing of its pictures cannot be recognized/,
  });
  await t.rejects((await open(() => ({}), [DRAWN, DRAWN])).read(), {
    statusCode: 400,
    message: 'The PDF cannot be read: none of its 2 pages has text, and none was found in its pictures.',
  });
});

t.test('without OCR a mixed file is read, and a scan is an error that says what to install', async (t) => {
  const reader = await createReader(collaborators());
  const reported: string[] = [];
  const read = async (...contents: string[]) =>
    reader.read(
      {
        bytes: makePdf(contents.map((content) => ({ content }))),
        name: undefined,
        mediaType: undefined,
        charset: undefined,
      },
      { report: (name, value) => void reported.push(`${name}: ${value}`), signal: never, options: {} },
    );
  t.equal((await read(column(50, 700, ['Text']), DRAWN)).text, 'Text');
  t.same(reported, ['pages-without-text: 2']);
  await t.rejects(read(DRAWN), {
    expose: true,
    statusCode: undefined,
    message: /it is a scan, or drawn; run "npm install @tesseract\.js-data\/eng sharp tesseract\.js-core"/,
  });
  await t.rejects(read('', ''), {
    statusCode: 400,
    message: 'The PDF cannot be read: none of its 2 pages has text, and nothing is drawn there.',
  });
});

t.test('the error for a scan names the packages of the reader ocr', needs('reader/ocr'), async (t) => {
  const { all } = await loadRegistry({ folders: [BUILT_IN_PLUGINS], only: [], env: {} });
  const { packages = [] } = all.find(({ id }) => id === 'reader/ocr')?.manifest.needs ?? {};
  const reader = await createReader(collaborators());
  const file = {
    bytes: makePdf([{ content: DRAWN }]),
    name: undefined,
    mediaType: undefined,
    charset: undefined,
  };
  const read = async () => reader.read(file, { report() {}, signal: never, options: {} });
  await t.rejects(read(), { message: new RegExp(`"npm install ${packages.join(' ')}"`) });
});
