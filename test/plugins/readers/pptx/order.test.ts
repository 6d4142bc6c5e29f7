import t from 'tap';
import createReader from '../../../../plugins/readers/pptx/index.ts';
import { inReadingOrder } from '../../../../plugins/readers/pptx/order.ts';
import { between, createRandom } from '../../../support/random.ts';
import { deckOf, frameXml, shapeOf } from '../../toolkit/office/office-files.ts';
import { readWith } from '../reading.ts';

/** A box on a slide of 1000 by 500: left, top, width and height. */
type Box = readonly [number, number, number, number];

const linesOf = async (shapes: string) =>
  (await readWith(createReader, deckOf([{ shapes }]))).text.split('\n\n');
const slide = (boxes: Readonly<Record<string, Box>>): string =>
  Object.entries(boxes)
    .map(([text, box]) => shapeOf({ text: [text], box }))
    .join('');

/** Slides by their arrangement. The boxes are in the order in which people read them. */
const SLIDES: Readonly<Record<string, Readonly<Record<string, Box>>>> = {
  'from top to bottom': { a: [0, 0, 400, 50], b: [0, 100, 900, 50], c: [50, 200, 400, 50] },
  'two columns': { a: [0, 50, 450, 300], b: [550, 20, 450, 400] },
  'two columns with heads': {
    a: [0, 100, 400, 40],
    b: [0, 150, 400, 300],
    c: [500, 100, 400, 40],
    d: [500, 150, 400, 200],
  },
  'columns of several boxes below a line, and a line below them': {
    top: [0, 60, 1000, 40],
    a: [0, 110, 300, 40],
    b: [0, 152, 300, 100],
    c: [350, 110, 300, 40],
    d: [350, 152, 300, 60],
    e: [700, 110, 300, 40],
    f: [700, 152, 300, 200],
    bottom: [0, 420, 1000, 40],
  },
  'rows of labels and values': {
    name: [0, 100, 200, 40],
    Ann: [210, 100, 500, 40],
    age: [0, 150, 200, 40],
    five: [210, 150, 500, 40],
    town: [0, 200, 200, 40],
    Ulm: [210, 200, 500, 40],
  },
  'four fields': {
    a: [0, 60, 480, 200],
    b: [500, 60, 480, 200],
    c: [0, 290, 480, 200],
    d: [500, 290, 480, 200],
  },
  'boxes that overlap a little': { a: [0, 0, 900, 102], b: [0, 100, 900, 102], c: [0, 200, 900, 100] },
  'a box behind columns': {
    back: [0, 60, 1000, 440],
    a: [20, 80, 400, 50],
    b: [20, 140, 400, 300],
    c: [520, 80, 400, 50],
    d: [520, 140, 400, 300],
  },
  'a line whose boxes are not exactly level': {
    a: [0, 104, 200, 40],
    b: [300, 100, 200, 40],
    c: [0, 200, 900, 40],
  },
  'thin boxes beside each other': { a: [0, 100, 400, 5], b: [500, 100, 400, 5] },
};

for (const [name, boxes] of Object.entries(SLIDES))
  t.test(`slides are read as people do: ${name}`, async (t) => {
    const texts = Object.keys(boxes);
    const random = createRandom(3);
    for (let at = 0; at < 4; at++) {
      const shuffled = Object.entries(boxes)
        .map((entry) => ({ entry, at: between(random, 0, 1000) }))
        .sort((one, other) => one.at - other.at);
      t.same(await linesOf(slide(Object.fromEntries(shuffled.map(({ entry }) => entry)))), texts);
    }
  });

t.test(
  'the title is first, groups stay together, and shapes without a box stay where they are',
  async (t) => {
    const group = (xml: string): string =>
      `<p:grpSp><p:grpSpPr>${frameXml('a:xfrm', [0, 200, 1000, 100], '', '<a:chOff x="0" y="200"/><a:chExt cx="1000" cy="100"/>')}</p:grpSpPr>${xml}</p:grpSp>`;
    const shapes = [
      shapeOf({ text: ['loose'] }),
      shapeOf({ text: ['below'], box: [0, 400, 100, 50] }),
      shapeOf({ text: ['after'] }),
      group(slide({ c: [0, 260, 400, 30], b: [0, 200, 400, 50] })),
      shapeOf({ text: ['above'], box: [100, 100, 800, 80] }),
      shapeOf({ text: ['Title'], placeholder: 'type="title"', box: [0, 450, 100, 50] }),
    ];
    t.same(await linesOf(shapes.join('')), ['# Title', 'loose', 'above', 'b', 'c', 'below', 'after']);
  },
);

t.test('columns of a presentation from right to left begin at the right', async (t) => {
  const box = (left: number) => [left, 0.2, left + 0.4, 0.9] as const;
  const units = [
    { items: ['b'], box: box(0) },
    { items: ['a'], box: box(0.5) },
  ];
  t.same(inReadingOrder(units, true), ['a', 'b']);
  t.same(inReadingOrder(units, false), ['b', 'a']);
});

t.test('any number of boxes keep all their items, once', async (t) => {
  const random = createRandom(5);
  for (const count of [0, 1, 2, 7, 40, 299, 20_000]) {
    const units = Array.from({ length: count }, (_, at) => {
      const [left, top] = [between(random, 0, 90) / 100, between(random, 0, 90) / 100];
      const right = left + between(random, 0, 10) / 100;
      return { items: [at], box: [left, top, right, top + between(random, 0, 10) / 100] as const };
    });
    const read = inReadingOrder(units, false);
    t.equal(read.length, count);
    t.equal(new Set(read).size, count);
  }
});

t.test('boxes within boxes do not take quadratic time', async (t) => {
  const units = Array.from({ length: 20_000 }, (_, at) => {
    const edge = at / 50_000;
    return { items: [at], box: [edge, edge, 1 - edge, 1 - edge] as const };
  });
  t.equal(inReadingOrder(units, false).length, units.length);
});
