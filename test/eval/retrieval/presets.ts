import { join } from 'node:path';
import { requirePreset } from '../../../server/engine/presets/presets.ts';
import { isHere } from '../../support/here.ts';
import { chunkStep, jsonOf, refineStep } from '../../support/service.ts';
import { answeringIn, type DataSet, lengthOf, partOf } from './data-sets.ts';
import { type PlainChunk, plainLists, plainRecall } from './reference.ts';
import {
  type Measured,
  meanOf,
  noHarm,
  type Pair,
  RETRIEVERS,
  type Row,
  recallsOf,
  TOKENS,
  unmeasured,
  withInterval,
} from './rows.ts';

/** What presets and words are worth. */

const SHARED = 'needs a folder';
const BUDGET = 1500;
/** Characters of a file below which nearly all of it fits the budget. */
const MIN_CHARACTERS = 20_000;

export async function* proseRows(set: DataSet, measured: Measured): AsyncGenerator<Row> {
  const figure = `${set.name}: preset prose less recursive 256, 1,000 tokens`;
  if (set.isSmall) return void (yield unmeasured(figure, SHARED));
  const plain = { chunker: 'recursive', config: { ...TOKENS, chunk_size: 256 } };
  yield await noHarm(figure, await measured.compare(set, { preset: 'prose' }, plain, 1000), 0.4);
  yield* fusedRows(set, measured);
}

export async function* codeRows(set: DataSet, measured: Measured): AsyncGenerator<Row> {
  const plain = [
    chunkStep('recursive', { ...TOKENS, chunk_size: 300 }),
    refineStep('context', { template: '{filename|id}' }),
  ];
  const candidates = [{ preset: 'code' }, { steps: plain }].map((one) => ({ ...one, retriever: 'hybrid' }));
  const found = (await measured.evaluate(set, { candidates, budget: BUDGET })).candidates.map(recallsOf);
  const isWhole = found.map((recalls) => recalls.map((recall) => Number(recall > 0.999999)));
  for (const [what, [own = [], other = []], least] of [
    ['recall', found, 80.6],
    ['whole functions', isWhole, 80],
  ] as const)
    yield {
      figure: `${set.name}: preset code, both retrievers, 1,500 tokens, ${what}`,
      value: `${await withInterval(own)}, recursive 300 with the path ${await withInterval(other)}`,
      goal: `at least ${least}${set.isSmall ? ' of a folder' : ''}`,
      isMet: set.isSmall ? undefined : 100 * meanOf(own) >= least,
    };
  yield await largestChunk(set, measured);
  yield await withinFiles(set, measured);
}

async function largestChunk(set: DataSet, { service }: Measured): Promise<Row> {
  const steps = requirePreset('code').steps.filter(({ type }) => type === 'chunk');
  const lists = jsonOf<PlainChunk[][]>(await service.execute(steps, { documents: set.documents }));
  const tokens = lists.flat().map(({ token_count }) => token_count);
  const largest = tokens.reduce((most, one) => Math.max(most, one), 0);
  return {
    figure: `${set.name}: preset code, largest of ${tokens.length} chunks`,
    value: `${largest} tokens`,
    goal: 'at most 1,200',
    isMet: largest <= 1200,
  };
}

/** Questions about a file, of which only this file is searched, so that its name tells nothing. */
async function withinFiles(set: DataSet, measured: Measured): Promise<Row> {
  const pairs = RETRIEVERS.map((name): Pair => ({ name, own: [], other: [] }));
  const alone = { preset: 'code', override: { context: null } };
  const files = answeringIn(set).filter((at) => lengthOf(set, at) >= MIN_CHARACTERS);
  for (const file of files) {
    const found = await measured.compare(partOf(set, [file]), { preset: 'code' }, alone, BUDGET);
    for (const [at, { own, other }] of found.entries()) {
      pairs[at]?.own.push(...own);
      pairs[at]?.other.push(...other);
    }
  }
  const figure = `${set.name}: preset code less no context, within each of ${files.length} files`;
  return files.length === 0 ? unmeasured(figure, SHARED) : noHarm(figure, pairs, 2.8);
}

/** How often the right filing is among the five best chunks. */
export async function* reportsRows(set: DataSet, measured: Measured): AsyncGenerator<Row> {
  const candidates = [{ preset: 'reports' }, { preset: 'reports', override: { context: null } }];
  const found = (await measured.evaluate(set, { candidates, k: 5 })).candidates;
  const [own = [], plain = []] = found.map(({ questions }) =>
    questions.map((one, at) => {
      const right = set.questions[at]?.answers[0]?.document;
      return Number(one.found.some(({ document }) => document === right));
    }),
  );
  yield {
    figure: `${set.name}: preset reports, right document among 5`,
    value: `${await withInterval(own)}, without context ${await withInterval(plain)}`,
    goal: 'at least 60',
    isMet: meanOf(own) >= 0.6,
  };
}

/** Words and vectors in a real PostgreSQL. */
async function* fusedRows(set: DataSet, measured: Measured): AsyncGenerator<Row> {
  const figure = `${set.name}: PostgreSQL, recursive 200, the five best by words and vectors`;
  if (!isHere('sink/pgvector')) return void (yield unmeasured(figure, 'pgvector is not in this checkout'));
  // It is the sink's own, and gone with it.
  const file = join(import.meta.dirname, '../../plugins/sinks/pgvector/evaluate.ts');
  const { chunks, questions } = await measured.plain(set, 200);
  const found: number[][] | string = await (await import(file)).searchFused(measured.t, chunks, questions);
  if (typeof found === 'string') return void (yield unmeasured(figure, found));
  const recallOf = (list: readonly number[], at: number) => {
    const own = list.map((chunk) => chunks[chunk] as PlainChunk);
    return plainRecall(set.questions[at]?.answers ?? [], own);
  };
  const fused = found.map(recallOf);
  const nearest = plainLists(chunks, questions, 'dense').map((list) => list.slice(0, 5));
  const dense = nearest.map((list, at) =>
    recallOf(
      list.map(([chunk]) => chunk),
      at,
    ),
  );
  yield {
    figure,
    value: `${await withInterval(fused)}, vectors alone ${await withInterval(dense)}`,
    goal: 'over 80',
    isMet: meanOf(fused) > 0.8,
  };
  const missed = dense.filter((recall) => recall === 0).length;
  const gained = fused.filter((recall, at) => recall > 0 && dense[at] === 0).length;
  yield {
    figure: `${set.name}: PostgreSQL, found by words although vectors miss it`,
    value: `${gained} of ${missed} questions`,
    goal: 'some',
    isMet: gained > 0,
  };
}
