import { existsSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import pMap from 'p-map';
import type { PipelineStep } from '../../../../core/contracts/pipeline.ts';
import { reasonOf } from '../../../../core/errors.ts';
import { Api } from '../../../cli/api.ts';
import { readJson } from '../../../cli/commands/remote.ts';
import { type Engine, openEngine } from '../../../cli/engine.ts';
import { CommandError, EXIT, UsageError } from '../../../cli/errors.ts';
import type { Environment } from '../../../config/config.ts';
import type { ServerCradle } from '../../../container.ts';
import { randomFrom } from '../../../engine/operations/evaluation/bootstrap.ts';
import { PRESET_NAMES } from '../../../engine/presets/presets.ts';
import { stepsFrom, stepsIn } from '../flags/chunk-task.ts';
import { Stopped, stopOnSignals } from '../run-chunk.ts';
import { deriveQuestions } from './derive-questions.ts';
import { Evaluator, RETRIEVERS, type Retriever, sendHere, sendTo } from './evaluate.ts';
import { type Chunking, gridOf, isCode, kindOf, sizeOf, stagesOf } from './grid.ts';
import { pageOf } from './page.ts';
import { QUESTIONS, questionsIn, readFolder, readQuestions, thinned } from './read-corpus.ts';
import { type Evaluated, inWords, percent, resultOf } from './result.ts';

interface TuneFlags {
  readonly questions?: string;
  readonly baseline?: string;
  readonly retriever: Retriever;
  readonly budget: number;
  readonly grid?: string;
  readonly model?: string;
  readonly seed: number;
  readonly time?: number;
  readonly out?: string;
  readonly report?: string;
  readonly resume?: true;
  readonly server?: string;
  readonly json?: true;
}

/** `chunksmith tune`. @param onEnd called with the exit status */
export function tuneCommand(env: Environment, onEnd: (status: number) => void): Command {
  const derived = `${QUESTIONS} of the folder, else sentences taken out of the texts`;
  return new Command('tune')
    .description(
      'Find the chunker, size, context and retriever with which questions about a folder find their answers',
    )
    .argument('<folder>', 'with the documents, in any format that a reader supports')
    .option('--questions <file>', `questions with their answers, as lines of JSON (default: ${derived})`)
    .option('--baseline <preset or file>', 'what has to be beaten (default: the preset that fits the files)')
    .addOption(
      new Option('--retriever <name>', "the baseline's retriever").choices(RETRIEVERS).default('dense'),
    )
    .option('--budget <tokens>', 'tokens that a question may find', natural, 2000)
    .option('--grid <file>', 'what is tried: a JSON list of candidates, as in POST /v1/evaluate')
    .option('--model <name>', 'the embedding model')
    .option('--seed <number>', 'of everything that is drawn at random', natural, 1)
    .option('--time <duration>', 'begin nothing more after this time, such as 90s, 10m or 2h', milliseconds)
    .option('--out <file>', 'write the best as a pipeline for `chunk --pipeline` and POST /v1/pipelines')
    .option('--report <file>', 'write a page of HTML with plots')
    .option('--resume', 'continue a stopped run')
    .option(
      '--server <url>',
      'evaluate on a running service; its key is taken from the variable CHUNKSMITH_KEY',
    )
    .option('--json', 'print the result as JSON')
    .action(async (folder: string, flags: TuneFlags) => onEnd(await runTune(folder, flags, env)));
}

function natural(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('expected a number.');
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

function milliseconds(text: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('expected a duration such as 90s, 10m or 2h.');
  return Number(count) * (UNITS[unit] as number);
}

/** The folder is the user's own, and the work may take long. */
const NO_LIMIT = String(Number.MAX_SAFE_INTEGER);

async function runTune(folder: string, flags: TuneFlags, env: Environment): Promise<number> {
  const limits = { maxEvaluationCharacters: NO_LIMIT, maxDocuments: NO_LIMIT };
  const engine = await openEngine({ ...limits, ...(flags.server !== undefined && { workers: '0' }) }, env);
  const stop = new AbortController();
  stopOnSignals(stop, () => console.error('interrupted; --resume continues'));
  try {
    const { result, hasFailed } = await tune(folder, flags, { engine, stop, env });
    if (flags.out !== undefined) write(flags.out, `${JSON.stringify(result.pipeline, undefined, 2)}\n`);
    if (flags.report !== undefined) write(flags.report, pageOf(result));
    console.log(flags.json === true ? JSON.stringify(result, undefined, 2) : inWords(result));
    return hasFailed ? EXIT.someFailed : EXIT.done;
  } catch (error) {
    const { reason } = stop.signal;
    if (reason instanceof Stopped) return reason.status;
    throw error;
  } finally {
    stop.abort();
    await engine.close();
  }
}

function write(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw new CommandError(`${path}: ${reasonOf(error)}`);
  }
}

interface Tools {
  readonly engine: Engine;
  readonly stop: AbortController;
  readonly env: Environment;
}

async function tune(folder: string, flags: TuneFlags, { engine, stop, env }: Tools) {
  const { cradle } = engine;
  const { seed, budget, server, retriever } = flags;
  const corpus = await readCorpus(folder, flags, cradle, stop.signal);
  const { documents, questions, derived } = corpus;
  const preset = named(kindOf(documents), flags, cradle);
  const baseline = flags.baseline === undefined ? preset : named(flags.baseline, flags, cradle);
  const send =
    server === undefined
      ? sendHere(engine.runner(false), stop)
      : sendTo(new Api(server, env.CHUNKSMITH_KEY), stop);
  const compared = { documents, questions, budget, seed, embedding_model: flags.model };
  const evaluator = new Evaluator(
    send,
    compared,
    join(folder, '.chunksmith'),
    server ?? '',
    flags.resume === true,
  );
  const lanes = server === undefined ? Math.max(1, cradle.config.workers) : 1;
  const run = new Run(evaluator, lanes, flags.time);
  await run.try([baseline], true);
  const [first] = run.evaluated;
  if (first === undefined) throw new CommandError(`${baseline.name}, the baseline: ${run.notes.join('; ')}`);
  const given = flags.grid === undefined ? undefined : gridIn(flags.grid, preset, flags, cradle);
  const grid = gridOf(kindOf(documents), preset, cradle.registry);
  for (const stage of given === undefined ? stagesOf(grid, (one) => run.scoreOf(one)) : [given])
    await run.try(stage);
  const { evaluated } = run;
  const result = await resultOf(
    {
      folder: basename(resolve(folder)),
      documents: documents.length,
      ...{ questions, derived, budget, seed, retriever, evaluated },
      of: Math.max(evaluated.length, given === undefined ? sizeOf(grid) : given.length),
      notes: [...corpus.notes, ...run.notes],
    },
    stop.signal,
  );
  return { result, hasFailed: corpus.hasFailed };
}

/** Reads the documents and the questions about them. */
async function readCorpus(folder: string, flags: TuneFlags, cradle: ServerCradle, signal: AbortSignal) {
  const { out, report, seed } = flags;
  const given = flags.questions ?? questionsIn(folder);
  const written = [given, out, report].filter((path) => path !== undefined);
  const read = await readFolder(folder, written, cradle, signal);
  const made =
    given === undefined
      ? deriveQuestions(read.documents, isCode, randomFrom(seed))
      : { documents: read.documents, questions: readQuestions(given, read.documents) };
  if (made.questions.length === 0)
    throw new UsageError(
      `${folder}: no questions can be derived from its texts; write some to ${join(folder, QUESTIONS)}`,
    );
  const { documents, questions } = thinned(made.documents, made.questions);
  const left = made.documents.length - documents.length;
  const notes = [
    ...read.failed,
    ...(read.skipped === '' ? [] : [read.skipped]),
    ...(left > 0 ? [`${left} documents far from every answer were left out.`] : []),
  ];
  return { documents, questions, notes, derived: given === undefined, hasFailed: read.failed.length > 0 };
}

/** A preset, or a pipeline in a file. @throws UsageError, ServiceError */
function named(name: string, flags: TuneFlags, cradle: ServerCradle): Chunking {
  const { presets } = cradle.service;
  const steps = (isFile(name) ? stepsIn(name, cradle) : presets.stepsOf({ preset: name })) ?? [];
  return { name: basename(name, '.json'), ...divided(steps, flags, cradle), factors: {} };
}

/** A preset wins over a file of its name. */
function isFile(name: string): boolean {
  return !PRESET_NAMES.includes(name) && existsSync(name);
}

/** Steps apart from those that embed, which the evaluation does itself. */
function divided(steps: readonly PipelineStep[], { model }: TuneFlags, { registry }: ServerCradle) {
  const embeds = ({ refinery }: PipelineStep) =>
    registry.find('refinery', refinery ?? '')?.manifest.uses?.includes('embedding') === true;
  const withModel = (step: PipelineStep) =>
    model === undefined ? step : { ...step, config: { ...step.config, embedding_model: model } };
  return { steps: steps.filter((step) => !embeds(step)), embedding: steps.filter(embeds).map(withModel) };
}

/** The candidates of a file. @throws UsageError */
function gridIn(path: string, preset: Chunking, flags: TuneFlags, cradle: ServerCradle): Chunking[] {
  const given = readJson(path);
  if (!Array.isArray(given) || given.length === 0)
    throw new UsageError(`--grid ${path}: expected a list of candidates, as in POST /v1/evaluate`);
  return given.map(({ name, chunker, config, ...one }, index) => {
    const list = chunker === undefined ? one : { steps: [{ type: 'chunk', chunker, config }] };
    const place = `--grid ${path}: [${index}]`;
    const steps = cradle.service.presets.stepsOf(one, `${place}.`) ?? stepsFrom(list, place, cradle);
    const { embedding, ...rest } = divided(steps, flags, cradle);
    const own = steps.map((step) => step.chunker ?? step.refinery).join(' + ');
    return {
      ...rest,
      name: name ?? `${own} ${config?.chunk_size ?? ''}`.trim(),
      embedding: embedding.length > 0 ? embedding : preset.embedding,
      factors: { chunking: name ?? String(index) },
    };
  });
}

/** Tries chunkings until the time is over. */
class Run {
  readonly notes: string[] = [];
  readonly #evaluator: Evaluator;
  readonly #lanes: number;
  readonly #end: number;
  readonly #evaluated = new Map<string, Evaluated>();

  /** @param lanes how many are evaluated at the same time @param time in milliseconds */
  constructor(evaluator: Evaluator, lanes: number, time = Number.POSITIVE_INFINITY) {
    this.#evaluator = evaluator;
    this.#lanes = lanes;
    this.#end = performance.now() + time;
  }

  /** In the order in which they were to be tried. */
  get evaluated(): Evaluated[] {
    return [...this.#evaluated.values()];
  }

  /** The best recall of a chunking; -1 if it was not evaluated. */
  scoreOf({ steps }: Chunking): number {
    const points = this.#evaluated.get(JSON.stringify(steps))?.points ?? [];
    return Math.max(-1, ...points.map(({ recall }) => recall));
  }

  /** Evaluates a chunking that was evaluated under another name only once. */
  async try(chunkings: readonly Chunking[], isUrgent = false): Promise<void> {
    const concurrency = this.#lanes;
    const points = await pMap(chunkings, (one) => this.#pointsOf(one, isUrgent), { concurrency });
    for (const [at, chunking] of chunkings.entries()) {
      const [key, own] = [JSON.stringify(chunking.steps), points[at]];
      const before = this.#evaluated.get(key);
      if (before !== undefined) this.#evaluated.set(key, { ...before, factors: chunking.factors });
      else if (own !== undefined) this.#evaluated.set(key, { ...chunking, points: own });
    }
  }

  async #pointsOf(chunking: Chunking, isUrgent: boolean): Promise<Evaluated['points'] | undefined> {
    const begin = performance.now();
    if (this.#evaluated.has(JSON.stringify(chunking.steps)) || (begin > this.#end && !isUrgent))
      return undefined;
    const outcome = await this.#evaluator.evaluate(chunking);
    const seconds = ((performance.now() - begin) / 1000).toFixed(1);
    if ('error' in outcome) {
      this.notes.push(`${chunking.name}: ${outcome.error}`);
      console.error(`${chunking.name}: ${outcome.error}`);
      return undefined;
    }
    const recalls = outcome.map(({ retriever, recall }) => `${retriever} ${percent(recall)}`).join(', ');
    console.error(`${chunking.name}: ${recalls}; ${outcome[0]?.chunks} chunks, ${seconds} s`);
    return outcome;
  }
}
