import t from 'tap';
import { savitzkyGolayWeights, smooth } from '../../../../plugins/chunkers/semantic/smoothing.ts';
import { openService } from '../../../support/service.ts';
import { checkRefusals } from '../refusals.ts';
import { modelOf, randomVector, sentences, testLetters, textsOf } from './support/sentences.ts';

t.test('the weights of the Savitzky-Golay filter are those of its tables', async (t) => {
  const over = (divisor: number, ...weights: number[]) => weights.map((weight) => weight / divisor);
  // Savitzky and Golay, Analytical Chemistry 36 (1964) 1627, as corrected by Steinier and others in 1972.
  const tables: readonly [window: number, order: number, derivative: 0 | 1 | 2, weights: number[]][] = [
    [5, 2, 0, over(35, -3, 12, 17, 12, -3)],
    [5, 3, 0, over(35, -3, 12, 17, 12, -3)],
    [7, 2, 0, over(21, -2, 3, 6, 7, 6, 3, -2)],
    [9, 3, 0, over(231, -21, 14, 39, 54, 59, 54, 39, 14, -21)],
    [7, 4, 0, over(231, 5, -30, 75, 131, 75, -30, 5)],
    [5, 2, 1, over(10, -2, -1, 0, 1, 2)],
    [5, 3, 1, over(12, 1, -8, 0, 8, -1)],
    [7, 3, 1, over(252, 22, -67, -58, 0, 58, 67, -22)],
    [5, 3, 2, over(7, 2, -1, -2, -1, 2)],
    [7, 2, 2, over(42, 5, 0, -3, -4, -3, 0, 5)],
    [5, 4, 2, over(12, -1, 16, -30, 16, -1)],
    [3, 2, 0, [0, 1, 0]],
  ];
  for (const [window, order, derivative, weights] of tables) {
    const found = [...savitzkyGolayWeights(window, order, derivative)];
    const isNear = found.every((value, at) => Math.abs(value - (weights[at] as number)) < 1e-12);
    t.ok(isNear && found.length === window, `${window}, ${order}, ${derivative}: ${found.join(' ')}`);
  }
});

t.test('a polynomial up to the order is not changed, with any window and order', async (t) => {
  for (const [window, order] of [
    [5, 3],
    [11, 7],
    [31, 10],
    [11, 10],
  ] as const) {
    const curve = Float64Array.from({ length: 61 }, (_, x) => ((x - 30) / 30) ** 2);
    const inner = smooth(curve, { window, order, tolerance: 0.2 }).curve.subarray(15, 46);
    for (const [at, value] of inner.entries())
      t.ok(Math.abs(value - (curve[at + 15] as number)) < 1e-9, `${window}, ${order}`);
  }
});

t.test('the lows of a smoothed curve are level and bend upwards, one for each valley', async (t) => {
  const curve = Float64Array.from({ length: 60 }, (_, x) => 0.5 + 0.3 * Math.cos(x / 5) + (x % 2) * 0.02);
  const { lows } = smooth(curve, { window: 11, order: 3, tolerance: 0.02 });
  t.equal(lows.length, 2);
  for (const [index, x] of [5 * Math.PI, 15 * Math.PI].entries())
    t.ok(Math.abs((lows[index] as number) - x) < 2, `${lows[index]} near ${x}`);
  t.same(smooth(Float64Array.of(3, 1, 3), { window: 5, order: 3, tolerance: 0.2 }).lows, []);
  t.same(smooth(new Float64Array(40).fill(0.7), { window: 5, order: 3, tolerance: 0.2 }).lows, []);
});

testLetters(t, {
  'filter_window, filter_polyorder and filter_tolerance smooth the similarities': [
    ['AAAAAAAA‖BBBBBBBB', { filter_window: 5 }],
    ['AAAAAAAA‖BBBBBBBB', { filter_polyorder: 2 }],
    ['AAAAAAAA‖BBBBBBBB', { filter_tolerance: 0.3 }],
    ['AABB', { filter_window: 5 }],
  ],
});

t.test('a wider window and a lower tolerance give fewer chunks', async (t) => {
  const noisy = modelOf(randomVector).model;
  const long = sentences('AABAABABBBABBAAABABAABBABBBABAAABBA'.repeat(4));
  const chunks = async (filter: object) =>
    (await textsOf(noisy, long, { similarity_window: 1, threshold: 0.9, ...filter })).length;
  t.ok((await chunks({ filter_window: 11, filter_polyorder: 2 })) < (await chunks({})));
  t.ok((await chunks({ filter_tolerance: 0.001 })) < (await chunks({ filter_tolerance: 0.5 })));
});

const BETWEEN = /^filter_polyorder: expected an integer from 2 to 10 or null, got 1\.$/;
const LESS = /^filter_polyorder: expected less than filter_window \(5\), got 5/;
const BELOW = /^filter_tolerance: expected a number above 0 and below 1 or null, got 1\.$/;

t.test('thresholds and options of the filter that do not fit are refused with what to change', (t) =>
  checkRefusals(t, 'semantic', [
    [{ filter_window: 4 }, /^filter_window: expected one of null, 3, 5, 7, .*, got 4\.$/],
    [{ filter_window: 5, filter_polyorder: 5 }, LESS],
    [{ filter_polyorder: 1 }, BETWEEN],
    [{ filter_tolerance: 1 }, BELOW],
    ...[-0.1, 1.1, '0.5', 'automatic', null].map((threshold) => [{ threshold }, 'threshold: '] as const),
  ]),
);

t.test('the least and the most that fits is taken', async (t) => {
  const { post } = await openService(t);
  const text = 'Bread rises. The telescope was launched on a rocket.';
  const whole = { filter_window: 5, filter_polyorder: 3, filter_tolerance: 0.2, include_delim: null };
  for (const filter of [{ filter_window: 3 }, { filter_polyorder: 6 }, { filter_polyorder: 7 }, whole])
    t.equal((await post('/v1/chunk/semantic', { text, ...filter })).status, 200, JSON.stringify(filter));
});
