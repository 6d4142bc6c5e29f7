import t from 'tap';
import type { ReadFile } from '../../../../core/contracts/reader.ts';
import { columnsOf } from '../../../../plugins/readers/pdf/columns.ts';
import { isFileName } from '../../../../plugins/readers/pdf/document.ts';
import createReader from '../../../../plugins/readers/pdf/index.ts';
import { collaborators } from '../../../../server/testing/collaborators.ts';
import { never } from '../../../support/hosted-host.ts';
import { placed } from '../reading.ts';
import { at, column, FIRST_MORE, firstPage, makePdf, stream } from './support/builder.ts';

const reader = await createReader(collaborators());

async function read(
  bytes: Uint8Array,
  signal = never,
): Promise<ReadFile & { reports: Record<string, string> }> {
  const reports: Record<string, string> = {};
  const file = { bytes, name: undefined, mediaType: undefined, charset: undefined };
  const report = (name: string, value: string): void => {
    reports[name] = value;
  };
  return { ...(await reader.read(file, { report, signal, options: {} })), reports };
}
const page = (content: string, more = '') => ({ content, more });

const LEFT = [
  'The left column begins here and runs on',
  'over several lines that are about as wide',
  'as the column is, so that the gap between',
  'both is seen as what it is, a gutter, and',
  'the column ends without an end of the',
];
const RIGHT = [
  'sentence, which goes on in the right one',
  'and has as many lines as the left one, so',
  'that every row of the page has a piece of',
  'both; whoever reads by rows is then lost',
  'between sentences that do not belong here.',
];
const BOTH = [...LEFT, ...RIGHT].join(' ');

t.test('columns are read one after the other, and a sentence goes on over both', async (t) => {
  const drawn = await read(makePdf([page(column(50, 700, LEFT) + column(320, 700, RIGHT))]));
  t.equal(drawn.text, BOTH, 'in the order of drawing');
  const byRows = LEFT.map(
    (text, row) => at(50, 700 - 12 * row, text) + at(320, 700 - 12 * row, RIGHT[row] ?? ''),
  );
  t.equal((await read(makePdf([page(byRows.join(''))]))).text, BOTH, 'by geometry');
  t.match(drawn, { mediaType: 'text/markdown', reports: {} });
});

t.test('a row of a table stays a line', async (t) => {
  const rows = [1, 2, 3, 4, 5, 6].map((row) =>
    [50, 200, 350].map((x) => at(x, 700 - 12 * row, `cell ${row} ${x}`)).join(''),
  );
  const { text } = await read(makePdf([page(rows.join(''))]));
  t.equal(text.split('\n')[1], 'cell 2 50\tcell 2 200\tcell 2 350');
});

t.test('narrow cells are not columns of text', async (t) => {
  const cell = (x0: number, x1: number, base: number, text: string) => ({
    text,
    ...{ x0, x1, y0: base - 8, y1: base + 2, base, size: 10, font: 'F', isMono: false, block: undefined },
  });
  const runs = [1, 2, 3, 4, 5, 6, 7, 8].flatMap((row) => [
    cell(50, 100, 12 * row, '02/22/2015'),
    cell(115, 165, 12 * row, '03/25/2016'),
    cell(300, 480, 12 * row, 'A company and more of its name'),
  ]);
  t.equal(columnsOf(runs).length, 1);
});

/** The only box of a file. */
async function boxOf(more: string): Promise<readonly number[]> {
  const [place] = (await read(makePdf([page(at(60, 700, 'Text'), more)]))).places ?? [];
  return place?.box ?? [];
}
const rounded = (numbers: readonly number[]) => numbers.map((one) => Math.round(one * 1000) / 1000);

t.test('the box of a line is where it is shown', async (t) => {
  const [left = 0, top = 0, right = 0, bottom = 0] = await boxOf('');
  t.ok(left === 0.1 && right > 0.12 && right < 0.15 && top > 0.11 && bottom > 0.125 && bottom < 0.13);
  t.same(rounded(await boxOf('/Rotate 90')), rounded([1 - bottom, left, 1 - top, right]));
  t.same(rounded(await boxOf('/Rotate 180')), rounded([1 - right, 1 - bottom, 1 - left, 1 - top]));
  t.same(rounded(await boxOf('/Rotate 270')), rounded([top, 1 - right, bottom, 1 - left]));
  t.same(rounded(await boxOf('/CropBox[60 0 600 800]')), rounded([0, top, (right - left) / 0.9, bottom]));
  t.same(await boxOf('/UserUnit 2'), [left, top, right, bottom]);
  const [, , edge] = await boxOf('/CropBox[0 0 65 800]');
  t.equal(edge, 1, 'what reaches over the page ends with it');
});

t.test('text that runs to the right on a turned page has a box of its width and height', async (t) => {
  const turnedText = (matrix: string) => `BT /F 10 Tf ${matrix} Tm (Some wide text) Tj ET`;
  const { places: [upright] = [] } = await read(makePdf([page(turnedText('1 0 0 1 60 700'))]));
  const width = ((upright?.box?.[2] ?? 0) - (upright?.box?.[0] ?? 0)) * 600;
  for (const [rotation, matrix, across, down] of [
    [90, '0 1 -1 0 60 80', 800, 600],
    [180, '-1 0 0 -1 540 80', 600, 800],
    [270, '0 -1 1 0 540 720', 800, 600],
  ] as const) {
    const { text, places: [place] = [] } = await read(
      makePdf([page(turnedText(matrix), `/Rotate ${rotation}`)]),
    );
    const [left = 0, top = 0, right = 0, bottom = 0] = place?.box ?? [];
    const base = rotation === 180 ? 80 : 60;
    t.equal(text, 'Some wide text');
    t.equal(Math.round(left * across), rotation === 180 ? 60 : 80, `${rotation}: left`);
    t.equal(Math.round((right - left) * across), Math.round(width), `${rotation}: width`);
    t.equal(Math.round((bottom - top) * down), 12, `${rotation}: height`);
    t.ok(top * down < base && bottom * down > base, `${rotation}: base line`);
  }
});

t.test('what pages repeat is left out and counted, and their numbers', async (t) => {
  const bodies = ['First things.', 'Second things.', 'Third things.', 'Last things.'];
  const pages = bodies.map((text, index) =>
    page(at(50, 780, 'The Annual Report') + at(50, 400, text) + at(300, 20, `${index + 1}`)),
  );
  const { text, places, reports } = await read(makePdf(pages));
  t.equal(text, bodies.join('\n\n'));
  t.same(reports, { 'left-out-lines': '8' });
  t.same(
    places?.map((place) => place.page),
    [1, 2, 3, 4],
  );
  const stamped = await read(makePdf(bodies.map(() => page(at(50, 780, 'Stamped')))));
  t.equal(stamped.text.split('Stamped').length, 5, 'unless there is nothing else');
});

t.test('a page without text has an empty place, and is named', async (t) => {
  const drawn = '0 0 300 300 re f';
  const { text, places, reports } = await read(
    makePdf([
      page(''),
      page(at(50, 700, 'One.')),
      page(drawn),
      page(''),
      page(at(50, 700, 'Two.')),
      page(''),
    ]),
  );
  t.equal(text, 'One.\n\nTwo.');
  t.same(
    places?.map(({ start, end, page }) => [start, end, page]),
    [
      [0, 0, 1],
      [0, 4, 2],
      [6, 6, 3],
      [6, 6, 4],
      [6, 10, 5],
      [10, 10, 6],
    ],
  );
  t.same(reports, { 'pages-without-text': '1 3-4 6' });
});

t.test('a divided word is joined, a compound keeps its hyphen', async (t) => {
  const lines = [
    'An essay on a well-known theme that is di-',
    'vided, on what may be had from the well-',
    'known theme, and on the end of all lines.',
  ];
  const { text } = await read(makePdf([page(column(50, 700, lines))]));
  t.equal(
    text,
    'An essay on a well-known theme that is divided, on what may be had from the well-known theme, and on the end of all lines.',
  );
});

t.test('bullets are a list, large lines are headings, code keeps its lines', async (t) => {
  const content =
    at(50, 700, 'Fruit', 20) +
    column(50, 660, ['\x95 Apples', '\x95 Pears']) +
    column(50, 600, ['# is a number sign here', 'and no heading.']) +
    at(50, 560, 'if x:', 10, 'M') +
    at(62, 548, 'return', 10, 'M');
  t.equal(
    (await read(makePdf([page(content)], { info: '/Title(Fruit)' }))).text,
    '# Fruit\n\n- Apples\n\n- Pears\n\n\\# is a number sign here and no heading.\n\nif x:\nreturn',
  );
});

const marked = (role: string, mark: number, content: string) =>
  `/${role} <</MCID ${mark}>> BDC ${content} EMC\n`;
const element = (role: string, mark: number, first: number, more = '') =>
  `<</Type/StructElem/S/${role}/P 7 0 R/Pg ${first} 0 R/K ${mark}${more}>>`;

t.test('a tagged file says what its headings and pictures are', async (t) => {
  const content =
    marked('H2', 0, at(50, 700, 'A small heading')) +
    marked('P', 1, at(50, 640, 'LARGE', 30)) +
    marked('Figure', 2, '60 640 60 80 re f') +
    `/Artifact BMC ${at(50, 20, 'Not content')} EMC`;
  const first = firstPage(5);
  const figure = '/Alt(A\x07 cat\0)';
  const objects = [
    '<</Type/StructTreeRoot/K 7 0 R/ParentTree<</Nums[0[8 0 R 9 0 R 10 0 R]]>>>>',
    '<</Type/StructElem/S/Document/P 6 0 R/K[8 0 R 9 0 R 10 0 R]>>',
    ...[element('H2', 0, first), element('P', 1, first), element('Figure', 2, first, figure)],
  ];
  const catalog = `/MarkInfo<</Marked true>>/StructTreeRoot ${FIRST_MORE} 0 R`;
  const info = '/Title(A title)/Author(Ann)';
  const file = await read(makePdf([page(content, '/StructParents 0')], { catalog, info, objects }));
  // Programs mark content as an artifact, too: what no other page repeats stays.
  t.equal(file.text, '## A small heading\n\nLARGE\n\n![A cat]\n\nNot content');
  t.same(placed(file).at(-2), ['![A cat]', { page: 1, box: [0.1, 0.1, 0.2, 0.2], image: 1 }]);
  t.match(file, { title: 'A title', metadata: { authors: ['Ann'] }, reports: {} });
});

t.test('a heading of a tagged file may begin a line, and ends with its page', async (t) => {
  const pages = [
    page(
      marked('H6', 0, at(50, 700, 'Employees')) +
        marked('P', 1, at(110, 700, 'are those who work here, and')) +
        marked('P', 2, at(50, 688, 'others.')) +
        marked('H2', 3, at(50, 660, '1.1 A view')),
      '/StructParents 0',
    ),
    page(marked('H2', 0, at(50, 700, '1.2 A net')), '/StructParents 1'),
  ];
  const [first, second] = [firstPage(6), firstPage(6) + 2];
  const objects = [
    '<</Type/StructTreeRoot/K 7 0 R/ParentTree<</Nums[0[8 0 R 9 0 R 9 0 R 10 0 R]1[11 0 R]]>>>>',
    '<</Type/StructElem/S/Document/P 6 0 R/K[8 0 R 9 0 R 10 0 R 11 0 R]>>',
    element('H6', 0, first),
    `<</Type/StructElem/S/P/P 7 0 R/Pg ${first} 0 R/K[1 2]>>`,
    ...[element('H2', 3, first), element('H2', 0, second)],
  ];
  const catalog = `/MarkInfo<</Marked true>>/StructTreeRoot ${FIRST_MORE} 0 R`;
  const { text } = await read(makePdf(pages, { catalog, objects }));
  t.equal(text, '###### Employees\n\nare those who work here, and others.\n\n## 1.1 A view\n\n## 1.2 A net');
});

t.test('an outline names headings', async (t) => {
  const content = at(50, 700, 'Plain title') + at(50, 600, 'Some text below it.');
  const objects = [
    '<</Type/Outlines/First 7 0 R/Last 7 0 R/Count 1>>',
    `<</Title(Plain title)/Parent 6 0 R/Dest[${firstPage(2)} 0 R/Fit]>>`,
  ];
  const { text } = await read(makePdf([page(content)], { catalog: '/Outlines 6 0 R', objects }));
  t.equal(text, '# Plain title\n\nSome text below it.');
});

t.test('what is filled in and put on a page is text, at its place', async (t) => {
  const objects = [
    '<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/V(Filled \x01in)/Rect[120 690 240 710]/DA(/F 10 Tf)/F 4>>',
    '<</Type/Annot/Subtype/FreeText/Contents(Put there)/Rect[120 600 240 620]/DA(/F 10 Tf)/F 4>>',
    '<</Type/Annot/Subtype/Popup/Parent 7 0 R/Rect[0 0 0 0]>>',
    '<</Type/Annot/Subtype/Widget/FT/Tx/T(hidden)/V(Not shown)/Rect[120 500 240 520]/DA(/F 10 Tf)/F 2>>',
  ];
  const catalog = '/AcroForm<</Fields[6 0 R 9 0 R]/DA(/F 10 Tf)>>';
  const file = await read(
    makePdf([page(at(50, 700, 'Name:'), '/Annots[6 0 R 7 0 R 8 0 R 9 0 R]')], { catalog, objects }),
  );
  const boxes = new Map(placed(file).map(([text, place]) => [text, (place as { box: number[] }).box]));
  t.same([...boxes.keys()].sort(), ['Name:\tFilled in', 'Put there']);
  t.match(boxes.get('Put there'), [0.2, Number, 0.4, Number]);
});

t.test('Japanese in a font that names its table of characters', async (t) => {
  const system = '/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 2>>';
  const inner = `<</Type/Font/Subtype/CIDFontType0/BaseFont/Ryumin-Light${system}>>`;
  const objects = [
    `<</Type/Font/Subtype/Type0/BaseFont/Ryumin-Light/Encoding/90ms-RKSJ-H/DescendantFonts[${inner}]>>`,
  ];
  const content = 'BT /J 10 Tf 50 700 Td <93FA967B8CEA> Tj ET';
  const file = await read(makePdf([page(content, '/Resources<</Font<</J 6 0 R>>>>')], { objects }));
  t.equal(file.text, '\u65e5\u672c\u8a9e');
});

t.test('signs are what they mean: loose accents, characters of Windows', async (t) => {
  t.equal(
    (await read(makePdf([page(at(51, 700, '\xa8') + at(50, 700, 'a la carte'))]))).text,
    '\u00e4 la carte',
  );
});

t.test('a line of letters that are pictures is as high as their font', async (t) => {
  const glyph = stream('8 0 d0 q 8 0 0 8 0 0 cm BI /W 8/H 8/IM true/BPC 1 ID \0\0\0\0\0\0\0\0 EI Q');
  const shape = '/FontMatrix[.1 0 0 .1 0 0]/FontBBox[0 0 0 0]/FirstChar 97/LastChar 97/Widths[8]';
  const font = `<</Type/Font/Subtype/Type3${shape}/CharProcs<</a 7 0 R>>/Encoding<</Differences[97/a]>>>>`;
  const content = 'BT /T 10 Tf 50 400 Td (aaa) Tj ET';
  const made = makePdf([page(content, '/Resources<</Font<</T 6 0 R>>>>')], { objects: [font, glyph] });
  const [[text, place] = []] = placed(await read(made));
  const [, top, , bottom] = (place as { box: number[] }).box as [number, number, number, number];
  t.equal(text, 'aaa');
  t.equal(Math.round((bottom - top) * 800), 10);
});

const FILE_NAMES = [
  'paper.dvi',
  'rados-pdsw.dvi',
  'Microsoft Word - Kalman15.doc',
  'Microsoft PowerPoint - Talk',
  'FINAL.PDF',
  'final report v2.docx',
  'C:\\Users\\ann\\thesis.tex',
  '/home/ann/thesis',
  'file:///tmp/a',
  'notes.txt',
  'untitled',
  'Untitled-1',
  'Document1',
  'main.tex',
  'slides.key',
  'scan0001.tif',
];
const TITLES = [
  'System Model',
  'Dynamo: a key-value store',
  'Introduction to Node.js',
  'How to write a README.md',
  'ASP.NET 8',
  'Microsoft Word for beginners',
  'Version 2.0',
  'Documents of 1848',
  'The PDF',
  '.NET',
  'Yes / no',
  'A.D. 79',
];

t.test('a title that is the name of a file is none', async (t) => {
  for (const title of FILE_NAMES) t.ok(isFileName(title), title);
  for (const title of TITLES) t.notOk(isFileName(title), title);
});
