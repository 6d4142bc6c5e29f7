import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PipelineStep } from '../../../core/contracts/pipeline.ts';
import { openEngine } from '../../../server/cli/engine.ts';
import { chooseAgainst } from '../../../server/corpora/command/tune/choose.ts';
import { deriveQuestions } from '../../../server/corpora/command/tune/derive-questions.ts';
import { Evaluator, type Send } from '../../../server/corpora/command/tune/evaluate.ts';
import { isCode, kindOf } from '../../../server/corpora/command/tune/grid.ts';
import {
  type CorpusDocument,
  type CorpusQuestion,
  QUESTIONS,
  readFolder,
  readQuestions,
} from '../../../server/corpora/command/tune/read-corpus.ts';
import { type Evaluated, resultOf } from '../../../server/corpora/command/tune/result.ts';
import {
  type Interval,
  intervalOf,
  randomFrom,
  resampledMeans,
} from '../../../server/engine/operations/evaluation/bootstrap.ts';
import { requirePreset } from '../../../server/engine/presets/read-presets.ts';
import { printTable, printTitle } from '../../bench/race/report.ts';
import type { EvaluatedCandidate, Evaluation, Found } from '../../support/evaluation.ts';
import { isHere } from '../../support/here.ts';
import { type Cleanup, startServer, temporaryFolder } from '../../support/server.ts';
import { jsonOf, type OpenService, openService } from '../../support/service.ts';
import scripts from '../data/scripts.json' with { type: 'json' };
import topics from '../data/topics.json' with { type: 'json' };
import { shuffle } from '../documents.ts';
import { type PlainChunk, type PlainQuestion, plainLists, plainlyBought, plainRecall } from './reference.ts';

/** Documents with questions about them. */
interface DataSet {
  readonly name: string;
  /** As `tune` tells them apart: a preset that fits. */
  readonly kind: string;
  readonly documents: readonly CorpusDocument[];
  readonly questions: readonly CorpusQuestion[];
  /** Whether it is too small for the figures that are about quality. */
  readonly isSmall?: true;
}

/** What is printed. */
interface Row {
  readonly figure: string;
  readonly value: string;
  readonly goal: string;
  /** Undefined if it was not measured. */
  readonly isMet: boolean | undefined;
}

const NEVER = new AbortController().signal;
const SEED = 1;
const TOKENS = { tokenizer: 'cl100k_base' } as const;
const NO_LIMIT = Number.MAX_SAFE_INTEGER;
const LIMITS = { maxEvaluationCharacters: NO_LIMIT, maxDocuments: NO_LIMIT, maxBodyBytes: 1e9 };
const ROOT = join(import.meta.dirname, '../../..');

/**
 * Prints what retrieval is promised to be worth, each figure beside its goal.
 *
 * @param folder has a folder for each data set, with documents and `questions.jsonl` as for `chunksmith tune`: code,
 *   filings with `metadata` as lines of `documents.jsonl`, or prose. Without it there are small ones
 */
export async function evaluateRetrieval(folder: string | undefined): Promise<void> {
  const ends: (() => unknown)[] = [];
  const t: Cleanup = { teardown: (end) => void ends.unshift(end) };
  try {
    const sets = folder === undefined ? ownSets() : await setsIn(folder);
    const measuring = new Measuring(t, await openService(t, LIMITS));
    const rows: string[][] = [];
    for await (const { figure, value, goal, isMet } of measuring.rows(sets)) {
      console.error(`${figure}: ${value}`);
      rows.push([figure, value, goal, isMet === undefined ? '-' : isMet ? 'yes' : 'no']);
    }
    printTitle(`Retrieval: ${sets.map(inWords).join('; ')}`);
    printTable('Intervals: 95 %', ['figure', 'value', 'goal', 'met'], rows);
  } finally {
    for (const end of ends) await end();
  }
}

function inWords({ name, kind, documents, questions }: DataSet): string {
  return `${name} (${kind}, ${documents.length} documents, ${questions.length} questions)`;
}

async function setsIn(folder: string): Promise<DataSet[]> {
  const engine = await openEngine({ workers: '0' }, process.env);
  try {
    const sets: DataSet[] = [];
    for (const name of globSync('*/', { cwd: folder }).sort()) {
      const path = join(folder, name, QUESTIONS);
      const { documents } = await readFolder(join(folder, name), [path], engine.cradle, NEVER);
      sets.push({ name, kind: kindOf(documents), documents, questions: readQuestions(path, documents) });
    }
    return sets;
  } finally {
    await engine.close();
  }
}

/** Paragraphs by their topics, sentences in several scripts, and the code of the service with derived questions. */
function ownSets(): DataSet[] {
  const prose = topics.map(({ topic, paragraphs }) => ({
    text: paragraphs.map(({ text }) => text).join('\n\n'),
    filename: `${topic}.txt`,
    asked: paragraphs.map(({ question, text }) => [question, text] as const),
  }));
  const written = scripts.map(({ text, asked }, at) => ({
    text,
    filename: `${at}.txt`,
    asked: Object.entries(asked),
  }));
  const sources = globSync('{core,server}/engine/**/*.ts', { cwd: ROOT }).sort();
  const code = sources.map((name) => ({
    id: name,
    filename: name,
    text: readFileSync(join(ROOT, name), 'utf8'),
  }));
  return [
    { name: 'topics', kind: 'prose', isSmall: true, ...answered(prose) },
    { name: 'scripts', kind: 'scripts', isSmall: true, ...answered(written) },
    { name: 'own code', kind: 'code', isSmall: true, ...deriveQuestions(code, isCode, randomFrom(SEED)) },
  ];
}

interface Asked {
  readonly text: string;
  readonly filename: string;
  readonly asked: readonly (readonly [question: string, answer: string])[];
}

function answered(given: readonly Asked[]): Pick<DataSet, 'documents' | 'questions'> {
  return {
    documents: given.map(({ text, filename }) => ({ id: filename, filename, text })),
    questions: given.flatMap(({ text, filename, asked }, document) =>
      asked.map(([question, answer]) => {
        const start_index = text.indexOf(answer);
        const answers = [{ document, start_index, end_index: start_index + answer.length }];
        return { question, answers, place: filename };
      }),
    ),
  };
}

/** The documents of a set up to so many characters, the smallest first, with the questions about them. */
function partOf(set: DataSet, most: number): DataSet {
  const asked = new Set(set.questions.flatMap(({ answers }) => answers.map(({ document }) => document)));
  const order = [...asked].sort((a, b) => lengthOf(set, a) - lengthOf(set, b));
  let size = 0;
  const kept = order.filter((at, place) => (size += lengthOf(set, at)) <= most || place === 0);
  const questions = set.questions.filter(({ answers }) =>
    answers.every(({ document }) => kept.includes(document)),
  );
  return {
    ...set,
    documents: kept.map((at) => set.documents[at] as CorpusDocument),
    questions: questions.map(({ answers, ...question }) => ({
      ...question,
      answers: answers.map((answer) => ({ ...answer, document: kept.indexOf(answer.document) })),
    })),
  };
}

const lengthOf = ({ documents }: DataSet, at: number) => documents[at]?.text.length ?? 0;

const percent = (share: number) => (100 * share).toFixed(1);
const signed = (share: number) => `${share > 0 ? '+' : ''}${percent(share)}`;
const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** A mean in percent, with its interval. @param shown of a number */
async function withInterval(
  values: readonly number[],
  shown = percent,
  range: Interval = [0, 1],
): Promise<string> {
  const own = Float64Array.from(values);
  const [resampled = own] = await resampledMeans([own], SEED, NEVER);
  const mean = meanOf(values);
  const [low, high] = intervalOf(mean, resampled, values.length, range);
  return `${shown(mean)} [${shown(low)}, ${shown(high)}]`;
}

const recallsOf = ({ questions }: EvaluatedCandidate) => questions.map(({ recall }) => recall);

/** How much better one candidate is on the same questions, and whether not worse by more than so many points. */
async function noHarm(
  figure: string,
  pairs: readonly (readonly [name: string, one: number[], other: number[]])[],
  points: number,
): Promise<Row> {
  const values: string[] = [];
  let isMet = true;
  for (const [name, one, other] of pairs) {
    const differences = one.map((recall, at) => recall - (other[at] as number));
    values.push(`${name} ${await withInterval(differences, signed, [-1, 1])}`);
    isMet &&= 100 * meanOf(differences) >= -points;
  }
  return { figure, value: values.join(', '), goal: `each at least -${points} points`, isMet };
}

const RETRIEVERS = ['dense', 'bm25', 'hybrid'] as const;

/** A request to evaluate, without documents and questions. */
interface Comparison {
  readonly candidates: readonly object[];
  readonly k?: number;
  readonly budget?: number;
  readonly embed?: string;
  readonly retriever?: string;
}

/** Questions that a draw of them has, and how many draws. */
const DRAWN = 150;
const DRAWS = 200;

class Measuring {
  readonly #t: Cleanup;
  readonly #service: OpenService;

  constructor(t: Cleanup, service: OpenService) {
    this.#t = t;
    this.#service = service;
  }

  async *rows(sets: readonly DataSet[]): AsyncGenerator<Row> {
    for (const set of sets) {
      yield* this.#agreement(set);
      if (set.kind === 'code') yield* this.#code(set);
      else if (set.kind === 'reports') yield await this.#reports(set);
      else if (set.kind !== 'scripts') yield* this.#prose(set);
    }
    for (const kind of ['reports', 'code', 'prose'].filter(
      (one) => !sets.some(({ kind }) => kindIs(kind, one)),
    ))
      yield unmeasured(`preset ${kind}`, 'needs a folder');
    yield* bm25();
    yield {
      figure: 'ChunkBatches, a replica killed midway',
      value:
        'shown by Replicas.test_one_that_is_killed_midway and Engines of test_batches.py (npm run test:all)',
      goal: 'rows of the plain run',
      isMet: undefined,
    };
  }

  async #evaluate({ documents, questions }: DataSet, comparison: Comparison): Promise<Evaluation> {
    const asked = questions.map(({ question, answers }) => ({ question, answers }));
    const request = { embed: 'context+text', ...comparison, documents, questions: asked };
    return jsonOf<Evaluation>(
      await this.#service.post('/v1/evaluate', { ...request, offset_unit: 'utf16', seed: SEED }),
    );
  }

  /** The chunks of a set by a chunker, and its questions, with their vectors. */
  async #plain({ documents, questions }: DataSet, chunker: string, config: object) {
    const { post } = this.#service;
    const text = documents.map((one) => one.text);
    const lists = jsonOf<PlainChunk[][]>(
      await post(`/v1/chunk/${chunker}`, { text, offset_unit: 'utf16', ...config }),
    );
    const chunks = lists.flatMap((own, document) => own.map((chunk) => ({ ...chunk, document })));
    const embed = async (texts: string[], purpose: string) =>
      jsonOf<{ embeddings: number[][] }>(await post('/v1/embed', { text: texts, purpose })).embeddings;
    const vectors = await embed(
      chunks.map((chunk) => chunk.text),
      'document',
    );
    const asked = await embed(
      questions.map(({ question }) => question),
      'query',
    );
    return {
      chunks: chunks.map((chunk, at): PlainChunk => ({ ...chunk, vector: vectors[at] as number[] })),
      questions: questions.map(
        ({ question }, at): PlainQuestion => ({ text: question, vector: asked[at] as number[] }),
      ),
    };
  }

  /** Whether what is worked out from chunks and vectors alone is what the service says. */
  async *#agreement(whole: DataSet): AsyncGenerator<Row> {
    const set = partOf(whole, 1_500_000);
    const config = { ...TOKENS, chunk_size: set.kind === 'scripts' ? 24 : 256 };
    const { chunks, questions } = await this.#plain(set, 'recursive', config);
    const lists = new Map(RETRIEVERS.map((one) => [one, plainLists(chunks, questions, one)]));
    let [recall, score] = [0, 0];
    for (const by of [{ k: 5 }, { budget: set.kind === 'scripts' ? 50 : 1000 }]) {
      const candidates = RETRIEVERS.map((retriever) => ({ chunker: 'recursive', config, retriever }));
      const { candidates: answered } = await this.#evaluate(set, { candidates, ...by, embed: 'text' });
      for (const [at, retriever] of RETRIEVERS.entries()) {
        const own = lists.get(retriever) as ReturnType<typeof plainLists>;
        const { recall: theirs, questions: each } = answered[at] as EvaluatedCandidate;
        const recalls = own.map((list, question) => {
          const bought = plainlyBought(list, chunks, by);
          if (retriever === 'bm25')
            for (const [rank, found] of (each[question]?.found ?? []).entries())
              if ('k' in by) score = Math.max(score, Math.abs(found.score - (list[rank]?.[1] ?? 0)));
          return plainRecall(set.questions[question]?.answers ?? [], bought);
        });
        recall = Math.max(recall, Math.abs(meanOf(recalls) - theirs));
      }
    }
    const name = `${set.name}: a plain reference`;
    yield {
      figure: `${name}, recall by k and budget`,
      value: recall.toFixed(6),
      goal: 'at most .005 apart',
      isMet: recall <= 0.005,
    };
    yield {
      figure: `${name}, scores of BM25`,
      value: score.toExponential(1),
      goal: 'at most 1e-5 apart',
      isMet: score <= 1e-5,
    };
  }

  async *#prose(set: DataSet): AsyncGenerator<Row> {
    yield* this.#tune(set);
    yield await this.#falseWinners(set);
    yield await this.#latency(set);
    if (set.isSmall) return;
    const plain = { chunker: 'recursive', config: { ...TOKENS, chunk_size: 256 } };
    const candidates = RETRIEVERS.flatMap((retriever) => [
      { preset: 'prose', retriever },
      { ...plain, retriever },
    ]);
    const found = (await this.#evaluate(set, { candidates, budget: 1000 })).candidates;
    const pairs = RETRIEVERS.map((name, at) => {
      const [own, other] = found.slice(2 * at) as [EvaluatedCandidate, EvaluatedCandidate];
      return [name, recallsOf(own), recallsOf(other)] as const;
    });
    yield await noHarm(`${set.name}: preset prose less recursive 256, 1,000 tokens`, pairs, 0.4);
    yield* this.#words(set);
  }

  /** The grid that `tune` tries, and what it says about it. */
  async *#tune(set: DataSet): AsyncGenerator<Row> {
    const all: EvaluatedCandidate[] = [];
    const send: Send = async (body) => {
      const answer = jsonOf<Evaluation>(await this.#service.post('/v1/evaluate', body));
      all.push(...answer.candidates);
      return answer as Evaluation & Awaited<ReturnType<Send>>;
    };
    const { documents, questions, isSmall } = set;
    const compared = { documents, questions, budget: 2000, seed: SEED, embedding_model: undefined };
    const evaluator = new Evaluator(send, compared, await temporaryFolder(this.#t), '', false);
    const evaluated: Evaluated[] = [];
    const [begin, used] = [performance.now(), process.cpuUsage()];
    for (const chunking of this.#chunkings()) {
      const points = await evaluator.evaluate(chunking);
      if ('error' in points) throw new Error(points.error);
      evaluated.push({ ...chunking, points });
    }
    const about = {
      folder: set.name,
      documents: documents.length,
      notes: [],
      derived: false,
      of: evaluated.length,
    };
    await resultOf({ ...about, questions, budget: 2000, seed: SEED, evaluated, retriever: 'dense' }, NEVER);
    const { user, system } = process.cpuUsage(used);
    const [wall, busy] = [(performance.now() - begin) / 1e3, (user + system) / 1e6];
    yield {
      figure: `${set.name}: tune, ${evaluated.length} chunkings with three retrievers`,
      value: `${busy.toFixed(1)} s of a processor, ${wall.toFixed(1)} s`,
      goal: 'at most 60 s of a processor',
      isMet: busy <= 60,
    };
    const retrievers = evaluated.flatMap(({ points }) => points.map(({ retriever }) => retriever));
    const baseline = retrievers.indexOf('dense');
    const isBetter = async (scores: readonly Float64Array[], run: number) =>
      (await chooseAgainst(scores, baseline, (a, b) => a - b, run, NEVER)).isBetter;
    const random = randomFrom(SEED);
    let [lucky, better] = [0, 0];
    for (let run = 0; run < DRAWS; run++) {
      const drawn = shuffle([...questions.keys()], random).slice(0, DRAWN);
      const others = shuffle(drawn, random).map((at) => questions[at] as CorpusQuestion);
      const chance = all.map(({ questions: each }) =>
        Float64Array.from(drawn, (at, place) =>
          overlap(others[place] as CorpusQuestion, each[at]?.found ?? []),
        ),
      );
      if (await isBetter(chance, run)) lucky++;
      if (isSmall) continue;
      const true_ = all.map(({ questions: each }) => Float64Array.from(drawn, (at) => each[at]?.recall ?? 0));
      if (await isBetter(true_, run)) better++;
    }
    yield falseRow(`${set.name}: tune finds something better with shuffled labels`, lucky);
    const gain = `${set.name}: tune finds a true gain over recursive 512 dense with ${DRAWN} questions`;
    yield isSmall
      ? unmeasured(gain, 'needs a folder')
      : {
          figure: gain,
          value: `${better} of ${DRAWS} draws`,
          goal: 'over 90 %',
          isMet: better > 0.9 * DRAWS,
        };
  }

  /** Four chunkers in two sizes, with and without the context of the preset for prose. The first is the baseline. */
  *#chunkings() {
    const refined = requirePreset('prose').steps.filter(({ refinery }) => refinery === 'context');
    for (const chunk_size of [512, 256])
      for (const chunker of ['recursive', 'markdown', 'sentence', 'token'])
        for (const after of [[], refined]) {
          const step: PipelineStep = {
            type: 'chunk',
            chunker,
            refinery: null,
            config: { ...TOKENS, chunk_size },
          };
          const factors = {
            chunker,
            'chunk size': String(chunk_size),
            context: after.length > 0 ? 'with' : 'without',
          };
          yield { name: Object.values(factors).join(' '), steps: [step, ...after], embedding: [], factors };
        }
  }

  /** How often an evaluation names a winner of what cannot have one: the questions have each other's answers. */
  async #falseWinners(whole: DataSet): Promise<Row> {
    const set = partOf(whole, 100_000);
    const random = randomFrom(SEED);
    const candidates = ['recursive', 'sentence'].map((chunker) => ({
      chunker,
      config: { ...TOKENS, chunk_size: 128 },
    }));
    let winners = 0;
    for (let run = 0; run < DRAWS; run++) {
      const answers = shuffle(set.questions, random);
      const questions = set.questions.map((one, at) => ({ ...one, answers: answers[at]?.answers ?? [] }));
      const search = { candidates, retriever: 'bm25', budget: 1000 };
      const { verdict } = await this.#evaluate({ ...set, questions }, search);
      if (verdict?.winner !== null) winners++;
    }
    return falseRow(
      `${set.name}: /v1/evaluate names a winner with shuffled labels, ${set.questions.length} questions`,
      winners,
    );
  }

  /** How long `/health` takes while a thread evaluates. */
  async #latency(set: DataSet): Promise<Row> {
    const { get, post } = await startServer(this.#t, { ...LIMITS, workers: 1 });
    const ask = async (isDone: () => boolean) => {
      const times: number[] = [];
      while (!isDone() || times.length < 20) {
        const begin = performance.now();
        await get('/health');
        times.push(performance.now() - begin);
        await new Promise((next) => setTimeout(next, 10));
      }
      times.sort((a, b) => a - b);
      return times[Math.floor(0.99 * times.length)] as number;
    };
    await ask(() => true);
    const idle = await ask(() => true);
    let isDone = false;
    const candidates = RETRIEVERS.map((retriever) => ({
      chunker: 'recursive',
      config: { ...TOKENS, chunk_size: 256 },
      retriever,
    }));
    const asked = set.questions.map(({ question, answers }) => ({ question, answers }));
    const request = {
      documents: set.documents,
      questions: asked,
      candidates,
      budget: 2000,
      offset_unit: 'utf16',
    };
    const done = post('/v1/evaluate', request).finally(() => (isDone = true));
    const busy = await ask(() => isDone);
    jsonOf(await done);
    return {
      figure: `${set.name}: /health while another thread evaluates, 99 %`,
      value: `${busy.toFixed(1)} ms (idle ${idle.toFixed(1)} ms)`,
      goal: 'below 50 ms',
      isMet: busy < 50,
    };
  }

  async *#code(set: DataSet): AsyncGenerator<Row> {
    const alone = { preset: 'code', override: { context: null } };
    const budget = 1500;
    const candidates = [{ preset: 'code', retriever: 'hybrid' }];
    const [found] = (await this.#evaluate(set, { candidates, budget })).candidates as [EvaluatedCandidate];
    const recalls = recallsOf(found);
    const whole = recalls.map((recall) => Number(recall > 0.999999));
    const name = `${set.name}: preset code, both retrievers, 1,500 tokens`;
    yield {
      figure: `${name}, recall`,
      value: await withInterval(recalls),
      goal: 'at least 80.6',
      isMet: meanOf(recalls) >= 0.806,
    };
    yield {
      figure: `${name}, whole functions`,
      value: await withInterval(whole),
      goal: 'at least 80',
      isMet: meanOf(whole) >= 0.8,
    };
    const steps = requirePreset('code').steps.filter(({ type }) => type === 'chunk');
    const chunks = jsonOf<PlainChunk[][]>(
      await this.#service.execute(steps, { documents: set.documents }),
    ).flat();
    const largest = Math.max(...chunks.map(({ token_count }) => token_count));
    yield {
      figure: `${set.name}: preset code, largest of ${chunks.length} chunks`,
      value: `${largest} tokens`,
      goal: 'at most 1,200',
      isMet: largest <= 1200,
    };
    const byFile = Map.groupBy(set.questions, ({ answers }) => answers[0]?.document ?? 0);
    const pairs = RETRIEVERS.map((retriever) => [retriever, [] as number[], [] as number[]] as const);
    for (const [document, questions] of byFile) {
      // In a shorter file nearly everything is found.
      if (lengthOf(set, document) < 20_000) continue;
      const answers = questions.map(({ answers, ...one }) => ({
        ...one,
        answers: answers.map((answer) => ({ ...answer, document: 0 })),
      }));
      const file = { ...set, documents: set.documents.slice(document, document + 1), questions: answers };
      const candidates = RETRIEVERS.flatMap((retriever) => [
        { preset: 'code', retriever },
        { ...alone, retriever },
      ]);
      const found = (await this.#evaluate(file, { candidates, budget })).candidates;
      for (const [at, [, own, other]] of pairs.entries()) {
        own.push(...recallsOf(found[2 * at] as EvaluatedCandidate));
        other.push(...recallsOf(found[2 * at + 1] as EvaluatedCandidate));
      }
    }
    yield await noHarm(
      `${set.name}: preset code less no context, within one file, ${pairs[0]?.[1].length} questions`,
      pairs,
      2.8,
    );
  }

  /** How often the right filing is among the five best chunks. */
  async #reports(set: DataSet): Promise<Row> {
    const candidates = [{ preset: 'reports' }, { preset: 'reports', override: { context: null } }];
    const found = (await this.#evaluate(set, { candidates, k: 5 })).candidates;
    const [own = [], plain = []] = found.map(({ questions }) =>
      questions.map(({ found: chunks }, at) => {
        const right = set.questions[at]?.answers[0]?.document;
        return Number(chunks.some(({ document }) => document === right));
      }),
    );
    const value = `${await withInterval(own)} (without context ${await withInterval(plain)})`;
    return {
      figure: `${set.name}: preset reports, right document among 5`,
      value,
      goal: 'at least 60',
      isMet: meanOf(own) >= 0.6,
    };
  }

  /** Words and vectors in a real database. */
  async *#words(set: DataSet): AsyncGenerator<Row> {
    const figure = `${set.name}: PostgreSQL, recursive 200, five best of words and vectors`;
    if (!isHere('sink/pgvector')) return void (yield unmeasured(figure, 'the sink is not in this checkout'));
    // It is the sink's own, and gone with it.
    const file = join(import.meta.dirname, '../../plugins/sinks/pgvector/evaluate.ts');
    const { chunks, questions } = await this.#plain(set, 'recursive', { ...TOKENS, chunk_size: 200 });
    const found: number[][] | string = await (await import(file)).searchFused(this.#t, chunks, questions);
    if (typeof found === 'string') return void (yield unmeasured(figure, found));
    const recallOf = (list: readonly number[], at: number) =>
      plainRecall(
        set.questions[at]?.answers ?? [],
        list.map((chunk) => chunks[chunk] as PlainChunk),
      );
    const fused = found.map(recallOf);
    const dense = plainLists(chunks, questions, 'dense').map((list, at) =>
      recallOf(
        list.slice(0, 5).map(([chunk]) => chunk),
        at,
      ),
    );
    yield {
      figure,
      value: `${await withInterval(fused)} (vectors alone ${await withInterval(dense)})`,
      goal: 'over 80',
      isMet: meanOf(fused) > 0.8,
    };
    const missed = dense.filter((recall) => recall === 0).length;
    const gained = fused.filter((recall, at) => recall > 0 && dense[at] === 0).length;
    yield {
      figure: `${set.name}: PostgreSQL, found although vectors alone miss it`,
      value: `${gained} of ${missed} questions`,
      goal: 'some',
      isMet: gained > 0,
    };
  }
}

/** Prose has two kinds. */
function kindIs(kind: string, wanted: string): boolean {
  return kind === wanted || (wanted === 'prose' && kind === 'docs');
}

function unmeasured(figure: string, why: string): Row {
  return { figure, value: why, goal: '', isMet: undefined };
}

function falseRow(figure: string, count: number): Row {
  return { figure, value: `${count} of ${DRAWS} runs`, goal: 'at most 10 %', isMet: count <= 0.1 * DRAWS };
}

/** The share of an answer's characters in what was found, whose stretches do not overlap. */
function overlap({ answers }: CorpusQuestion, found: readonly Found[]): number {
  let [shared, length] = [0, 0];
  for (const { document, start_index, end_index } of answers) {
    length += end_index - start_index;
    for (const one of found.filter((chunk) => chunk.document === document))
      shared += Math.max(0, Math.min(end_index, one.end_index) - Math.max(start_index, one.start_index));
  }
  return shared / length;
}

/** What the benchmark measures, in a process of its own. */
function* bm25(): Generator<Row> {
  const bench = join(ROOT, 'test/bench/retrieval/main.ts');
  const { stdout } = spawnSync(process.execPath, ['--expose-gc', bench], { encoding: 'utf8' });
  const [, built, held, , p95] =
    /ours +\d+ +([\d.]+) s +(\d+) MB +([\d.]+) ms +([\d.]+) ms/.exec(stdout) ?? [];
  const row = (figure: string, value: string | undefined, unit: string, most: number): Row => ({
    figure: `BM25 over 100,000 chunks: ${figure}`,
    value: value === undefined ? 'the benchmark failed' : `${value} ${unit}`,
    goal: `at most ${most} ${unit}`,
    isMet: Number(value) <= most,
  });
  yield row('built in', built, 's', 5);
  yield row('held', held, 'MB', 100);
  yield row('95 % of questions', p95, 'ms', 8);
}
