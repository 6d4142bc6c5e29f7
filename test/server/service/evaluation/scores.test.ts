import fc from 'fast-check';
import t from 'tap';
import {
  lengthOf,
  type Range,
  sharedLength,
  touches,
  united,
} from '../../../../server/service/evaluation/ranges.ts';
import { meanScores, scoresOf } from '../../../../server/service/evaluation/scores.ts';

/** The arithmetic of ranges against counting character by character. */

const range = fc
  .tuple(fc.nat(40), fc.nat(12))
  .map(([start, length]): Range => ({ start, end: start + length }));
const ranges = fc.array(range, { maxLength: 8 });
const answers = ranges.map(united).filter((answer) => answer.length > 0);

/** Characters of the ranges, each as often as it stands in one. */
const charactersOf = (all: readonly Range[]): number[] =>
  all.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, at) => start + at));
const each = (all: readonly Range[]): Set<number> => new Set(charactersOf(all));
const both = (a: Set<number>, b: Set<number>): number[] => [...a].filter((one) => b.has(one));
const isEqual = (a: Set<number>, b: Set<number>): boolean =>
  a.size === b.size && both(a, b).length === a.size;
const near = (a: number, b: number): boolean => Math.abs(a - b) < 1e-12;

t.test('united ranges are the same characters, rising and apart', async () => {
  fc.assert(
    fc.property(ranges, (given) => {
      const whole = united(given);
      const isApart = whole.every(({ start, end }, at) => start < end && start > (whole[at - 1]?.end ?? -1));
      return isApart && isEqual(each(whole), each(given));
    }),
  );
});

t.test('lengths, shared characters and touching are those of counting', async () => {
  fc.assert(
    fc.property(ranges, ranges, range, (given, others, one) => {
      const [a, b] = [united(given), united(others)];
      return (
        lengthOf(given) === charactersOf(given).length &&
        sharedLength(a, b) === both(each(a), each(b)).length &&
        touches(one, a) === both(each([one]), each(a)).length > 0
      );
    }),
  );
});

t.test('scores are those of counting, as the report has them', async () => {
  fc.assert(
    fc.property(answers, ranges, fc.infiniteStream(fc.boolean()), (answer, all, isFound) => {
      const found = all.filter(() => isFound.next().value === true);
      const [wanted, got] = [each(answer), charactersOf(found)];
      const shared = [...wanted].filter((one) => got.includes(one)).length;
      const touching = all.filter((chunk) => charactersOf([chunk]).some((one) => wanted.has(one)));
      const inAny = both(each(touching), wanted).length;
      const scores = scoresOf(answer, found, all);
      return (
        near(scores.recall, shared / wanted.size) &&
        near(scores.precision, got.length === 0 ? 0 : shared / got.length) &&
        near(scores.iou, shared / (wanted.size + got.length - shared)) &&
        near(scores.precision_at_full_recall, inAny / each([...touching, ...answer]).size)
      );
    }),
  );
});

t.test('of what two chunks repeat, the answer counts once and what was found twice', async (t) => {
  const [answer, all] = [
    [{ start: 4, end: 8 }],
    [
      { start: 0, end: 8 },
      { start: 4, end: 12 },
      { start: 12, end: 20 },
    ],
  ];
  t.same(scoresOf(answer, all.slice(0, 2), all), {
    recall: 1,
    precision: 4 / 16,
    iou: 4 / (4 + 16 - 4),
    precision_at_full_recall: 4 / 12,
  });
  t.same(scoresOf(answer, [], all), { recall: 0, precision: 0, iou: 0, precision_at_full_recall: 4 / 12 });
});

t.test('a chunk that only adjoins the answer is not one that has it', async (t) => {
  const all = [
    { start: 0, end: 4 },
    { start: 4, end: 8 },
    { start: 8, end: 12 },
  ];
  t.equal(scoresOf([{ start: 4, end: 8 }], [], all).precision_at_full_recall, 1);
});

t.test('what is in no chunk keeps precision at full recall below 1', async (t) => {
  t.equal(scoresOf([{ start: 0, end: 8 }], [], [{ start: 0, end: 6 }]).precision_at_full_recall, 6 / 8);
});

t.test('means are those of each score', async (t) => {
  const one = { recall: 1, precision: 0.5, iou: 0.25, precision_at_full_recall: 0 };
  const other = { recall: 0, precision: 0.25, iou: 0.75, precision_at_full_recall: 1 };
  t.same(meanScores([one, other]), {
    recall: 0.5,
    precision: 0.375,
    iou: 0.5,
    precision_at_full_recall: 0.5,
  });
});
