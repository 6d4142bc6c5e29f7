import t from 'tap';
import createReader from '../../../../plugins/readers/pdf/index.ts';
import { readWith } from '../reading.ts';
import { at, column, makePdf } from './support/builder.ts';

const read = (contents: readonly string[], options = {}) =>
  readWith(createReader, makePdf(contents.map((content) => ({ content }))), {}, options);
const pages = (count: number, of: (page: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => of(index + 1));

const WORDS = ['river', 'letter', 'garden', 'winter', 'market', 'bridge', 'silver', 'hollow'];
/** A paragraph that no other page has. */
const body = (page: number, top = 700, lines = 8): string =>
  column(
    50,
    top,
    Array.from(
      { length: lines },
      (_, line) =>
        `Page text ${WORDS[(page + line) % 8]} goes on ${WORDS[(page * 3 + line) % 8]} and on, ${page}.${line}`,
    ),
  );

/** Content that repeats or is numbered, by kind: what is drawn on a page, and what must be in the text that often. */
const CONTENT: Readonly<
  Record<string, readonly [of: (page: number) => string, text: RegExp, times: number]>
> = {
  'rows of a price list over six pages': [
    (page) =>
      pages(44, (row) =>
        [50, 200, 300, 400]
          .map((x, at_) => at(x, 790 - 17 * row, `${at_ === 0 ? `A${page}` : ''}${row}${at_}`))
          .join(''),
      ).join(''),
    /A\d+/g,
    6 * 44,
  ],
  'bills whose numbers count up with the pages': [
    (page) => at(50, 760, `Invoice No. ${10230 + page}`) + body(page),
    /Invoice No\. \d+/g,
    6,
  ],
  'bills in small letters': [
    (page) => at(50, 760, `Invoice No. ${10230 + page}`, 8) + body(page),
    /Invoice No\. \d+/g,
    6,
  ],
  'bills whose small numbers count up with the pages': [
    (page) => at(50, 760, `Invoice ${page}`) + body(page),
    /Invoice \d/g,
    6,
  ],
  'totals at the ends of pages': [
    (page) => body(page) + at(50, 40, `Balance carried forward ${page * 137},50 EUR`),
    /Balance carried forward/g,
    6,
  ],
  'labels of a form that is filled in for each page': [
    (page) =>
      at(50, 770, `Name: ${WORDS[page % 8]}`) +
      at(50, 740, 'Street:') +
      at(50, 710, 'Town:') +
      body(page, 670),
    /Name: \w+/g,
    6,
  ],
  'a refrain at the top of half of the pages': [
    (page) =>
      (page % 2 === 0
        ? column(50, 770, [
            'Oh my river, oh my winter,',
            'oh my garden by the bridge,',
            'oh my silver, oh my hollow,',
            'all the way along the ridge.',
          ])
        : body(page, 770, 4)) + body(page, 690),
    /Oh my river/g,
    3,
  ],
  'slides with one title': [
    (page) =>
      at(50, 740, page % 2 === 0 ? 'Example' : `Thought ${WORDS[page % 8]}`, 24) +
      at(50, 600, `Point ${WORDS[page]}`, 20) +
      at(50, 570, `Point ${WORDS[page]} and more words`, 20),
    /Example/g,
    3,
  ],
  'exercises, one on each page': [
    (page) => at(50, 760, `Exercise ${page}`, 10, 'B') + body(page),
    /Exercise \d/g,
    6,
  ],
  'days of a diary': [(page) => at(50, 760, `${page} March 1920`) + body(page), /\d March 1920/g, 6],
  'exhibits with numbers': [
    (page) => at(50, 760, `Exhibit 2.3.59-${page}`) + body(page),
    /Exhibit 2\.3\.59-\d/g,
    6,
  ],
  'the label of an axis': [
    (page) => `${body(page)}BT /F 10 Tf 0 1 -1 0 60 300 Tm (Latency of ${WORDS[page % 8]}) Tj ET `,
    /Latency of/g,
    6,
  ],
  'credits of pictures in the margin': [
    (page) =>
      body(page) + (page < 3 ? `BT /F 8 Tf 0 1 -1 0 20 300 Tm (Photo: ${WORDS[page]} and sons) Tj ET ` : ''),
    /Photo: /g,
    2,
  ],
  'labels beside titles that differ': [
    (page) =>
      at(50, 760, `The ${WORDS[page % 8]} of the ${WORDS[(page * 3) % 8]}`, 14) +
      body(page) +
      at(430, 764, 'ACKNOWLEDGED', 8),
    /ACKNOWLEDGED/g,
    6,
  ],
  'the columns of a statement on each page': [
    (page) =>
      [50, 200, 400].map((x, index) => at(x, 770, ['Day', 'Purpose', 'Amount'][index] ?? '')).join('') +
      pages(20, (row) =>
        [50, 200, 400].map((x) => at(x, 740 - 14 * row, `${WORDS[(page * row + x) % 8]} ${row}`)).join(''),
      ).join(''),
    /Day\W+Purpose\W+Amount/g,
    1,
  ],
};

for (const [kind, [of, text, times]] of Object.entries(CONTENT))
  t.test(`${kind} are content`, async (t) => {
    const file = await read(pages(6, of));
    t.ok((file.text.match(text)?.length ?? 0) >= times, `${file.text.match(text)?.length} of ${times}`);
  });

const BATES = (page: number): string => `SMITH-${String(page + 340).padStart(6, '0')}`;

/** Headers and footers, by kind. */
const FURNITURE: Readonly<Record<string, (page: number) => string>> = {
  'a header': () => at(50, 770, 'The Annual Report 2020'),
  'a header and its number': (page) => at(50, 770, 'The Annual Report 2020') + at(500, 770, `${page + 11}`),
  'headers that alternate': (page) =>
    page % 2 === 0
      ? at(50, 770, `${page}`) + at(200, 770, 'A. Writer')
      : at(200, 770, 'The Title') + at(500, 770, `${page}`),
  'Page 3 of 20': (page) => at(250, 30, `Page ${page} of 12`),
  'Seite 3': (page) => at(250, 30, `Seite ${page}`),
  'numbers alone, at any height': (page) => at(290, 30 + 7 * (page % 3), `- ${page} -`),
  'Roman numbers': (page) =>
    at(290, 30, ['i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix', 'x', 'xi', 'xii'][page - 1] ?? ''),
  'numbers of an appendix': (page) => at(290, 30, `A-${page}`),
  'stamped numbers': (page) => at(450, 30, BATES(page)),
  'titles of chapters': (page) =>
    at(50, 770, page <= 6 ? 'Of the River' : 'Of the Garden', 9) + at(500, 770, `${page}`, 9),
  'a date and a number': (page) => at(50, 30, '3 May 2020', 8) + at(500, 30, `${page}/12`, 8),
  'a stamp in the margin': () =>
    'BT /F 14 Tf 0 1 -1 0 24 250 Tm (arXiv:2004.04906v3 [cs.CL] 30 Sep 2020) Tj ET ',
};

for (const [kind, of] of Object.entries(FURNITURE))
  t.test(`${kind} are left out, listed, and kept on request`, async (t) => {
    const bodies = await read(pages(12, (page) => body(page)));
    const made = pages(12, (page) => of(page) + body(page));
    const file = await read(made);
    t.equal(file.text, bodies.text);
    const expected = new Set(
      made.flatMap((_, index) => [...of(index + 1).matchAll(/\((.*?)\) Tj/g)].map(([, text = '']) => text)),
    );
    const listed = (file.leftOutTexts ?? []).map(({ text }) => text);
    for (const text of expected)
      t.ok(
        listed.some((one) => one.includes(text)),
        text,
      );
    t.equal(file.leftOut?.header_or_footer_line, listed.length);
    for (const { start, end, page = 0, box } of file.leftOutTexts ?? []) {
      t.equal(start, end);
      const own = (file.places ?? []).filter((place) => place.page === page);
      t.ok(start >= (own[0]?.start ?? Infinity) && end <= (own.at(-1)?.end ?? 0), `page ${page}`);
      t.ok(box?.every((one) => one >= 0 && one <= 1));
    }
    const kept = await read(made, { keep_furniture: true });
    t.same([kept.leftOut, kept.leftOutTexts], [{}, []]);
    for (const text of expected) t.ok(kept.text.includes(text), text);
  });

t.test('content at the place of the page numbers stays', async (t) => {
  const { text } = await read(pages(12, (page) => body(page) + at(290, 30, page === 7 ? '417' : `${page}`)));
  t.ok(text.includes('417'));
});

t.test('what is nothing but headers is kept', async (t) => {
  const { text } = await read(pages(4, () => at(50, 780, 'Stamped')));
  t.equal(text.match(/Stamped/g)?.length, 4);
});
