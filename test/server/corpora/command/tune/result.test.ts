import t from 'tap';
import { chooseAgainst, factorsOf } from '../../../../../server/corpora/command/tune/result.ts';
import { randomFrom } from '../../../../../server/engine/operations/evaluation/bootstrap.ts';

/** Which candidate `tune` chooses, and what it says about single choices. */

const NEVER = new AbortController().signal;
const RUNS = 200;

/** Scores of candidates that find about these shares of the answers: what is hard for one is mostly hard for all. */
function drawn(shares: readonly number[], questions: number, random: () => number): Float64Array[] {
  const hardness = Array.from({ length: questions }, random);
  const scoreOf = (hard: number, share: number) => (hard < share ? 1 : hard < share + 0.02 ? 0.5 : 0);
  return shares.map((share) =>
    Float64Array.from(hardness, (hard) => scoreOf(random() < 0.15 ? random() : hard, share)),
  );
}

/** The scores of each question, dealt to the candidates at random: none is better than another one. */
function shuffled(scores: readonly Float64Array[], random: () => number): Float64Array[] {
  const dealt = scores.map((own) => own.slice());
  for (let question = 0; question < (scores[0]?.length ?? 0); question++) {
    for (let at = dealt.length - 1; at > 0; at--) {
      const other = Math.floor(random() * (at + 1));
      const [a, b] = [dealt[at] as Float64Array, dealt[other] as Float64Array];
      [a[question], b[question]] = [b[question] as number, a[question] as number];
    }
  }
  return dealt;
}

const SHARES = Array.from({ length: 24 }, (_, at) => 0.6 + at / 100);

t.test('with shuffled labels something is called better in at most a tenth of the runs', async (t) => {
  const random = randomFrom(7);
  let better = 0;
  for (let run = 0; run < RUNS; run++) {
    const scores = shuffled(drawn(SHARES, 100, random), random);
    const choice = await chooseAgainst(scores, 0, () => 0, NEVER);
    if (choice.isBetter) better++;
    else t.equal(choice.chosen, 0);
  }
  console.error('better', better);
  t.ok(better <= RUNS / 10, `${better} of ${RUNS}`);
});

t.test('a true gain is found with 150 questions in over 90 % of the draws', async (t) => {
  const random = randomFrom(8);
  // Eight ways to chunk, each with three retrievers; vectors find 13 points less than the best.
  const shares = Array.from({ length: 8 }, (_, at) =>
    [0.79, 0.89, 0.92].map((one) => one + at / 1000),
  ).flat();
  let found = 0;
  for (let run = 0; run < 100; run++) {
    const { isBetter, chosen } = await chooseAgainst(drawn(shares, 150, random), 0, () => 0, NEVER);
    if (isBetter && (shares[chosen] as number) > 0.88) found++;
  }
  console.error('found', found);
  t.ok(found > 90, `${found} of 100`);
});

t.test('the cheapest of about equal ones is chosen, and the same every time', async (t) => {
  const random = randomFrom(9);
  const [low = new Float64Array(), high = new Float64Array()] = drawn([0.3, 0.9], 200, random);
  const twin = high.map((value, at) => (at === 0 ? 1 : value));
  const by = (costs: readonly number[]) => (a: number, b: number) =>
    (costs[a] as number) - (costs[b] as number);
  const scores = [low, high, twin];
  const first = await chooseAgainst(scores, 0, by([0, 2, 1]), NEVER);
  t.match(first, { chosen: 2, isBetter: true, moreQuestions: null });
  t.equal((await chooseAgainst(scores, 0, by([0, 1, 2]), NEVER)).chosen, 1);
  t.same(await chooseAgainst(scores, 0, by([0, 2, 1]), NEVER), first);
  const [, { difference, interval }] = first.differences as [unknown, (typeof first.differences)[number]];
  t.ok(interval !== null && interval[0] > 0 && interval[0] < difference && difference < interval[1]);
});

t.test('an open difference says how many questions it takes, if it is a realistic number', async (t) => {
  const random = randomFrom(10);
  // Of 40 questions eight are answered by the other one alone, and three by the baseline alone.
  const [own40, other40] = [(at: number) => Number(at >= 8), (at: number) => Number(at < 8 || at >= 11)].map(
    (scoreOf) => Float64Array.from({ length: 40 }, (_, at) => scoreOf(at)),
  ) as [Float64Array, Float64Array];
  const few = await chooseAgainst([own40, other40], 0, () => 0, NEVER);
  t.match(few, { chosen: 0, isBetter: false });
  const more = few.moreQuestions ?? 0;
  t.ok(more > 20 && more < 200, `${more} more`);
  const [own = new Float64Array()] = drawn([0.5], 100, random);
  const same = await chooseAgainst([own, own, own], 0, () => 0, NEVER);
  t.match(same, { chosen: 0, isBetter: false, moreQuestions: null });
  t.same(same.differences[1], { difference: 0, interval: null });
  const worse = await chooseAgainst(drawn([0.9, 0.2], 100, random), 0, () => 0, NEVER);
  t.match(worse, { chosen: 0, isBetter: false, moreQuestions: null }, 'one that is worse is never chosen');
});

t.test('a factor is compared over what all its levels were tried with', async (t) => {
  const random = randomFrom(11);
  const [bad = [], good = []] = drawn([0.2, 0.8], 200, random).map((one) => [...one]);
  const tried = [
    { factors: { size: '1', way: 'a' }, recalls: bad },
    { factors: { size: '1', way: 'b' }, recalls: good },
    { factors: { size: '2', way: 'a' }, recalls: bad },
    { factors: { size: '2', way: 'b' }, recalls: good },
    // Only of one way: it does not count for the ways.
    { factors: { size: '3', way: 'a' }, recalls: good },
  ];
  const factors = await factorsOf(tried, NEVER);
  const way = factors.find(({ name }) => name === 'way');
  t.match(way, { best: ['b'], combinations: 2, levels: [{ level: 'b' }, { level: 'a' }] });
  t.ok(Math.abs((way?.levels[1]?.recall ?? 0) - bad.reduce((sum, one) => sum + one, 0) / 200) < 1e-12);
  const size = factors.find(({ name }) => name === 'size');
  t.match(size, { combinations: 1, best: ['3'], levels: [{ level: '3' }, {}, {}] });
  t.same(await factorsOf(tried.slice(0, 1), NEVER), [], 'one level is not compared');
});
