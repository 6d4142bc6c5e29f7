import t from 'tap';
import createReader from '../../../../plugins/readers/odf/index.ts';
import { placed, readWith } from '../reading.ts';
import { contentOf, flatOf, HOSTILE_FILES, odfOf, p } from './odf-files.ts';

type Parts = Parameters<typeof odfOf>[2];
const read = async (bytes: Buffer) => {
  const reports = new Map<string, string>();
  const file = await readWith(createReader, bytes, {}, {}, (name, value) => void reports.set(name, value));
  return { ...file, reports };
};
const textOf = async (body: string, parts?: Parts) => (await read(odfOf('text', body, parts))).text;
const lines = (...texts: readonly string[]): string => texts.join('\n\n');
const style = (name: string, more: string, properties = '', family = 'paragraph'): string =>
  `<style:style style:name="${name}" style:family="${family}" ${more}>${properties}</style:style>`;
const span = (name: string, text: string): string =>
  `<text:span text:style-name="${name}">${text}</text:span>`;
const cell = (text: string, more = ''): string => `<table:table-cell ${more}>${p(text)}</table:table-cell>`;
const row = (...cells: readonly string[]): string => `<table:table-row>${cells.join('')}</table:table-row>`;
const table = (...rows: readonly string[]): string =>
  `<table:table table:name="S">${rows.join('')}</table:table>`;

t.test('headings have their level and number, titles their style', async (t) => {
  const styles =
    style('Title', '') +
    style('Sub', 'style:parent-style-name="Subtitle"') +
    style('Subtitle', '') +
    '<text:outline-style><text:outline-level-style text:level="1" style:num-format="1"/><text:outline-level-style text:level="2" style:num-format="a" style:num-suffix=")" text:display-levels="2"/></text:outline-style>';
  const h = (level: number, text: string, more = '') =>
    `<text:h text:outline-level="${level}" ${more}>${text}</text:h>`;
  const body =
    p('T', 'P1') +
    p('S', 'Sub') +
    h(1, 'A') +
    h(2, 'B') +
    h(2, 'C') +
    h(1, 'D', 'text:is-list-header="true"') +
    h(1, 'E', 'text:restart-numbering="true"') +
    h(2, 'F', 'text:restart-numbering="true" text:start-value="5"');
  const automatic = style('P1', 'style:parent-style-name="Title"');
  const meta =
    '<dc:title>Of the file</dc:title><meta:initial-creator>Ada</meta:initial-creator><dc:creator>Bob</dc:creator><meta:keyword>x</meta:keyword><meta:keyword>y</meta:keyword>';
  const file = await read(odfOf('text', body, { styles, automatic, meta }));
  t.equal(file.text, lines('# T', '## S', '# 1 A', '## 1.a) B', '## 1.b) C', '# D', '# 1 E', '## 1.e) F'));
  t.match(file, {
    title: 'Of the file',
    metadata: { authors: ['Ada'], keywords: 'x, y' },
    places: undefined,
  });
});

t.test('white space, formats, links and fields of paragraphs', async (t) => {
  const automatic =
    style('B', '', '<style:text-properties fo:font-weight="bold"/>', 'text') +
    style('I', '', '<style:text-properties fo:font-style="italic"/>', 'text') +
    style('R', '', '<style:text-properties style:text-position="super 58%"/>', 'text');
  const body =
    p(
      `\n  a<text:s text:c="3"/>b<text:tab/>c<text:line-break/>d ${span('B', `x ${span('I', 'y')}`)} 10${span('R', '6')}`,
    ) +
    p('<text:a xlink:href="https://example.org/">here</text:a> <text:page-number>3</text:page-number>') +
    p('# no heading');
  t.equal(
    await textOf(body, { automatic }),
    lines('a b\tc\nd **x** ***y*** 10⁶', '[here](https://example.org/) 3', '\\# no heading'),
  );
});

t.test('lists have the numbers that are shown', async (t) => {
  const level = (at: number, format: string, more = ''): string =>
    `<text:list-level-style-number text:level="${at}" style:num-format="${format}" style:num-suffix="." ${more}/>`;
  const automatic =
    `<text:list-style style:name="N">${level(1, '1', 'text:start-value="3"')}${level(2, 'i', 'text:display-levels="2"')}</text:list-style>` +
    '<text:list-style style:name="U"><text:list-level-style-bullet text:level="1"/></text:list-style>';
  const list = (name: string, inner: string, more = ''): string =>
    `<text:list text:style-name="${name}" ${more}>${inner}</text:list>`;
  const item = (inner: string): string => `<text:list-item>${inner}</text:list-item>`;
  const body =
    list(
      'N',
      item(`${p('a') + p('more')}<text:list>${item(p('b')) + item(p('c'))}</text:list>`) + item(p('d')),
    ) +
    p('between') +
    list('N', item(p('e')), 'text:continue-numbering="true"') +
    list('N', item(p('f'))) +
    list('U', item(p('g')));
  t.equal(
    await textOf(body, { automatic }),
    lines('3. a', '   more', '   - 3.i. b\n   - 3.ii. c\n4. d', 'between', '5. e\n3. f\n- g'),
  );
});

t.test('tables repeat short cells that span others; frames and tables in cells are text', async (t) => {
  const covered = '<table:covered-table-cell/>';
  const body =
    table(
      row(cell('a', 'table:number-columns-spanned="2" table:number-rows-spanned="2"'), covered, cell('b')),
      row(covered, covered, cell('c')),
      row(
        cell('d', 'table:number-columns-repeated="2"'),
        `<table:table-cell>${table(row(cell('e'), cell('f')))}</table:table-cell>`,
      ),
    ) + table(row(`<table:table-cell>${p('x')}${p('y')}</table:table-cell>`));
  t.equal(
    await textOf(body),
    lines('| a | a | b |\n| - | - | - |\n| a | a | c |\n| d | d | e f |', 'x', 'y'),
  );
});

t.test('notes, text boxes, pictures, formulas and charts follow or stand in their paragraph', async (t) => {
  const note = (text: string): string =>
    `<text:note><text:note-citation>1</text:note-citation><text:note-body>${p(text)}</text:note-body></text:note>`;
  const box = `<draw:frame><draw:text-box>${p('box')}</draw:text-box></draw:frame>`;
  const picture =
    '<draw:frame><draw:image xlink:href="a.png"/><svg:title>t</svg:title><svg:desc>a map</svg:desc></draw:frame>';
  const object = (at: number): string =>
    `<draw:frame><draw:object xlink:href="./Object ${at}"/><draw:image/></draw:frame>`;
  const math =
    '<!DOCTYPE math PUBLIC "-//OpenOffice.org//DTD Modified W3C MathML 1.01//EN" "math.dtd"><math><semantics><mrow><mfrac><mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow><mn>2</mn></mfrac><msqrt><msup><mi>x</mi><mn>2</mn></msup></msqrt></mrow><annotation>no</annotation></semantics></math>';
  const chart = contentOf(
    'chart',
    `<chart:chart><chart:title>${p('Sales')}</chart:title><table:table>${row(cell(''), cell('2024'))}${row(cell('x'), cell('5'))}</table:table></chart:chart>`,
  );
  const more = { 'Object 1/content.xml': math, 'Object 2/content.xml': chart };
  t.equal(
    await textOf(p(`a${note('n')}b${box}${picture}${object(1)}${object(2)}`) + p('c'), { more }),
    lines(
      'a[^1]b![a map]()(a+1)/2 √(x^2)',
      'Sales\n\n| | 2024 |\n| - | - |\n| x | 5 |',
      'box',
      '[^1]: n',
      'c',
    ),
  );
});

t.test('an embedded spreadsheet is a table without blank columns', async (t) => {
  const sheet = `<table:table table:name="S">${row(cell('year'), cell('sum'), '<table:table-cell table:number-columns-repeated="16000"/>')}${row(cell('2024'), cell('5'))}</table:table>`;
  const more = { 'Object 1/content.xml': contentOf('spreadsheet', sheet) };
  const object = '<draw:frame><draw:object xlink:href="./Object 1"/><draw:image/></draw:frame>';
  const table = '| year | sum |\n| - | - |\n| 2024 | 5 |';
  t.equal(await textOf(p(`a${object}`), { more }), lines('a', table));
  const slide = odfOf('presentation', `<draw:page>${object}</draw:page>`, { more });
  t.equal((await readWith(createReader, slide)).text, table);
});

t.test('deleted and hidden text, comments, headers and footers are left out and reported', async (t) => {
  const automatic = style('H', '', '<style:text-properties text:display="none"/>', 'text');
  const masters = `<style:master-page style:name="M"><style:header>${p('h')}</style:header><style:footer>${p(' ')}</style:footer></style:master-page>`;
  const body =
    `<text:tracked-changes><text:changed-region><text:deletion><office:change-info><dc:creator>x</dc:creator></office:change-info>${p('gone')}</text:deletion></text:changed-region></text:tracked-changes>` +
    p(
      `a<text:change/>${span('H', 'b')}<office:annotation><dc:creator>x</dc:creator>${p('c')}</office:annotation>`,
    ) +
    p('<text:hidden-paragraph text:is-hidden="true"/>d') +
    `<text:section text:display="none">${p('e')}</text:section><text:section>${p('f')}</text:section>` +
    `<text:table-of-content><text:table-of-content-source><text:index-title-template>no</text:index-title-template></text:table-of-content-source><text:index-body>${p('g')}</text:index-body></text:table-of-content>`;
  const { text, leftOut, reports } = await read(odfOf('text', body, { automatic, masters }));
  t.equal(text, lines('a', 'f', 'g'));
  t.strictSame(leftOut, { comment: 1, deleted_text: 1, header: 1, hidden_text: 3 });
  t.equal(reports.get('left-out'), 'comments, deleted text, headers, hidden text');
});

t.test('sheets are tables of what cells show, with places', async (t) => {
  const hidden = style('TH', '', '<style:table-properties table:display="false"/>', 'table');
  const value = (type: string, written: string): string =>
    `<table:table-cell office:value-type="${type}" ${written}/>`;
  const body =
    table(
      row(cell('Title')),
      row(
        cell('a'),
        cell('b', 'office:value-type="float" office:value="1234.5"').replace('>b<', '>$1,234.50<'),
      ),
      `<table:table-row table:number-rows-repeated="2">${cell('x', 'table:number-columns-repeated="2"')}</table:table-row>`,
      '<table:table-row table:number-rows-repeated="1000000"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>',
      row(
        value('percentage', 'office:value="0.125"'),
        value('date', 'office:date-value="2024-02-01T10:00:00"'),
        value('time', 'office:time-value="PT36H05M00S"'),
        value('boolean', 'office:boolean-value="true"'),
      ),
    ) +
    `<table:table table:name="H" table:style-name="TH">${row('<table:table-cell table:formula="of:=1"/>', `<table:table-cell>${p('z')}<office:annotation>${p('no')}</office:annotation></table:table-cell>`)}</table:table>`;
  const file = await read(odfOf('spreadsheet', body, { automatic: hidden }));
  t.equal(
    file.text,
    lines(
      '## S',
      'Title',
      '| a | $1,234.50 |\n| - | - |\n| x | x |\n| x | x |',
      '| 12.5% | 2024-02-01 10:00:00 | 36:05:00 | TRUE |\n| - | - | - | - |',
      '## H',
      'z',
    ),
  );
  t.match(placed(file).slice(0, 5), [
    ['S', { sheet: 'S' }],
    ['Title', { sheet: 'S', cells: 'A1' }],
    ['| a | $1,234.50 |', { sheet: 'S', cells: 'A2:B2' }],
    ['| x | x |', { sheet: 'S', cells: 'A3:B3' }],
    ['| x | x |', { sheet: 'S', cells: 'A4:B4' }],
  ]);
  t.match(placed(file).at(5), [/12.5%/, { cells: 'A1000005:D1000005' }]);
  t.equal(file.reports.get('hidden-sheets'), '1');
  t.strictSame(file.leftOut, { comment: 1, formula_without_value: 1 });
});

t.test('repeated cells are bounded, and those beyond are counted', async (t) => {
  const { text, leftOut } = await read((HOSTILE_FILES['repeats all rows and columns'] as () => Buffer)());
  t.ok(text.length < 1_000_000);
  t.ok((leftOut?.repeated_cell ?? 0) > 17_000_000_000);
});

t.test('slides have their title first, boxes, notes and pictures', async (t) => {
  const frame = (inner: string, more: string): string => `<draw:frame ${more}>${inner}</draw:frame>`;
  const box = (text: string): string => `<draw:text-box>${p(text)}</draw:text-box>`;
  const body =
    `<draw:page draw:master-page-name="M">${frame(box('body'), 'svg:x="5cm" svg:y="5cm" svg:width="10cm" svg:height="25mm"')}${frame(box('The title'), 'presentation:class="title"')}<draw:custom-shape>${p('shape')}</draw:custom-shape>${frame(box('7'), 'presentation:class="page-number"')}${frame('<draw:image/><svg:desc>map</svg:desc>', '')}<presentation:notes>${frame(box('say it'), 'presentation:class="notes"')}</presentation:notes></draw:page>` +
    '<draw:page/>' +
    `<draw:page draw:style-name="D">${frame(box('hidden'), '')}</draw:page>`;
  const automatic = style(
    'D',
    '',
    '<style:drawing-page-properties presentation:visibility="hidden"/>',
    'drawing-page',
  );
  const masters = '<style:master-page style:name="M" style:page-layout-name="PL"/>';
  const file = await read(odfOf('presentation', body, { automatic, masters }));
  t.equal(file.text, lines('# The title', 'body', 'shape', '![map]()', 'Notes: say it', 'hidden'));
  t.strictSame(placed(file), [
    ['The title', { page: 1 }],
    ['body', { page: 1, box: [0.25, 0.5, 0.75, 0.75] }],
    ['shape', { page: 1 }],
    ['![map]()', { page: 1, image: 1 }],
    ['Notes: say it', { page: 1 }],
    ['', { page: 2 }],
    ['hidden', { page: 3 }],
  ]);
  t.equal(file.reports.get('hidden-slides'), '1');
});

t.test('flat files are read; encrypted, damaged and foreign ones are refused', async (t) => {
  const picture =
    '<draw:frame><draw:image><office:binary-data>aGVsbG8=</office:binary-data></draw:image></draw:frame>';
  t.equal((await read(flatOf('text', p(`a${picture}`)))).text, 'a');
  const encrypted =
    '<manifest:manifest xmlns:manifest="m"><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>';
  const more = { 'META-INF/manifest.xml': encrypted };
  await t.rejects(read(odfOf('text', '', { more })), { statusCode: 400, message: /encrypted/ });
  await t.rejects(read(Buffer.from('<html>')), { statusCode: 400, message: /not XML/ });
  await t.rejects(read(Buffer.from('<?xml version="1.0"?><html/>')), {
    statusCode: 400,
    message: /not a text/,
  });
  const damaged = await read(odfOf('text', p('a'), { more: { 'meta.xml': '<a' } }));
  t.match(damaged, { text: 'a', leftOut: { metadata: 1 } });
  await t.rejects(read(odfOf('text', '<text:p>')), { statusCode: 400, message: /not XML/ });
});

for (const name of ['has cells that span much', 'shows one chart many times', 'is deeper than a stack'])
  t.test(`a file that ${name} is refused`, async (t) => {
    await t.rejects(read((HOSTILE_FILES[name] as () => Buffer)()), {
      statusCode: 400,
      message: /cannot be read/,
    });
  });
