import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { findNumberedHeadings } from '../../../../plugins/toolkit/numbered/index.ts';

/** The headings of a text, each indented by its level. */
function outlineOf(text: string): string[] {
  return findNumberedHeadings(text).map(({ level, name }) => '  '.repeat(level - 1) + name);
}

/** A text of headings, each with a paragraph below it. */
function withText(...headings: readonly string[]): string {
  return headings.map((heading) => `${heading}\n\nHere is what it says, at some length.\n\n`).join('');
}

t.test('headings of all forms are found with their levels', async (t) => {
  const forms: readonly (readonly string[])[] = [
    [
      '1. Scope',
      '  1.1. Terms',
      '  1.2. origin-form',
      '2. Use',
      'Appendix A. Changes',
      '  A.1. Old',
      '    A.1.1. Older',
    ],
    ['1 Scope', '  1.1 Terms', '    1.1.1 Short terms', '    1.1.2 Long terms', '2 Use', '3 End'],
    [
      'Part One',
      '  Chapter I',
      '    Article 1',
      '    Article 2 Terms',
      '  Chapter II',
      '    Article 3',
      'Part Two',
    ],
    [
      'Erster Teil',
      '  1. Abschnitt',
      '    § 1 Zweck',
      '    § 2 Begriffe',
      '  2. Abschnitt',
      '    § 3 Ziel',
      'Zweiter Teil',
    ],
    [
      'Buch 1',
      '  Abschnitt 1',
      '    Titel 1',
      '      § 1',
      '      § 1a',
      '    Titel 2',
      '      § 2',
      'Buch 2',
    ],
    [
      'Livre premier : Des biens',
      '  Titre Ier : Des choses',
      '    Article 1er',
      '    Article 2 bis',
      '  Titre II',
      'Livre II',
    ],
    [
      'Titre Ier',
      '  Article L121-1',
      '  Article L121-1-1',
      '  Article L121-2',
      'Titre II',
      '  Article L122-1',
    ],
    [
      'TÍTULO PRIMERO',
      '  Capítulo I',
      '    Artículo 1.º',
      '    Artículo 2',
      '  Capítulo II',
      '    Artículo 3',
      'TÍTULO II',
    ],
    ['TITOLO I', '  Capo I', '    Art. 1', '    Art. 1-bis', '  Capo II', '    Art. 2', 'TITOLO II'],
    ['第一章 总则', '  第一条', '  第二条', '第二章 附则', '  第三条'],
    ['第一編', '  第一章　通則', '    第一条', '    第一条の二', '    第2条', '  第二章', '第二編'],
    [
      'Fünfzehnter Abschnitt',
      '  § 1 A',
      '  § 2 B',
      'Sechzehnter Abschnitt',
      '  § 3 C',
      'Siebzehnter Abschnitt',
    ],
    [
      'Titre Ier',
      '  Article 16',
      '  Article 16 bis',
      '  Article 16 A',
      '  Article 16 B bis',
      '  Article 17',
      'Titre II',
    ],
    ['Article L121-1 A', 'Article L121-1', 'Article L121-2'],
    ['TITULO I', '  CAPITULO PRELIMINAR', '    ARTICULO 1', '  CAPITULO I', '    ARTICULO 2', 'TITULO II'],
    ['第一章', '  第一条', '  第二条', '附則', '  第一条', '附則', '  第一条', '  第二条'],
    ['Title I', '  Section 1', '  Section II', '  Section III', 'Title II'],
    ['Part A', '  1. Persons', '  2. Places', 'Part B', '  1. Times', '  2. Sums', '  3. Rules'],
    [
      ...['Article 1', 'Article 2', 'Article 2 ter', 'Article 2-0 A', 'Article 2 A'],
      ...['Article 2 P', 'Article 2 PA', 'Article 2 Q', 'Article 3'],
    ],
    ['I - Del concepto', '  Artículo 1', '  Artículo 2', 'II - Del fin', '  Artículo 3', 'III - Otras'],
    ['SECCION I', '  SUB SECCION I', '    Artículo 1', '  SUB SECCION II', '    Artículo 2', 'SECCION II'],
    ['第三十二条', '第三十三条', '第三十四条', '第三十五条'],
    ['Article premier', 'Article premier bis', 'Article 2', 'Article 3 vicies', 'Article 3 unvicies'],
    ['ANNEX', '  Appendix 1', '  Appendix 2', 'ANNEX II', '  Appendix 1'],
    ['Chapitre 1er', '  Article 1er', '  Article 2', 'Chapitre II', '  Article 3'],
    ['I. Facts', '  A. Persons', '  B. Places', '  C. Times', 'II. Law', 'III. Result'],
    [
      ...['Neununddreißigster Abschnitt', '  § 1', 'Vierzigster Abschnitt', '  § 2'],
      ...['Vierzigster Abschnitt a - Mehr', '  § 3', 'Einundvierzigster Abschnitt', '  § 4'],
      ...['Anlage 1 zu § 2', 'Anlage 2 zu § 4'],
    ],
    [
      ...['A. - Land', '  I. - Fields', '    § 1', '  II. - Woods', '    § 2', 'B. - Houses', '  I. - Old'],
      ...['    § 3', '  II. - New', '    § 4', 'C. - Firms', '  § 5', 'D. - Rest', '  § 6'],
    ],
    ['I. Land', '  Art. 1', 'II. Wasser', '  Art. 2', 'II a. Luft', '  Art. 3', 'III. Feuer', '  Art. 4'],
    ['Section A: general rules', '  § 1', 'Section B: special rules', '  § 2', '  § 3'],
    ['1. Scope', '  1.1 Terms', '2. Use', 'A. Old', '  A.1 Older', '  A.2 Oldest', 'B. New'],
    ['1. Scope', '2. Use', '  2.1 Clear the list.', '  2.2 Send it.', '3. Appendix A: History', '  3.1 Past'],
    [
      ...['1. Coke', '  A. Scope', '  B. Rules', '    B.1. Dust', '    B.2. Gas'],
      ...['2. Steel', '  A. Scope', '  B. Rules', '3. Glass', '  A. Scope', '  B. Rules', '4. Lime'],
    ],
    ['一、概况', '  （一）地点', '  （二）时间', '  （三）人物', '二、经过', '三、结果'],
  ];
  for (const form of forms) {
    const long = 'Here is what it says, at some length. '.repeat(8);
    const depthOf = (heading = '') => heading.search(/\S/);
    // As in most texts, headings that hold others have no text of their own.
    const isHolder = (at: number) => depthOf(form[at + 1]) > depthOf(form[at]);
    const text = form
      .map((heading, at) => `${heading.trim()}\n\n${isHolder(at) ? '' : `${long}\n\n`}`)
      .join('');
    t.same(outlineOf(text), form, form[0] as string);
    t.same(outlineOf(text.replaceAll('\n', '\r\n')), form, `${form[0]}, with CRLF`);
  }
});

t.test('numbers in a text are not headings', async (t) => {
  const article = (number: number) => withText(`Article ${number}`);
  const law = (between: string) => `${article(1)}${article(2)}${between}\n\n${article(3)}${article(4)}`;
  const all = ['Article 1', 'Article 2', 'Article 3', 'Article 4'];
  for (const line of [
    'Article 3 applies to all of them.',
    'Article 7',
    'Article 1',
    'Article 3 of the Treaty',
    'Article 3\nof the Treaty says so.',
    'It says so in\nArticle 3',
    '1. The first is long enough to be a sentence, and ends like one.\n\n2. So is the second.\n\n3. And the third.',
    '1. Apples\n2. Pears\n3. Plums',
    '1.1.\n\nApples are red.\n\n1.2.\n\nPears are green.\n\n1.3.\n\nPlums are blue.',
    '1. Januar 2020\n\nwas a day\n\n2. Januar 2020\n\nanother day',
    '1.2.3 First version\n\nis out\n\n1.2.4 Second version\n\nis out',
    'Article 1 ........ 3\nArticle 2 ........ 5\nArticle 3 ........ 7',
    'Figure 1 Apples\n\nare red\n\nFigure 2 Pears\n\nare green',
    '1. Chapter 5 applies to boats\n\nthat float\n\n2. Chapter 7 applies to ferries\n\nthat float',
    'Section A\n\nof a list\n\nSection B\n\nof a list\n\nSection C\n\nof a list',
  ])
    t.same(outlineOf(law(line)), all, line);
  t.same(outlineOf(withText('§ 1 Absatz 2', '§ 2 Satz 1')), []);
});

t.test('items of a list, whose text hangs below their numbers, are not headings', async (t) => {
  const item = (number: number) =>
    `${number}.  Boats that have engines, of which\n    Ferries are not some\n\nAnd more.\n\n`;
  t.same(outlineOf(item(1) + item(2) + item(3) + item(4)), []);
});

t.test('parts of a numbered paragraph that is not a heading are headings', async (t) => {
  const parts = ['4.1 Design', '4.2 Tests', '4.3 Marks'];
  t.same(
    outlineOf(
      `${withText('Article 1', 'Article 2', 'Article 3', 'ANNEX')}4. These rules apply.\n\n${withText(...parts)}`,
    ),
    [...['Article 1', 'Article 2', 'Article 3', 'ANNEX'], ...parts.map((part) => `  ${part}`)],
  );
});

t.test('numbers that refer to sections of a specification are not headings', async (t) => {
  const sections = [
    '1 Scope',
    '1.1 Terms',
    '1.2 Names',
    '1.3 Places',
    '2 Use',
    '2.1 Wide use',
    '2.2 Other use',
    '3 End',
  ];
  const outline = sections.map((name) => (/^\d\./.test(name) ? `  ${name}` : name));
  const withLine = (line: string) =>
    sections.map((name) => withText(name) + (name.startsWith('1.1') ? `${line}\n\n` : '')).join('');
  for (const line of ['2 Use', '1.2 Names', '1.2 Names, 2.1 Wide use', '2.2 Other use'])
    t.same(outlineOf(withLine(line)), outline, line);
  const items = ['1. Title', '2. Names', '3. Places', '4. Ends'].join('\n\nis one of them\n\n');
  const withItems = (name: string) =>
    sections.map((one) => withText(one) + (one === name ? `${items}\n\nand more\n\n` : ''));
  for (const name of ['1 Scope', '1.2 Names', '1.3 Places', '2 Use'])
    t.same(outlineOf(withItems(name).join('')), outline, `of a list in ${name}`);
  // Sections that are written as the items are.
  const withPeriods = (text: string) => text.replace(/^( *\d)(?= )/gm, '$1.');
  for (const name of ['1.1 Terms', '1.3 Places', '2 Use'])
    t.same(
      outlineOf(withPeriods(withItems(name).join(''))),
      outline.map(withPeriods),
      `with periods in ${name}`,
    );
  for (const sign of ['§', 'section']) {
    const cells = ['1.1 Terms', '1.2 Names', '2.2 Other use'].map((cell) => `${sign} ${cell}`);
    t.same(outlineOf(withLine(cells.join('\n\nis in\n\n'))), outline, sign);
  }
  const appendix = withText('A. Books', 'A.1 Old books');
  const authors = `${withLine('')}${appendix}B. Smith; C. Jones. New books\n\nare here\n`;
  t.same(outlineOf(authors), [...outline, 'A. Books', '  A.1 Old books'], 'of authors');
});

t.test('a subtitle is below a title with text between them', async (t) => {
  const first = withText('Article 1', 'Subtitle 1', 'Article 2', 'Subtitle 2', 'Article 3');
  const text = `Section 1\n\nTitle 1\n\n${first}Title 2\n\n${withText('Article 4')}Section 2\n\n${withText('Article 5')}`;
  const outline = outlineOf(text).filter((line) => /itle/.test(line));
  t.same(outline, ['  Title 1', '    Subtitle 1', '    Subtitle 2', '  Title 2']);
});

t.test('numbers above articles are headings, and the same numbers within articles are not', async (t) => {
  const list = '1. Wages\n\nof any kind\n\n2. Rents\n\nof any kind\n\n3. Gifts\n\nof any kind\n\n';
  const long = 'It is long. '.repeat(40);
  const text = [
    ...['I. Income', '1. Wages', `§ 1\n\nThere are:\n\n${list}`, '2. Rents', 'a) Land', `§ 2\n\n${long}`],
    ...['b) Houses', `§ 3\n\n${long}`, 'c) Boats', `§ 4\n\n${list}`, '3. Gifts', `§ 5\n\n${list}`],
    ...['II. Costs', '§ 6\n\nThey count.', 'III. Rates', '1. Now', '§ 7\n\nThey rise.'],
    ...['2. Later', 'a) In May', '§ 8\n\nThey rise.', 'b) In June', '§ 9\n\nThey fall.'],
  ].join('\n\n');
  t.same(outlineOf(text), [
    ...['I. Income', '  1. Wages', '    § 1', '  2. Rents', '    a) Land', '      § 2', '    b) Houses'],
    ...[
      '      § 3',
      '    c) Boats',
      '      § 4',
      '  3. Gifts',
      '    § 5',
      'II. Costs',
      '  § 6',
      'III. Rates',
    ],
    ...['  1. Now', '    § 7', '  2. Later', '    a) In May', '      § 8', '    b) In June', '      § 9'],
  ]);
});

t.test('a text without blank lines has its headings', async (t) => {
  const headings = ['Chapter I', 'Article 1', 'Article 2', 'Chapter II', 'Article 3'];
  const body = [
    '(1) The members of the council, as they are listed in the annex and in',
    'Article 2 of the treaty, decide by a majority of the members who attend,',
    'and publish what they decide',
  ].join('\n');
  const lines = headings.map((heading) => (heading.startsWith('C') ? heading : `${heading}\n${body}`));
  const outline = ['Chapter I', '  Article 1', '  Article 2', 'Chapter II', '  Article 3'];
  t.same(outlineOf(lines.join('\n')), outline, 'of wrapped lines');
  const whole = lines.map((line) =>
    line.replace(/\n(?!\()/g, ' ').replace('(1)', body.replaceAll('\n', ' ')),
  );
  t.same(outlineOf(whole.join('\n')), outline, 'of a line for each paragraph');
});

t.test('a table of correlation has no headings', async (t) => {
  const cells = [1, 2, 3, 4, 5, 6].flatMap((number) => [
    `Article ${number}`,
    number % 3 === 0 ? `Article ${number}(1)` : '-',
  ]);
  const text = `${withText('Article 1', 'Article 2', 'Article 3', 'ANNEX')}${cells.join('\n\n')}\n`;
  t.same(outlineOf(text), ['Article 1', 'Article 2', 'Article 3', 'ANNEX']);
});

t.test('what an act quotes, and numbered rows of its tables, are not its headings', async (t) => {
  const quoted =
    '‘Article 2a\n\nScope\n\nIt is wide.\n\nArticle 3\n\nIt is the regulator’s.\n\nAnd it is so.’;\n\n';
  const rows = ['1. Power', '2. Water', '3. Air', '4. Gas'].map((row) => `${row}\n\nwho supplies it\n\n`);
  const annex = `ANNEX\n\n${rows.join('')}It ends.\n`;
  const text = `${withText('Article 1', 'Article 2')}${quoted}${withText('Article 3', 'Article 4')}${annex}`;
  t.same(outlineOf(text), ['Article 1', 'Article 2', 'Article 3', 'Article 4', 'ANNEX']);
  t.equal(findNumberedHeadings(text)[2]?.start, text.lastIndexOf('Article 3'));
});

t.test(
  'chapters without text of their own are headings below a title, not in a table of contents',
  async (t) => {
    const empty = 'Chapter I\n\nChapter II\n\n';
    const full = `Title I\n\nChapter I\n\n${withText('Article 1')}Chapter II\n\n${withText('Article 2')}`;
    const text = `${full}Title II\n\n${empty}${withText('Article 3')}Title III\n\n${empty}${full.slice(9)}`;
    t.same(outlineOf(text).slice(5, 9), ['Title II', '  Chapter I', '  Chapter II', '    Article 3']);
  },
);

t.test('a table of contents is not the text', async (t) => {
  const titles = ['Chapter I', 'Article 1', 'Article 2', 'Chapter II', 'Article 3'];
  const found = findNumberedHeadings(`Contents\n\n${titles.join('\n')}\n\nBegin.\n\n${withText(...titles)}`);
  t.equal(found.length, 5);
  t.ok(found.every(({ start }) => start > 60));
});

t.test('a table of contents with words between its lines is not the text', async (t) => {
  const cells = 'Chapter 1\n\n1.01\n\nScope of it all\n\nChapter 2\n\n2.01\n\nUse of it all\n\n';
  const text = `Contents\n\n${cells}${withText('Chapter 1 General', '§ 1.01 Scope', '§ 1.02 Terms', 'Chapter 2 Special', '§ 2.01 Use')}`;
  t.same(outlineOf(text), [
    'Chapter 1 General',
    '  § 1.01 Scope',
    '  § 1.02 Terms',
    'Chapter 2 Special',
    '  § 2.01 Use',
  ]);
});

t.test('repealed and inserted numbers belong to the sequence', async (t) => {
  const text = `${withText('§ 1 Zweck')}§ 2 (weggefallen)\n\n§§ 3 bis 6 (weggefallen)\n\n${withText('§ 4', '§ 7 Ziel', '§ 7a Weg', '§ 9 Ende')}`;
  t.same(outlineOf(text), [
    '§ 1 Zweck',
    '§ 2 (weggefallen)',
    '§§ 3 bis 6 (weggefallen)',
    '§ 7 Ziel',
    '§ 7a Weg',
    '§ 9 Ende',
  ]);
});

t.test('the title on the line below is part of a heading, and text on its own line is not', async (t) => {
  const [first, second] = findNumberedHeadings(
    'Article 1\n\nScope\n\nIt is wide.\n\nArt. 2. It is long, and has an end.\n\n',
  );
  t.same([first?.name, second?.name], ['Article 1 Scope', 'Art. 2']);
  t.equal(first?.end, 'Article 1\n\nScope'.length);
  t.equal(first?.start, 0);
  t.equal(second?.start, 'Article 1\n\nScope\n\nIt is wide.\n\n'.length);
  t.equal(second?.isLead, false);
});

t.test('headings rise and lie within the text, whatever it is', async () => {
  const piece = fc.constantFrom(
    'Article ',
    '§ ',
    'Chapter ',
    '第',
    '条',
    '1',
    '2',
    '3',
    '.',
    'I',
    'a',
    ')',
    '(',
    ' ',
    '\n',
    '\n\n',
    '\r\n',
    'Scope',
    '\ud83d',
    '\udc4d',
    'to',
    '-',
    '\t',
    '#',
    '**',
    '\\',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 80 }), (pieces) => {
      const text = pieces.join('');
      let last = -1;
      for (const { start, end, level } of findNumberedHeadings(text)) {
        assert.ok(start > last && end > start && end <= text.length && level > 0);
        last = start;
      }
    }),
    { numRuns: 500 },
  );
});
