import t from 'tap';
import type { ReadFile } from '../../../../core/contracts/reader.ts';
import { isLanguage, ligaturesOf, withLigatures } from '../../../../plugins/readers/pdf/characters.ts';
import createReader from '../../../../plugins/readers/pdf/index.ts';
import { collaborators } from '../../../../server/testing/collaborators.ts';
import { never } from '../../../support/hosted-host.ts';
import { at, FIRST_MORE, makePdf, stream } from './support/builder.ts';

const reader = await createReader(collaborators());

async function read(bytes: Uint8Array): Promise<ReadFile & { reports: Record<string, string> }> {
  const reports: Record<string, string> = {};
  const file = { bytes, name: undefined, mediaType: undefined, charset: undefined };
  const report = (name: string, value: string): void => {
    reports[name] = value;
  };
  return { ...(await reader.read(file, { report, signal: never, options: {} })), reports };
}

const page = (content: string, more = '') => ({ content, more });
/** Paragraphs of a page; each is one line, far from the others. */
const paragraphsOf = async (content: string, more = ''): Promise<readonly string[]> =>
  (await read(makePdf([page(content, more)]))).text.split('\n\n');

t.test('words are neither joined nor torn', async (t) => {
  const letters = (x: number, y: number, word: string, step: number) =>
    [...word].map((letter, index) => at(x + step * index, y, letter)).join('');
  const kinds = [
    [
      'an accent before its letter',
      'caf\u00e9',
      at(50, 700, 'caf') + at(65, 700.5, '\xb4') + at(64, 700, 'e'),
    ],
    ['an accent after its letter', '\u00c9rik', at(50, 600, 'Erik') + at(52, 602, '\xb4')],
    ['an accent over nothing', '10\xb4', at(50, 500, '10') + at(61.2, 500, '\xb4')],
    ['spaced letters', 'TITLE', letters(50, 400, 'TITLE', 14)],
    ['letters that overlap', 'bandage', letters(50, 300, 'bandage', 2.3)],
    ['a word drawn twice', 'bold', at(50, 200, 'bold') + at(50.3, 200, 'bold')],
    ['the mark of a note', '5 Point', at(50, 104, '5', 6) + at(54, 100, 'Point your client')],
    ['a shadow of a part', 'Price: 300', at(50, 172, 'Price: 300') + at(79.6, 172.2, ': 300')],
    ['an exponent over an equal index', 'x2 2', at(50, 138, 'x') + at(55, 142, '2', 6) + at(55, 135, '2', 6)],
    ['an exponent', '2 27', at(50, 50, '2') + at(55.6, 54, '27', 6)],
  ] as const;
  const found = await paragraphsOf(kinds.map(([, , drawn]) => drawn).join(''));
  for (const [index, [kind, expected]] of kinds.entries())
    t.equal(found[index]?.slice(0, expected.length), expected, kind);
});

t.test('words that a line divides are one', async (t) => {
  const lines = (y: number, first: string, second: string, indent = 0) =>
    at(50, y, first) + at(50 + indent, y - 12, second);
  const found = await paragraphsOf(
    [
      lines(700, 'The first line ends within a divid-', 'ed word, which goes on.'),
      lines(600, '[27] A. Author and others. A decentral-', 'ized store of objects and keys.', 20),
      lines(500, 'All of it is at https://example.org/annual-', 'report.pdf for those who look.'),
      lines(400, 'The years from 2019-', '2020 are those of the report.'),
    ].join(''),
  );
  t.same(found, [
    'The first line ends within a divided word, which goes on.',
    '[27] A. Author and others. A decentralized store of objects and keys.',
    'All of it is at https://example.org/annual-report.pdf for those who look.',
    'The years from 2019-2020 are those of the report.',
  ]);
});

t.test('letters that are slanted reach over their neighbours, and words stay apart', async (t) => {
  const words = ['for', 'the', 'unlock', 'function', 'all', 'deltas', 'should', 'be', 'zero'];
  // Spaces are gaps of a fifth of the font size, as in some files without characters for them.
  const slanted = `BT /F 1 Tf 8 0 2.5 8 50 700 Tm [${words.map((word) => `(${word}) -200`).join(' ')}] TJ ET\n`;
  t.strictSame(await paragraphsOf(slanted), [words.join(' ')]);
});

t.test('a ligature is as wide as it is drawn', async (t) => {
  const map = stream(
    'begincmap 1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfchar <57> <00660069> endbfchar endcmap',
  );
  const font =
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding/FirstChar 87/LastChar 87/Widths[300]/ToUnicode 7 0 R>>';
  const content = 'BT /L 10 Tf 50 700 Td (W) Tj ET BT /F 10 Tf 59.44 700 Td (rst) Tj ET';
  const objects = [font, map];
  const more = '/Resources<</Font<</F 3 0 R/L 6 0 R>>>>';
  t.equal((await read(makePdf([page(content, more)], { objects }))).text, 'first');
});

t.test('text from right to left is one word, however it is drawn', async (t) => {
  const word = '\u05e9\u05dc\u05d5\u05dd';
  const bf = [...word].map(
    (letter, at) => `<${(65 + at).toString(16)}> <0${letter.charCodeAt(0).toString(16)}>`,
  );
  const map = stream(
    `begincmap 1 begincodespacerange <00> <ff> endcodespacerange 4 beginbfchar ${bf.join(' ')} endbfchar endcmap`,
  );
  const font = '<</Type/Font/Subtype/Type1/BaseFont/Courier/Encoding/WinAnsiEncoding/ToUnicode 7 0 R>>';
  const drawn = ['A', 'B', 'C', 'D'].map((code, index) => at(100 - 6 * index, 700, code, 10, 'H')).join('');
  const more = '/Resources<</Font<</H 6 0 R>>>>';
  t.equal((await read(makePdf([page(drawn, more)], { objects: [font, map] }))).text, word);
});

t.test('codes of ligatures are read where their font is proven to have them', async (t) => {
  const words =
    'the o\u000ece of the \u000crst classi\u000ccation is open and its \u000doors are for sta\u000b alone';
  const codes = ligaturesOf(words);
  t.equal(
    codes && withLigatures(words, codes),
    'the office of the first classification is open and its floors are for staff alone',
  );
  t.ok(
    ligaturesOf('the \u001crst words of a speci\u001ccation that has its letters'),
    'the other encoding of TeX',
  );
  t.equal(ligaturesOf('x \u000b y + \u000cz = \u000d '.repeat(20)), undefined, 'a font of formulas');
  t.equal(ligaturesOf('\u000b \u000c and these letters are words of a language '.repeat(9)), undefined);
});

t.test('every language is one, and so are numbers and code', async (t) => {
  const texts = {
    Chinese: '\u6839\u636e\u516c\u53f8\u524d\u671f\u516c\u544a\uff0c\u795e\u9e70\u96c6\u56e2\u3002',
    Japanese: '\u3053\u308c\u306f\u300c\u30c6\u30ad\u30b9\u30c8\u300d\u3067\u3059\u3002',
    Thai: '\u0e21\u0e19\u0e38\u0e29\u0e22\u0e4c\u0e17\u0e31\u0e49\u0e07\u0e1b\u0e27\u0e07\u0e40\u0e01\u0e34\u0e14',
    Khmer: '\u1798\u1793\u17bb\u179f\u17d2\u179f\u1791\u17b6\u17c6\u1784\u17a2\u179f\u17cb\u1780\u17be\u178f',
    Amharic: '\u12e8\u1230\u12cd\u1361\u120d\u1305\u1361\u1201\u1209\u1361\u1232\u12c8\u1208\u12f5\u1361',
    Hebrew: '\u05d1\u05b0\u05bc\u05e8\u05b5\u05d0\u05e9\u05b4\u05c1\u05d9\u05ea \u05d1\u05bc\u05e8\u05d0',
    Arabic:
      '\u0627\u0644\u0646\u0627\u0633 \u064a\u0648\u0644\u062f\u0648\u0646 \u0623\u062d\u0631\u0627\u0631\u0627\u060c',
    Hindi: '\u0938\u092d\u0940 \u092e\u0928\u0941\u0937\u094d\u092f\u094b\u0902 \u0964',
    Korean: '\ub300\ud55c\ubbfc\uad6d\uc758 \ubaa8\ub4e0 \uad8c\ub825\uc740',
    Russian:
      '\u0412\u0441\u0435 \u043b\u044e\u0434\u0438 \u0440\u043e\u0436\u0434\u0430\u044e\u0442\u0441\u044f',
    Greek: '\u038c\u03bb\u03bf\u03b9 \u03bf\u03b9 \u03ac\u03bd\u03b8\u03c1\u03c9\u03c0\u03bf\u03b9',
    Vietnamese: 'T\u1ea5t c\u1ea3 m\u1ecdi ng\u01b0\u1eddi sinh ra',
    prices: '1.250,00 \u20ac 3 499 12,5% 4711 88.10',
    parts: 'AX-4711/B2 3F-2231-00 PQ-77/13',
    code: 'if (x->y != NULL) { foo_bar(&baz[i], 0x1F); return -1; }',
    hashes: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    base64: 'TWFueSBoYW5kcyBtYWtlIGxpZ2h0IHdvcmsuIFRoZSBsaWdodA==',
  };
  for (const [name, text] of Object.entries(texts)) t.ok(isLanguage(`${text} `.repeat(200), 0), name);
  const signs =
    '\u00b73\u00bcm\u00b7a\u00b3?\u00b9\u00cf\u00b4 vA1(.+1GT+ $GPD`(Gx\\ <#K24#%$0oD 2"E#/+10=0=>\'0P+ ';
  t.notOk(isLanguage(signs.repeat(50), 0), 'letters and signs by chance');
  t.notOk(isLanguage('Two words. '.repeat(20), 20_000), 'mostly unreadable');
});

t.test('text that nobody sees is left out, counted and listed', async (t) => {
  const content = `${at(50, 700, 'Seen')}${at(50, -80, 'Below the page')}/OC /L BDC ${at(50, 600, 'Layer off')} EMC`;
  const layer = `${FIRST_MORE} 0 R`;
  const fonts = '/Font<</F 3 0 R>>';
  const file = makePdf([page(content, `/Resources<<${fonts}/Properties<</L ${layer}>>>>`)], {
    catalog: `/OCProperties<</OCGs[${layer}]/D<</OFF[${layer}]>>>>`,
    objects: ['<</Type/OCG/Name(Layer)>>'],
  });
  const { text, leftOut, leftOutTexts, reports } = await read(file);
  t.equal(text, 'Seen');
  t.strictSame(leftOut, { text_outside_page: 1, text_of_hidden_layer: 1 });
  t.strictSame(
    leftOutTexts?.map(({ start, end: _, ...rest }) => rest),
    [
      { kind: 'text_outside_page', text: 'Below the page', page: 1 },
      { kind: 'text_of_hidden_layer', text: 'Layer off', page: 1 },
    ],
  );
  t.equal(reports['hidden-texts'], '2');
});

t.test('a string that PDFium cuts is reported', async (t) => {
  const drawn = (length: number) => makePdf([page(at(10, 700, 'word '.repeat(length / 5), 0.01))]);
  const [cut, whole] = [await read(drawn(40_000)), await read(drawn(32_000))];
  t.strictSame([cut.leftOut, cut.reports['cut-strings']], [{ rest_of_long_string: 1 }, '1']);
  t.strictSame([whole.leftOut, whole.reports['cut-strings']], [{}, undefined]);
});

t.test('ideographs of fonts that a file does not contain are read, drawn one by one too', async (t) => {
  const info = '/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement 2>>';
  const font = `<</Type/Font/Subtype/Type0/BaseFont/SimSun/Encoding/GBK-EUC-H/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/SimSun${info}/DW 1000>>]>>`;
  const drawn = ['B9D8', 'D3DA'].map((code, index) => `1 0 0 1 ${50 + 12 * index} 700 Tm <${code}> Tj `);
  const content = `BT /S 12 Tf ${drawn.join('')}ET`;
  const more = `/Resources<</Font<</S ${FIRST_MORE} 0 R>>>>`;
  t.equal((await read(makePdf([page(content, more)], { objects: [font] }))).text, '\u5173\u4e8e');
});
