import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { deriveQuestions } from '../../../../../server/corpora/command/tune/derive-questions.ts';
import { chooseAgainst, factorsOf } from '../../../../../server/corpora/command/tune/result.ts';
import { randomFrom } from '../../../../../server/engine/operations/evaluation/bootstrap.ts';
import { evaluate } from '../../../../support/evaluation.ts';
import { needs } from '../../../../support/here.ts';
import { startServer } from '../../../../support/server.ts';

/** Which candidate `tune` chooses, and what it says about single choices. */

const NEVER = new AbortController().signal;
const RUNS = 200;
const ROOT = join(import.meta.dirname, '../../../../..');
const OF_MODEL = needs(
  'embedding/static',
  'tokenizer/tiktoken',
  'tokenizer/huggingface',
  'chunker/auto',
  'chunker/recursive',
);

/** Scores of candidates that find about these shares of the answers: what is hard for one is mostly hard for all. */
function drawn(shares: readonly number[], questions: number, random: () => number): Float64Array[] {
  const hardness = Array.from({ length: questions }, random);
  const scoreOf = (hard: number, share: number) => (hard < share ? 1 : hard < share + 0.02 ? 0.5 : 0);
  return shares.map((share) =>
    Float64Array.from(hardness, (hard) => scoreOf(random() < 0.15 ? random() : hard, share)),
  );
}

/** Characters of a document. */
interface Stretch {
  readonly document: number;
  readonly start_index: number;
  readonly end_index: number;
}

/** What questions about the pages of this repository find: chunked, embedded and searched once. */
async function foundInPages(t: Test) {
  const files = globSync('**/*.md', { cwd: ROOT, exclude: ['**/node_modules/**', 'plugins/**'] }).sort();
  const read = files.map((id) => ({ id, filename: id, text: readFileSync(join(ROOT, id), 'utf8') }));
  const { documents, questions } = deriveQuestions(read, () => undefined, randomFrom(1));
  const ways = [
    ['token', 512],
    ['recursive', 256],
    ['auto', 256],
  ] as const;
  const candidates = ways.flatMap(([chunker, chunk_size]) =>
    (['dense', 'bm25', 'hybrid'] as const).map((retriever) => ({
      ...{ chunker, retriever, config: { chunk_size, tokenizer: 'cl100k_base' } },
    })),
  );
  const asked = questions.slice(0, 80).map(({ question, answers }) => ({ question, answers }));
  const request = { documents, questions: asked, candidates, budget: 800, offset_unit: 'utf16' };
  const { candidates: evaluated } = await evaluate(await startServer(t), request);
  return {
    answers: asked.map((one) => one.answers[0] as Stretch),
    found: evaluated.map((one) => one.questions.map((each) => each.found as readonly Stretch[])),
  };
}

function shuffled<T>(values: readonly T[], random: () => number): T[] {
  const keyed = values.map((value) => ({ value, key: random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ value }) => value);
}

/** The share of an answer that was found. */
function recallOf(
  found: readonly Stretch[],
  { document, start_index: from, end_index: to }: Stretch,
): number {
  const common = found.map((one) =>
    one.document === document ? Math.min(to, one.end_index) - Math.max(from, one.start_index) : 0,
  );
  return common.reduce((sum, one) => sum + Math.max(0, one), 0) / (to - from);
}

t.test('chance, on pages of this repository', OF_MODEL, async (t) => {
  const { answers, found } = await foundInPages(t);
  t.ok(answers.length >= 40, `${answers.length} questions`);
  const random = randomFrom(7);

  const recalls = found.map((own) => own.map((one, at) => recallOf(one, answers[at] as Stretch)));
  await t.test(
    'with shuffled labels something is called better in at most a tenth of the runs',
    async (t) => {
      const byAnswers = () => {
        const drawn = shuffled(answers, random);
        return found.map((own) => Float64Array.from(own, (one, at) => recallOf(one, drawn[at] as Stretch)));
      };
      const byCandidates = () => {
        const dealt = answers.map((_, at) =>
          shuffled(
            recalls.map((own) => own[at] as number),
            random,
          ),
        );
        return found.map((_, at) => Float64Array.from(dealt, (own) => own[at] as number));
      };
      for (const scoresOf of [byAnswers, byCandidates]) {
        let better = 0;
        for (let run = 0; run < RUNS; run++)
          if ((await chooseAgainst(scoresOf(), 0, () => 0, NEVER)).chosen !== 0) better++;
        t.ok(better <= RUNS / 10, `${scoresOf.name}: ${better} of ${RUNS}`);
      }
    },
  );
});

t.test('a true gain of 15 points is found with 150 questions in over 90 % of the draws', async (t) => {
  const random = randomFrom(7);
  let gains = 0;
  for (let run = 0; run < RUNS / 4; run++) {
    const { chosen } = await chooseAgainst(drawn([0.6, 0.6, 0.75], 150, random), 0, () => 0, NEVER);
    if (chosen === 2) gains++;
  }
  t.ok(gains > 0.225 * RUNS, `${gains} of ${RUNS / 4}`);
});

t.test('the cheapest of about equal ones is chosen, and the same every time', async (t) => {
  const random = randomFrom(9);
  const [low = new Float64Array(), high = new Float64Array()] = drawn([0.3, 0.9], 200, random);
  const twin = high.map((value, at) => (at === 0 ? 1 : value));
  const by = (costs: readonly number[]) => (a: number, b: number) =>
    (costs[a] as number) - (costs[b] as number);
  const scores = [low, high, twin];
  const first = await chooseAgainst(scores, 0, by([0, 2, 1]), NEVER);
  t.match(first, { chosen: 2, moreQuestions: null });
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
  t.match(few, { chosen: 0 });
  const more = few.moreQuestions ?? 0;
  t.ok(more > 20 && more < 200, `${more} more`);
  const [own = new Float64Array()] = drawn([0.5], 100, random);
  const same = await chooseAgainst([own, own, own], 0, () => 0, NEVER);
  t.match(same, { chosen: 0, moreQuestions: null });
  t.same(same.differences[1], { difference: 0, interval: null });
  const worse = await chooseAgainst(drawn([0.9, 0.2], 100, random), 0, () => 0, NEVER);
  t.match(worse, { chosen: 0, moreQuestions: null }, 'one that is worse is never chosen');
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
  t.match(way, { best: ['b'], levels: [{ level: 'b' }, { level: 'a' }] });
  t.ok(Math.abs((way?.levels[1]?.recall ?? 0) - bad.reduce((sum, one) => sum + one, 0) / 200) < 1e-12);
  const size = factors.find(({ name }) => name === 'size');
  t.match(size, { best: ['3'], levels: [{ level: '3' }, {}, {}] });
  t.same(await factorsOf(tried.slice(0, 1), NEVER), [], 'one level is not compared');
});
