import t from 'tap';
import createReader from '../../../../plugins/readers/pdf/index.ts';
import { collaborators } from '../../../../server/testing/collaborators.ts';
import { never } from '../../../support/hosted-host.ts';
import { at, column, FIRST_MORE, firstPage, makePdf } from './support/builder.ts';

const reader = await createReader(collaborators());

async function read(bytes: Uint8Array) {
  const reports: Record<string, string> = {};
  const file = { bytes, name: undefined, mediaType: undefined, charset: undefined };
  const report = (name: string, value: string): void => {
    reports[name] = value;
  };
  const { text, places = [] } = await reader.read(file, { report, signal: never, options: {} });
  return { text, places, sources: reports['heading-sources'] };
}

const BODY = [
  'The body of a section has lines that are longer than those of headings, and',
  'that end as sentences do, and it is set in the usual font and size of a file.',
];
/** A heading with text below it. */
const section = (y: number, heading: string, size = 10, font = 'F'): string =>
  at(50, y, heading, size, font) + column(50, y - 20, BODY);
const headings = (text: string): string[] => text.match(/^#+ .*$/gm) ?? [];
const outline = (title: string, place: string, objects = 2): string[] => [
  '<</Type/Outlines/First 7 0 R/Last 7 0 R/Count 1>>',
  `<</Title(${title})/Parent 6 0 R/Dest[${firstPage(objects)} 0 R${place}]>>`,
];

t.test('style: size and weight of whole lines, with text below them', async (t) => {
  const content = [0, 1, 2]
    .map((part) => section(700 - 120 * part, `Section ${'ABC'[part]}`, 14, 'B'))
    .join('');
  const { text, places, sources } = await read(makePdf([{ content }]));
  t.strictSame(headings(text), ['# Section A', '# Section B', '# Section C']);
  t.match(places[0], { heading_source: 'style', heading_confidence: Number });
  t.equal(sources, 'style 3');
});

t.test('an uncertain heading, such as that of contents, is bold text, and its place says so', async (t) => {
  const entries = ['Scope 3', 'Terms 4', 'Places 5', 'Duties 7', 'Ends 9'];
  for (const name of ['Contents', '\xcdndice', 'Sommaire']) {
    const content = at(50, 700, name, 14, 'B') + column(50, 660, entries) + column(50, 500, BODY);
    const { text, places, sources } = await read(makePdf([{ content }]));
    t.strictSame(headings(text), []);
    t.ok(text.startsWith(`**${name}**\n\n`), text);
    const [place] = places.filter((one) => 'heading_confidence' in one) as {
      start: number;
      end: number;
      heading_confidence?: number;
    }[];
    t.equal(text.slice(place?.start, place?.end), name);
    t.ok((place?.heading_confidence ?? 1) < 0.45);
    t.equal(sources, 'uncertain 1');
  }
});

t.test('a heading is not joined to the text close below it, nor to the next heading', async (t) => {
  const part = (y: number, name: string) => at(50, y, name, 11) + column(50, y - 13, BODY);
  const close = ['Scope', 'Terms', 'Places'].map((name, index) => part(700 - 100 * index, name)).join('');
  const { text } = await read(makePdf([{ content: close }]));
  t.strictSame(text.match(/^\W*(?:Scope|Terms|Places)\W*$/gm)?.length, 3, text);
  const pair = at(50, 700, '5 Property', 14, 'B') + at(50, 682, '5.1 Purpose of it', 14, 'B');
  const stacked = await read(makePdf([{ content: pair + column(50, 640, [...BODY, ...BODY]) }]));
  t.match(stacked.text, /5 Property\**\n\n/);
});

t.test(
  'a title above a subtitle, both in the middle of the page, is neither a name nor joined to what follows',
  async (t) => {
    const content =
      at(270, 740, 'Tides', 28, 'B') +
      at(265, 690, 'A short guide', 18) +
      [0, 1].map((part) => section(620 - 120 * part, `high water ${part}`, 18, 'B')).join('');
    const { text } = await read(makePdf([{ content }]));
    t.ok(text.startsWith('# Tides\n'), text);
    t.match(text, /A short guide\n/);
  },
);

t.test('a title that is used at the beginning alone does not head the rest of a file', async (t) => {
  const pages = Array.from({ length: 30 }, (_, index) => {
    const title = index < 3 ? section(740, `Our ${'ABC'[index]}x highlights`, 24, 'B') : '';
    return { content: title + section(600, `Section ${String.fromCharCode(65 + index)}x`, 14, 'B') };
  });
  const { text } = await read(makePdf(pages));
  const found = headings(text);
  t.ok(found.includes('# Our Ax highlights'), text.slice(0, 500));
  t.ok(found.includes('## Section Cx'));
  t.strictSame(
    found.slice(-10).map((heading) => heading.indexOf(' ')),
    Array(10).fill(1),
  );
});

t.test('a bookmark names the text at its place, with or without a number', async (t) => {
  const content = section(700, '1. Scope') + section(500, '1. Scope');
  const file = makePdf([{ content }], {
    catalog: '/Outlines 6 0 R',
    objects: outline('Scope', '/XYZ 50 512 0'),
  });
  const { text, places, sources } = await read(file);
  t.strictSame(headings(text), ['# 1. Scope']);
  t.ok(text.indexOf('# 1. Scope') > 100, 'the second is meant');
  t.match(
    places.find((place) => 'heading_source' in place),
    { heading_source: 'bookmark', heading_confidence: 0.95 },
  );
  t.equal(sources, 'bookmark 1');
});

t.test('a bookmark finds its heading with other words around it, and whatever its form', async (t) => {
  for (const [line, title] of [
    ['A. Methods of work', 'IV-A Methods of work'],
    ['Methods of work in the usual places', 'Methods of work in usual places the usual'],
    ['It is a sentence.', 'It is a sentence.'],
    ['+D What is next', 'What is next'],
  ] as const) {
    const file = makePdf([{ content: section(700, line) }], {
      catalog: '/Outlines 6 0 R',
      objects: outline(title, '/Fit'),
    });
    const isOther = title.endsWith('the usual');
    t.strictSame(headings((await read(file)).text), isOther ? [] : [`# ${line}`], line);
  }
});

t.test('a name below a text is no parent of what follows', async (t) => {
  const parts = [0, 1, 2].map((part) => section(760 - 90 * part, `Section ${'ABC'[part]}`, 14, 'B')).join('');
  const name = at(50, 480, 'Ann Archer', 14, 'B') + at(50, 466, 'Head of Risk');
  const { text } = await read(makePdf([{ content: parts + name + column(50, 380, [...BODY, ...BODY]) }]));
  t.strictSame(headings(text), ['# Section A', '# Section B', '# Section C']);
  t.match(text, /\*\*Ann Archer\*\*/);
});

t.test('a name, a role and a date at the end of a page are no parent of the next pages', async (t) => {
  const parts = [0, 1, 2].map((part) => section(760 - 90 * part, `Section ${'ABC'[part]}`, 14, 'B')).join('');
  const name = at(50, 480, 'Ann Archer', 14, 'B') + at(50, 466, 'Head of Risk') + at(50, 452, '4 July 2022');
  const pages = [parts + name, column(50, 700, [...BODY, ...BODY])].map((content) => ({ content }));
  t.strictSame(headings((await read(makePdf(pages))).text), ['# Section A', '# Section B', '# Section C']);
});

t.test('labels of parts at the top of pages are headings, captions are not', async (t) => {
  const labels = ['Exhibit 2.10', 'Exhibit 10.1', 'Exhibit 10.2'];
  const body = column(50, 660, [...BODY, ...BODY]);
  const pages = labels.flatMap((label) => [{ content: at(450, 700, label) + body }, { content: body }]);
  const { text, sources } = await read(makePdf(pages));
  t.strictSame(
    headings(text),
    labels.map((label) => `# ${label}`),
  );
  t.equal(sources, 'numbering 3');
  const figure = { content: column(50, 700, BODY) + at(50, 640, 'Exhibit 10.3') + column(50, 600, BODY) };
  t.strictSame(headings((await read(makePdf([...pages, figure]))).text), []);
});

t.test('a line is as much a heading as the others of its style, if little speaks against it', async (t) => {
  const pages = Array.from({ length: 10 }, (_, index) => {
    const two =
      at(50, 700, 'A longer heading of section', 10, 'B') + at(50, 688, 'Bx that has two lines', 10, 'B');
    const heading = index === 3 ? at(50, 700, 'Section Ax', 10, 'B') : index === 6 ? two : '';
    return { content: heading + column(50, 670, [...BODY, ...BODY]) };
  });
  const { text } = await read(makePdf(pages));
  t.strictSame(headings(text), ['# Section Ax', '# A longer heading of section Bx that has two lines']);
});

t.test('numbers that form a sequence give levels', async (t) => {
  const names = ['1 Scope', '1.1 Terms', '1.2 Places', '2 Duties', '3 End of it'];
  const content = names.map((name, index) => section(760 - 90 * index, name, 10, 'B')).join('');
  const { text, sources } = await read(makePdf([{ content }]));
  t.strictSame(headings(text), ['# 1 Scope', '## 1.1 Terms', '## 1.2 Places', '# 2 Duties', '# 3 End of it']);
  t.equal(sources, 'numbering 5');
});

t.test('other kinds of large or bold lines are no headings', async (t) => {
  for (const line of [
    '\u2022 respond to interruption',
    'such problems',
    'It begins, and',
    'Figure 3 Sales',
    '12 March 2024',
    'a.smith@example.org',
    'E = m c',
    '45.6 pence',
    'It is a sentence.',
    '(Address of its principal offices)',
  ]) {
    const { text } = await read(
      makePdf([{ content: section(700, line.replace('\u2022', '\x95'), 16, 'B') }]),
    );
    t.strictSame([headings(text), /\*\*/.test(text)], [[], false], line);
  }
});

t.test('tags come first, unless they call most of a text or whole sentences headings', async (t) => {
  const marked = (content: string) => `/H2 <</MCID 0>> BDC\n${content}EMC\n`;
  const tagged = (heading: string) => {
    const objects = [
      '<</Type/StructTreeRoot/K 7 0 R/ParentTree<</Nums[0[7 0 R]]>>>>',
      `<</Type/StructElem/S/H2/P 6 0 R/Pg ${firstPage(2)} 0 R/K 0>>`,
    ];
    const content = marked(at(50, 700, heading)) + column(50, 600, BODY) + at(50, 500, 'Large', 20);
    const catalog = `/MarkInfo<</Marked true>>/StructTreeRoot ${FIRST_MORE} 0 R`;
    return read(makePdf([{ content, more: '/StructParents 0' }], { catalog, objects }));
  };
  const right = await tagged('A small heading');
  t.ok(right.text.startsWith('## A small heading\n\n'), right.text);
  t.match(right.places[0], { heading_source: 'tag', heading_confidence: 1 });
  const wrong = await tagged(`${BODY.join(' ').slice(0, 90)} and so on, until it ends.`);
  t.ok(wrong.text.startsWith('The body'), wrong.text);
});
