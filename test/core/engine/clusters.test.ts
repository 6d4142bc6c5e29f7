import fc from 'fast-check';
import t from 'tap';
import { noFlags, removeCutsInClusters } from '../../../core/engine/cuts/clusters.ts';
import { cutAtCodePoints } from '../../../core/engine/cuts/cuts.ts';

/** Code points of every class of the rules, and of scripts of the second plane. */
const POINTS = [
  ...[
    'a',
    '0',
    ' ',
    '\r',
    '\n',
    '\u00a9',
    '\u0301',
    '\u0903',
    '\u0600',
    '\u200b',
    '\u200c',
    '\u200d',
    '\ufe0f',
  ],
  ...[
    '\u0915',
    '\u0937',
    '\u094d',
    '\u093f',
    '\u09a4',
    '\u09cd',
    '\u0e01',
    '\u0e33',
    '\u0e49',
    '\u1000',
    '\u1039',
  ],
  ...[
    '\u102b',
    '\u1780',
    '\u17d2',
    '\u1100',
    '\u1161',
    '\u11a8',
    '\uac00',
    '\uac01',
    '漢',
    '\ud83d',
    '\ude00',
  ],
  ...[
    '👨',
    '👩',
    '🏽',
    '❤',
    '☺',
    '🇩',
    '🇪',
    '🇫',
    '\u20e3',
    '\u{e0067}',
    '\u{e007f}',
    '\u{e0001}',
    '\u{e0100}',
  ],
  ...['\u{110bd}', '\u{11133}', '\u{11107}', '\u{11127}', '\u{1112c}', '\u{16d63}', '\u{20000}', '\u{e0fff}'],
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...POINTS), fc.constantFrom('\u200d', '🇩', '\u0301', '\u094d')), {
    maxLength: 24,
  })
  .map((points) => points.join(''));
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
const edgesOf = (text: string) => [...segmenter.segment(text)].map(({ index }) => index).slice(1);

t.test('clusters are those of Intl.Segmenter', async () => {
  const holds = fc.property(text, (text) => {
    const found = removeCutsInClusters(cutAtCodePoints(text, 0, text.length), text, noFlags(), true);
    if (found.join() !== edgesOf(text).join()) throw new Error(`${found}, not ${edgesOf(text)}`);
  });
  fc.assert(holds, { numRuns: 10_000 });
});

t.test('the class of every code point is that of Intl.Segmenter', async (t) => {
  const wrong: string[] = [];
  for (const point of pointsOfPlanes()) {
    const one = String.fromCodePoint(point);
    for (const text of [
      `a${one}a${one}\u0301${one}\u200d${one}\u0915\u094d${one}\u1100${one}\u1160${one}\u11a8${one}`,
      `©${one}\u200d©${one}\u0915${one}\u0915\u094d${one}\u0915`,
    ]) {
      const found = removeCutsInClusters(cutAtCodePoints(text, 0, text.length), text, noFlags(), true);
      if (found.join() !== edgesOf(text).join()) wrong.push(point.toString(16));
    }
  }
  t.same(wrong, []);
});

/** Those that have a class of their own: of the first two planes, and some above. Surrogates are tested alone. */
function* pointsOfPlanes(): Generator<number> {
  for (const [from, to, step] of [
    [0, 0x3400, 1],
    [0x3400, 0xa000, 64],
    [0xa000, 0xd800, 7],
    [0xe000, 0x12000, 1],
    [0x12000, 0x20000, 5],
    [0xe0000, 0xe1000, 1],
  ] as const) {
    for (let point = from; point < to; point += step) yield point;
  }
}

t.test('flags are paired from the beginning of their run, in whatever stretch and order', async (t) => {
  const text = `x${'🇩🇪'.repeat(50)}y${'🇫'.repeat(31)}`;
  const edges = new Set(edgesOf(text));
  const flags = noFlags();
  for (const at of [41, 5, 9, 7, 203, 199, 3, 205, 207, 251, 253, 41, 43]) {
    if (text.charCodeAt(at - 1) < 0xdc00) continue;
    t.equal(removeCutsInClusters([at], text, flags, false).length === 1, edges.has(at), `${at}`);
  }
});

t.test('a line break is cut only by levels that are asked to cut lines', async (t) => {
  t.same(removeCutsInClusters([2, 3], 'a\r\nb', noFlags(), false), [2, 3]);
  t.same(removeCutsInClusters([2, 3], 'a\r\nb', noFlags(), true), [3]);
});
