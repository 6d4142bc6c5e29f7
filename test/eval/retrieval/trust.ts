import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { PipelineStep } from '../../../core/contracts/pipeline.ts';
import type { CorpusQuestion } from '../../../server/corpora/command/tune/read-corpus.ts';
import { chooseAgainst, resultOf } from '../../../server/corpora/command/tune/result.ts';
import { type Chunking, Search, type Send } from '../../../server/corpora/command/tune/search.ts';
import { requirePreset } from '../../../server/engine/presets/presets.ts';
import type { EvaluatedCandidate, Evaluation, Found } from '../../support/evaluation.ts';
import { createRandom } from '../../support/random.ts';
import { startServer, temporaryFolder } from '../../support/server.ts';
import { chunkStep, jsonOf } from '../../support/service.ts';
import { shuffle } from '../documents.ts';
import { type DataSet, shortestOf } from './data-sets.ts';
import { type PlainFound, plainLists, plainlyBought, plainRecall } from './reference.ts';
import {
  LIMITS,
  type Measured,
  meanOf,
  RETRIEVERS,
  type Row,
  requestOf,
  SEED,
  TOKENS,
  unmeasured,
} from './rows.ts';

/** Whether figures and verdicts can be believed, and what they cost. */

const NEVER = AbortSignal.any([]);

/** How far the service's figures are from those that are worked out from its chunks and vectors alone. */
export async function agreement(whole: DataSet, measured: Measured): Promise<Row[]> {
  const set = shortestOf(whole, 1_500_000);
  const [chunk_size, budget] = set.kind === 'scripts' ? [24, 50] : [256, 1000];
  const config = { ...TOKENS, chunk_size };
  const candidates = RETRIEVERS.map((retriever) => ({ chunker: 'recursive', config, retriever }));
  const { chunks, questions } = await measured.plain(set, chunk_size);
  const lists = RETRIEVERS.map((one) => plainLists(chunks, questions, one));
  let [recall, score] = [0, 0];
  for (const by of [{ k: 5 }, { budget }]) {
    const theirs = (await measured.evaluate(set, { candidates, ...by, embed: 'text' })).candidates;
    for (const [at, own] of lists.entries()) {
      const recalls = own.map((list, question) =>
        plainRecall(set.questions[question]?.answers ?? [], plainlyBought(list, chunks, by)),
      );
      recall = Math.max(recall, Math.abs(meanOf(recalls) - (theirs[at]?.recall ?? 1)));
    }
    const words = RETRIEVERS.indexOf('bm25');
    if (by.k !== undefined)
      score = farthest(theirs[words] as EvaluatedCandidate, lists[words] as PlainFound[]);
  }
  const figure = `${set.name}: a plain reference,`;
  return [
    {
      figure: `${figure} recall by k and budget`,
      value: `${recall.toFixed(6)} apart`,
      goal: 'at most .005',
      isMet: recall <= 0.005,
    },
    {
      figure: `${figure} scores of BM25`,
      value: `${score.toExponential(1)} apart`,
      goal: 'at most 1e-5',
      isMet: score <= 1e-5,
    },
  ];
}

/** The largest difference of scores of the same rank. */
function farthest({ questions }: EvaluatedCandidate, lists: readonly PlainFound[]): number {
  const apart = questions.flatMap(({ found }, question) =>
    found.map(({ score }, rank) => Math.abs(score - (lists[question]?.[rank]?.[1] ?? 0))),
  );
  return apart.reduce((most, one) => Math.max(most, one), 0);
}

/** Questions of a draw, and how many draws. */
const DRAWN = 150;
const DRAWS = 200;

/** What `tune` tries of prose, how long that takes, and how often it is right and wrong about it. */
export async function* tuneRows(set: DataSet, measured: Measured): AsyncGenerator<Row> {
  const { documents, questions } = set;
  const found: EvaluatedCandidate[] = [];
  const send: Send = async (body) => {
    const answer = jsonOf<Evaluation>(await measured.service.post('/v1/evaluate', body));
    found.push(...answer.candidates);
    return answer as Evaluation & Awaited<ReturnType<Send>>;
  };
  const budget = 2000;
  const file = join(await temporaryFolder(measured.t), 'tune.jsonl');
  const asked = {
    ...{ budget, seed: SEED, offset_unit: 'utf16', documents },
    questions: questions.map(({ question, answers }) => ({ question, answers })),
  };
  const [begin, used] = [performance.now(), process.cpuUsage()];
  const options = { send, where: '', lanes: 1, time: Number.POSITIVE_INFINITY, file, isResumed: false };
  const search = new Search(options, asked);
  await search.try(chunkings());
  if (search.failures.length > 0) throw new Error(search.failures.join('; '));
  const trials = [...search.trials.values()];
  const about = { folder: set.name, documents: documents.length, derived: false, notes: [] };
  await resultOf({ ...about, budget, questions, trials, of: trials.length, retriever: 'dense' }, NEVER);
  const { user, system } = process.cpuUsage(used);
  const [seconds, busy] = [(performance.now() - begin) / 1e3, (user + system) / 1e6];
  yield {
    figure: `${set.name}: tune, ${trials.length} chunkings with three retrievers`,
    value: `${busy.toFixed(1)} s of a processor, ${seconds.toFixed(1)} s by the clock`,
    goal: 'at most 60 s of a processor',
    isMet: busy <= 60,
  };
  yield* verdictRows(set, found);
}

/** Four chunkers in two sizes, with and without the context of the preset for prose; first the baseline. */
function chunkings(): Chunking[] {
  const context = requirePreset('prose').steps.filter(({ refinery }) => refinery === 'context');
  const steps = ['recursive', 'markdown', 'sentence', 'token'].flatMap((chunker) =>
    [512, 256].map((chunk_size) => chunkStep(chunker, { ...TOKENS, chunk_size })),
  );
  return steps.flatMap((step) => [chunking(step, []), chunking(step, context)]);
}

function chunking(step: PipelineStep, context: readonly PipelineStep[]): Chunking {
  const factors = {
    chunker: String(step.chunker),
    'chunk size': String(step.config.chunk_size),
    context: context.length > 0 ? 'with' : 'without',
  };
  return { name: Object.values(factors).join(' '), steps: [step, ...context], embedding: [], factors };
}

/** How often something is found to be better than the baseline, `recursive` 512 with vectors, by draws of questions. */
async function* verdictRows(
  { name, questions, isSmall }: DataSet,
  found: readonly EvaluatedCandidate[],
): AsyncGenerator<Row> {
  const baseline = found.findIndex(({ retriever }) => retriever === 'dense');
  const isBetter = async (scores: readonly Float64Array[]) =>
    (await chooseAgainst(scores, baseline, (a, b) => a - b, NEVER)).chosen !== baseline;
  const random = createRandom(SEED);
  let [lucky, better] = [0, 0];
  for (let run = 0; run < DRAWS; run++) {
    const drawn = shuffle([...questions.keys()], random).slice(0, DRAWN);
    const dealt = shuffle(drawn, random).map((at) => questions[at] as CorpusQuestion);
    const byChance = found.map(({ questions: each }) =>
      Float64Array.from(drawn, (at, place) => shareOf(dealt[place] as CorpusQuestion, each[at]?.found ?? [])),
    );
    if (await isBetter(byChance)) lucky++;
    if (isSmall) continue;
    const scores = found.map(({ questions: each }) =>
      Float64Array.from(drawn, (at) => each[at]?.recall ?? 0),
    );
    if (await isBetter(scores)) better++;
  }
  yield falseRow(`${name}: tune finds something better with shuffled labels`, lucky);
  const gain = `${name}: tune beats recursive 512 dense, draws of ${DRAWN} questions`;
  if (isSmall) yield unmeasured(gain, 'needs a folder');
  else
    yield {
      figure: gain,
      value: `${better} of ${DRAWS}`,
      goal: 'over 90 %',
      isMet: better > 0.9 * DRAWS,
    };
}

/** The share of an answer's characters in stretches that do not overlap. */
function shareOf({ answers }: CorpusQuestion, found: readonly Found[]): number {
  let [shared, length] = [0, 0];
  for (const { document, start_index, end_index } of answers) {
    length += end_index - start_index;
    for (const one of found)
      if (one.document === document)
        shared += Math.max(0, Math.min(end_index, one.end_index) - Math.max(start_index, one.start_index));
  }
  return shared / length;
}

function falseRow(figure: string, count: number): Row {
  return { figure, value: `${count} of ${DRAWS} runs`, goal: 'at most 10 %', isMet: count <= 0.1 * DRAWS };
}

/** How often an evaluation names a winner although questions have each other's answers. */
export async function falseWinners(whole: DataSet, measured: Measured): Promise<Row> {
  const set = shortestOf(whole, 100_000);
  const random = createRandom(SEED);
  const candidates = ['recursive', 'sentence'].map((chunker) => ({
    chunker,
    config: { ...TOKENS, chunk_size: 128 },
    retriever: 'bm25',
  }));
  let winners = 0;
  for (let run = 0; run < DRAWS; run++) {
    const dealt = shuffle(set.questions, random);
    const questions = set.questions.map((one, at) => ({ ...one, answers: dealt[at]?.answers ?? [] }));
    const { verdict } = await measured.evaluate({ ...set, questions }, { candidates, budget: 1000 });
    if (verdict?.winner !== null) winners++;
  }
  const { length } = set.questions;
  return falseRow(
    `${set.name}: /v1/evaluate names a winner with shuffled labels, ${length} questions`,
    winners,
  );
}

/** How long a server's own thread is busy at a stretch while another one evaluates, and `/health` takes. */
export async function latency(set: DataSet, { t }: Measured): Promise<Row> {
  const { get, post } = await startServer(t, { ...LIMITS, workers: 1 });
  const candidates = RETRIEVERS.map((retriever) => ({ preset: 'prose', retriever }));
  const ask = (asked: DataSet) => post('/v1/evaluate', requestOf(asked, { candidates, budget: 2000 }));
  // The first request starts the thread, and loads code.
  await ask(shortestOf(set, 1));
  await get('/health');
  let isDone = false;
  const done = ask(set).finally(() => {
    isDone = true;
  });
  let longest = 0;
  const times: number[] = [];
  for (let used = process.threadCpuUsage(); !isDone; used = process.threadCpuUsage()) {
    const begin = performance.now();
    await get('/health');
    times.push(performance.now() - begin);
    await setTimeout(5);
    const { user, system } = process.threadCpuUsage(used);
    longest = Math.max(longest, (user + system) / 1000);
  }
  jsonOf(await done);
  times.sort((a, b) => a - b);
  const clock = times[Math.floor(0.95 * times.length)] ?? 0;
  return {
    figure: `${set.name}: the server's own thread at a stretch, while another one evaluates`,
    value: `${longest.toFixed(1)} ms of a processor; /health ${clock.toFixed(1)} ms (95 %)`,
    goal: 'below 50 ms of a processor',
    isMet: longest < 50,
  };
}
