import t from 'tap';
import createReader from '../../../../plugins/readers/docx/index.ts';
import { collaborators } from '../../../../server/testing/collaborators.ts';
import { never } from '../../../support/hosted-host.ts';
import { readWith } from '../reading.ts';
import { type DocxParts, docxOf, HOSTILE_DOCX, paragraph, run } from './support/docx.ts';

const textOf = async (body: string, parts?: DocxParts) =>
  (await readWith(createReader, docxOf(body, parts))).text;
const lines = (...texts: readonly string[]): string => texts.join('\n\n');

async function leftOut(body: string, parts?: DocxParts): Promise<string | undefined> {
  const reports = new Map<string, string>();
  const file = { bytes: docxOf(body, parts), name: undefined, mediaType: undefined, charset: undefined };
  const report = (name: string, value: string): void => void reports.set(name, value);
  await (await createReader(collaborators())).read(file, { report, signal: never, options: {} });
  return reports.get('left-out');
}

const style = (id: string, name: string, properties = ''): string =>
  `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${properties}</w:style>`;
const level = (ilvl: number, format: string, text: string, more = ''): string =>
  `<w:lvl w:ilvl="${ilvl}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/>${more}</w:lvl>`;
const list = (id: number, definition: number, more = ''): string =>
  `<w:num w:numId="${id}"><w:abstractNumId w:val="${definition}"/>${more}</w:num>`;
const define = (id: number, ...levels: readonly string[]): string =>
  `<w:abstractNum w:abstractNumId="${id}">${levels.join('')}</w:abstractNum>`;
const item = (text: string, id: number, ilvl = 0): string =>
  paragraph(text, `<w:numPr><w:ilvl w:val="${ilvl}"/><w:numId w:val="${id}"/></w:numPr>`);

t.test(
  'headings are found by name, by what they are based on, and by their level in the outline',
  async (t) => {
    const styles = [
      style('T', 'Title'),
      style('S', 'Subtitle'),
      style('H2', 'heading 2'),
      style('Own', 'Clause', '<w:basedOn w:val="H2"/>'),
      style('Outline', 'Chapter', '<w:pPr><w:outlineLvl w:val="2"/></w:pPr>'),
      style('Toc', 'TOC Heading', '<w:basedOn w:val="H2"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr>'),
    ].join('');
    const named = ['T', 'S', 'H2', 'Own', 'Outline', 'Toc', 'missing'];
    const body = named.map((id) => paragraph(`a ${id}`, `<w:pStyle w:val="${id}"/>`)).join('');
    const file = await readWith(createReader, docxOf(body, { styles }));
    t.equal(
      file.text,
      lines('# a T', '## a S', '## a H2', '## a Own', '### a Outline', 'a Toc', 'a missing'),
    );
    t.match(file, { title: 'a T', mediaType: 'text/markdown', places: undefined });
  },
);

t.test('numbers of headings are written, as Word counts them', async (t) => {
  const numbering = [
    define(
      1,
      level(0, 'decimal', 'Article %1', '<w:pStyle w:val="A"/>'),
      level(1, 'decimal', '%1.%2', '<w:pStyle w:val="B"/>'),
      level(2, 'lowerLetter', '(%3)'),
    ),
    list(7, 1),
  ].join('');
  const numbered = '<w:pPr><w:numPr><w:numId w:val="7"/></w:numPr></w:pPr>';
  const styles = style('A', 'heading 1', numbered) + style('B', 'heading 2', numbered);
  const of = (id: string, text: string, more = ''): string =>
    paragraph(text, `<w:pStyle w:val="${id}"/>${more}`);
  const body = [
    of('A', 'Scope'),
    of('B', 'Persons'),
    of('B', ''),
    of('B', 'Places'),
    item('first', 7, 2),
    item('second', 7, 2),
    of('A', 'Deleted', '<w:rPr><w:del w:id="1"/></w:rPr>'),
    of('A', 'Law'),
    of('B', 'Courts &amp; judges'),
    item('first', 7, 2),
    of('A', 'Annex', '<w:numPr><w:numId w:val="0"/></w:numPr>'),
  ];
  t.equal(
    await textOf(body.join(''), { styles, numbering }),
    [
      '# Article 1 Scope\n\n## 1.1 Persons\n\n## 1.3 Places\n\n- (a) first\n- (b) second',
      '# Article 2 DeletedLaw\n\n## 2.1 Courts & judges\n\n- (a) first\n\n# Annex',
    ].join('\n\n'),
  );
});

t.test('lists have their own numbers, also where they go on, begin again or change', async (t) => {
  const numbering = [
    define(1, level(0, 'decimal', '%1.'), level(1, 'bullet', '&#xF0B7;'), level(2, 'lowerRoman', '%3)')),
    define(2, level(0, 'upperLetter', '%1')),
    define(3, level(0, 'decimalZero', '%1.', '<w:isLgl/>'), level(1, 'upperRoman', '%1-%2', '<w:isLgl/>')),
    list(1, 1),
    list(2, 1, '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride>'),
    list(3, 2),
    list(4, 3),
  ].join('');
  const body = [
    item('one', 1),
    item('bullet', 1, 1),
    item('deep', 1, 2),
    item('two', 1),
    paragraph('Between.'),
    item('three', 1),
    item('five', 2),
    item('six', 2),
    ...Array.from({ length: 28 }, (_, index) => item(`letter ${index}`, 3)),
    item('zero', 4),
    item('legal', 4, 1),
    item('no list', 99),
  ];
  const text = await textOf(body.join(''), { numbering });
  t.equal(
    text.slice(0, text.indexOf('- A letter 0')),
    '1. one\n   - bullet\n     - i) deep\n' + '2. two\n\nBetween.\n\n3. three\n5. five\n6. six\n',
  );
  t.match(text, /- Z letter 25\n- AA letter 26\n- BB letter 27\n1\. zero\n {3}- 1-1 legal\n\nno list$/);
});

t.test('equations keep their text and what it means', async (t) => {
  const r = (text: string): string => `<m:r><m:t>${text}</m:t></m:r>`;
  const equation = [
    `<m:f><m:num>${r('a+b')}</m:num><m:den>${r('2')}</m:den></m:f>`,
    `<m:sSup><m:e>${r('x')}</m:e><m:sup>${r('n')}</m:sup></m:sSup>`,
    `<m:rad><m:deg>${r('3')}</m:deg><m:e>${r('y')}</m:e></m:rad>`,
    `<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/><m:e>${r('z')}</m:e></m:rad>`,
    `<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e>${r('&lt;')}</m:e></m:d>`,
    `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${r('i=1')}</m:sub><m:sup>${r('∞')}</m:sup><m:e>${r('k')}</m:e></m:nary>`,
  ].join('');
  const inLine = `<w:p>${run('Let ')}<m:oMath>${equation}</m:oMath>${run('.')}</w:p>`;
  const alone = `<w:p><m:oMathPara><m:oMathParaPr/><m:oMath>${r('E=m')}</m:oMath></m:oMathPara></w:p>`;
  t.equal(await textOf(inLine + alone), lines('Let (a+b)/2 x^n √(3&y) √z[<]∑_(i=1)^∞ k.', 'E=m'));
});

t.test(
  'text boxes, fields, ruby and text in both directions are read once, descriptions of pictures too',
  async (t) => {
    const box = `<w:txbxContent>${paragraph('In a box')}</w:txbxContent>`;
    const drawing = (inner: string): string =>
      `<w:drawing><wp:inline><wp:docPr id="1" name="P" descr="A [cup] &amp; tea"/>${inner}</wp:inline></w:drawing>`;
    const old = `<w:pict><v:shape><v:textbox>${box}</v:textbox></v:shape></w:pict>`;
    const choice = `<mc:AlternateContent><mc:Choice Requires="wps">${drawing(`<wps:txbx>${box}</wps:txbx>`)}</mc:Choice><mc:Fallback>${old}</mc:Fallback></mc:AlternateContent>`;
    const emoji =
      '<mc:AlternateContent><mc:Choice Requires="x"/><mc:Fallback><w:t>😀</w:t></mc:Fallback></mc:AlternateContent>';
    const body = [
      `<w:p><w:r>${choice}</w:r></w:p>`,
      `<w:p><w:r>${drawing('')}${emoji}</w:r></w:p>`,
      `<w:p><w:r>${old.replace('v:shape', 'v:shape alt="Old"')}</w:r></w:p>`,
      `<w:p><w:fldSimple w:instr="REF x">${run('Page 5')}</w:fldSimple><w:dir w:val="rtl">${run(' שלום')}</w:dir></w:p>`,
      `<w:p><w:r><w:ruby><w:rt>${run('かん')}</w:rt><w:rubyBase>${run('漢')}</w:rubyBase></w:ruby></w:r></w:p>`,
      '<w:p><w:r><w:t>so</w:t><w:softHyphen/><w:t>ft</w:t><w:cr/><w:t><![CDATA[<cut>]]></w:t><w:ptab/><w:t>e<!-- no -->nd</w:t></w:r></w:p>',
    ];
    t.equal(
      await textOf(body.join('')),
      lines(
        '![A cup & tea]()',
        'In a box',
        '![A cup & tea]()😀',
        '![Old]()',
        'In a box',
        'Page 5 שלום',
        '漢',
        'soft\n\\<cut>\tend',
      ),
    );
  },
);

t.test(
  'emphasis, links and raised numbers are Markdown, and what would begin a block is escaped',
  async (t) => {
    const link = (text: string, properties = ''): string =>
      `<w:hyperlink r:id="link">${run(text, properties)}</w:hyperlink>`;
    const anchor = `<w:hyperlink w:anchor="x">${run('there')}</w:hyperlink>`;
    const raised = '<w:vertAlign w:val="superscript"/>';
    const body = [
      `<w:p>${run('a ')}${run('bold ', '<w:b/>')}${run('and', '<w:b/>')}${run(' both', '<w:b/><w:i/>')}${run(' not', '<w:b w:val="0"/>')}</w:p>`,
      `<w:p>${link('a')}${link(' link')}${run(' ')}${anchor}</w:p>`,
      `<w:p>${run('10')}${run('6', raised)}${run(' the 1')}${run('st', raised)}</w:p>`,
      paragraph('# none'),
      `<w:p>${run('gone', '<w:dstrike/>')}${run(': ', '<w:b/>')}</w:p>`,
    ];
    t.equal(
      await textOf(body.join('')),
      lines(
        'a **bold and** ***both*** not',
        '[a link](https://example.org/a_%28b%29) there',
        '10⁶ the 1st',
        '\\# none',
        '~~gone~~:',
      ),
    );
  },
);

t.test(
  'tables: cells that span others are repeated, those within are text, one cell is a frame',
  async (t) => {
    const cell = (content: string, properties = ''): string =>
      `<w:tc><w:tcPr>${properties}</w:tcPr>${content}</w:tc>`;
    const row = (...cells: readonly string[]): string => `<w:tr>${cells.join('')}</w:tr>`;
    const table = (...rows: readonly string[]): string => `<w:tbl><w:tblPr/>${rows.join('')}</w:tbl>`;
    const inner = table(row(cell(paragraph('x')), cell(paragraph('y'))));
    const long = 'long '.repeat(30).trim();
    const body = [
      table(
        row(
          cell(paragraph('Year'), '<w:vMerge w:val="restart"/>'),
          cell(paragraph('Sum'), '<w:gridSpan w:val="2"/>'),
        ),
        row(cell(paragraph('')), cell(paragraph('a|b')), cell(paragraph('c') + paragraph('d'))).replace(
          '<w:tcPr></w:tcPr>',
          '<w:tcPr><w:vMerge/></w:tcPr>',
        ),
        row(cell(inner), cell(paragraph(long), '<w:gridSpan w:val="2"/>')),
      ),
      table(row(cell(paragraph('Framed.') + paragraph('Twice.')))),
      table(row(cell(paragraph('')), cell(paragraph('')))),
    ];
    t.equal(
      await textOf(body.join('')),
      lines(
        `| Year | Sum | Sum |\n| - | - | - |\n| Year | a\\|b | c d |\n| x y | ${long} | |`,
        'Framed.',
        'Twice.',
      ),
    );
  },
);

t.test('notes follow the block that refers to them', async (t) => {
  const reference = (id: number): string => `<w:r><w:footnoteReference w:id="${id}"/></w:r>`;
  const note = (id: number, text: string): string =>
    `<w:footnote w:id="${id}">${paragraph(text)}</w:footnote>`;
  const body = `<w:p>${run('One')}${reference(5)}${run(' two')}${reference(3)}</w:p><w:p>${run('Again')}${reference(5)}</w:p>`;
  const footnotes = note(3, 'Three.') + note(5, 'Five.') + note(9, 'Unused.');
  t.equal(
    await textOf(body, { footnotes }),
    lines('One[^1] two[^2]', '[^1]: Five.', '[^2]: Three.', 'Again[^1]'),
  );
});

t.test('of tracked changes the new text is read; what is left out is reported', async (t) => {
  const body = `<w:p><w:ins>${run('new')}</w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del></w:p>`;
  t.equal(await textOf(body), 'new');
  t.equal(await leftOut(body), undefined);
  const others = {
    'word/header1.xml': '<w:hdr><w:t>Top</w:t></w:hdr>',
    'word/footer1.xml': '<w:ftr><w:t> </w:t></w:ftr>',
    'word/comments.xml': '<w:comments><w:t>Why?</w:t></w:comments>',
    'word/charts/chart1.xml': '<c:chart><c:v>5</c:v></c:chart>',
    'word/theme/theme1.xml': '<a:t>Theme</a:t>',
  };
  t.equal(await leftOut(body, { others }), 'headers, comments, charts');
  const hidden = `<w:p>${run('Shown', '<w:vanish w:val="0"/>')}${run(' hidden', '<w:vanish/>')}</w:p>`;
  t.equal(await textOf(hidden), 'Shown');
  const unknown = `<w:p><w:odd>${run('lost')}</w:odd><w:even/></w:p><w:altChunk r:id="x"/>`;
  t.equal(await leftOut(hidden + unknown), 'hidden text, odd, altChunk');
});

t.test('a deleted row is neither read nor counted, and its numbers go to the next row', async (t) => {
  const numbering = define(1, level(0, 'decimal', '%1.')) + list(1, 1);
  const row = (text: string, properties = ''): string =>
    `<w:tr><w:trPr>${properties}</w:trPr><w:tc>${item(text, 1)}</w:tc><w:tc>${paragraph('x')}</w:tc></w:tr>`;
  const body = `<w:tbl>${row('one')}${row('gone', '<w:del w:id="1"/>')}${row('two')}</w:tbl>`;
  t.equal(await textOf(body, { numbering }), '| 1. one | x |\n| - | - |\n| 2. two | x |');
});

t.test('prefixes are those that the root declares', async (t) => {
  const main = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
  const xml = `<x:document xmlns:x="${main}"><x:body><x:p><x:r><x:rPr><x:b/></x:rPr><x:t>a &lt; b</x:t></x:r></x:p></x:body></x:document>`;
  t.equal(await textOf('', { others: { 'word/document.xml': xml } }), '**a < b**');
});

t.test('title, authors and dates are those of the file', async (t) => {
  const core =
    '<dc:title>Tea &amp; cups</dc:title><dc:creator>Ann; Bob</dc:creator><dcterms:created>2020-01-02T03:04:05Z</dcterms:created><dc:subject/>';
  const { title, metadata } = await readWith(createReader, docxOf(paragraph('x'), { core }));
  t.same([title, metadata], ['Tea & cups', { authors: ['Ann', 'Bob'], created: '2020-01-02T03:04:05Z' }]);
});

/** Hostile files with nothing wrong in them. */
const READ = [
  '20,000 attributes',
  '20,000 unknown elements',
  'numbers as long as a file likes',
  'styles based on each other',
];

t.test('hostile files end at once, with an error for the caller or with their text', async (t) => {
  for (const [name, make] of Object.entries(HOSTILE_DOCX)) {
    const read = readWith(createReader, make());
    if (READ.includes(name)) t.type((await read).text, 'string', name);
    else await t.rejects(read, { statusCode: 400, message: /^The (?:file|document) cannot be read: / }, name);
  }
});
