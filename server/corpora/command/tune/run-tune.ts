import { existsSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { reasonOf } from '../../../../core/errors.ts';
import { Api } from '../../../cli/api.ts';
import { type Engine, openEngine } from '../../../cli/engine.ts';
import { CommandError, EXIT, UsageError } from '../../../cli/errors.ts';
import type { Environment } from '../../../config/config.ts';
import type { ServerCradle } from '../../../container.ts';
import { unlessAborted } from '../../../engine/abort.ts';
import { randomFrom } from '../../../engine/operations/evaluation/bootstrap.ts';
import { RETRIEVERS, type Retriever } from '../../../engine/operations/evaluation/schemas.ts';
import { namingReplaced } from '../flags.ts';
import { Stopped, stopOnSignals } from '../run-chunk.ts';
import { deriveQuestions, findUnits } from './derive-questions.ts';
import { QUESTIONS, readFolder, readQuestions, STATE, thinned } from './read-corpus.ts';
import { inWords } from './report.ts';
import { count, resultOf, SEED } from './result.ts';
import { candidatesFor, kindOf, Search, type Send } from './search.ts';

interface TuneFlags {
  readonly questions?: string;
  readonly candidates?: readonly string[];
  readonly baseline?: string;
  readonly grid?: string;
  readonly retriever: Retriever;
  readonly budget: number;
  readonly time?: number;
  /** False if `--no-embeddings` is given. */
  readonly embeddings?: boolean;
  readonly out?: string;
  readonly resume?: true;
  readonly server?: string;
  readonly json?: true;
}

/** Creates `chunksmith tune`. @param onEnd called with the exit status */
export function tuneCommand(env: Environment, onEnd: (status: number) => void): Command {
  const command = new Command('tune').description(
    'Find the chunker, size, context and retriever with which questions about a folder find their answers',
  );
  return withCorpus(namingReplaced(command, { '--report': '--json' }))
    .option('--baseline <preset or file>', 'what has to be beaten (default: the preset that fits the files)')
    .option(
      '--grid <file>',
      'what is tried: a JSON list of {"chunker", "config"}, {"preset", "override"} or {"steps"}, each with a "name" if you like',
    )
    .option(
      '--time <duration>',
      'stop after this time, such as 90s, 10m or 2h, once the baseline is measured',
      milliseconds,
    )
    .option('--out <file>', 'write the best as a pipeline for `chunk --pipeline` and POST /v1/pipelines')
    .option(
      '--no-embeddings',
      'leave vectors out of that pipeline if the best retriever is bm25, which needs none',
    )
    .option('--resume', `continue a stopped run, from ${STATE} in the folder, which every run writes`)
    .action(async (folder: string, flags: TuneFlags) => onEnd(await runTune(folder, flags, env)));
}

/** Creates `chunksmith evaluate` for given candidates only. @param onEnd called with the exit status */
export function evaluateCommand(env: Environment, onEnd: (status: number) => void): Command {
  const command = new Command('evaluate').description(
    'Compare presets and pipelines by how well questions about a folder find their answers',
  );
  return withCorpus(command)
    .argument('<candidates...>', 'presets, or files of pipelines: the first is what the others have to beat')
    .action(async (folder: string, candidates: string[], flags: TuneFlags) =>
      onEnd(await runTune(folder, { ...flags, candidates }, env)),
    );
}

function withCorpus(command: Command): Command {
  const derived = `${QUESTIONS} of the folder, else sentences taken out of the texts`;
  return command
    .argument('<folder>', 'with the documents, in any format that a reader supports')
    .option('--questions <file>', `questions with their answers, as lines of JSON (default: ${derived})`)
    .addOption(
      new Option('--retriever <name>', "the baseline's retriever").choices(RETRIEVERS).default('dense'),
    )
    .option('--budget <tokens>', 'tokens that a question may find', natural, 2048)
    .option(
      '--server <url>',
      'evaluate on a running service; its key is taken from the variable CHUNKSMITH_KEY',
    )
    .option('--json', 'print the result as JSON');
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

/** Removes the limit: the folder is the user's own, and evaluating it may take long. */
const NO_LIMIT = String(Number.MAX_SAFE_INTEGER);

async function runTune(folder: string, flags: TuneFlags, env: Environment): Promise<number> {
  const { server, out, json, candidates } = flags;
  const limits = { maxEvaluationCharacters: NO_LIMIT, maxDocuments: NO_LIMIT };
  const engine = await openEngine({ ...limits, ...(server !== undefined && { workers: '0' }) }, env);
  const stop = new AbortController();
  const remedy = candidates === undefined ? '; --resume continues' : '';
  stopOnSignals(stop, () => console.error(`interrupted${remedy}`));
  const send =
    server === undefined ? sendHere(engine, stop) : sendTo(new Api(server, env.CHUNKSMITH_KEY), stop);
  try {
    const { result, hasFailed } = await tune(folder, flags, engine.cradle, send, stop.signal);
    if (out !== undefined) write(out, `${JSON.stringify(result.pipeline, undefined, 2)}\n`);
    console.log(json === true ? JSON.stringify(result, undefined, 2) : inWords(result));
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

function sendHere(engine: Engine, stop: AbortController): Send {
  const runner = engine.cradle.runner;
  const task = { run: 'evaluate', pipelines: new Map() } as const;
  return async (body, signal) => {
    const own = new AbortController();
    const signals = signal === undefined ? [stop.signal] : [stop.signal, signal];
    const either = AbortSignal.any(signals);
    const abort = () => own.abort(either.reason);
    either.aborted ? abort() : either.addEventListener('abort', abort, { once: true });
    const running = runner.run(task, Buffer.from(body), own, { hasNoDeadline: true });
    const { bytes } = await unlessAborted(running, own.signal);
    return JSON.parse(Buffer.from(bytes).toString());
  };
}

/** Sends evaluations to a server, which has its own timeout. */
function sendTo(api: Api, stop: AbortController): Send {
  const headers = { 'content-type': 'application/json' };
  return (body, own) => {
    const signal = own === undefined ? stop.signal : AbortSignal.any([stop.signal, own]);
    return api.json({ path: '/v1/evaluate', headers, body }, { signal, timeout: 0 });
  };
}

function write(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw new CommandError(`${path}: ${reasonOf(error)}`);
  }
}

async function tune(folder: string, flags: TuneFlags, cradle: ServerCradle, send: Send, signal: AbortSignal) {
  const begin = performance.now();
  const { budget, server, retriever, resume = false } = flags;
  const file = flags.candidates === undefined ? join(folder, STATE) : undefined;
  const { documents, questions, notes, derived, hasFailed } = await readCorpus(folder, flags, cradle, signal);
  const kind = kindOf(documents.map(({ filename }) => filename));
  const { baseline, grid } = candidatesFor(kind, flags, cradle);
  console.error(`${count(documents.length, 'document')}, ${count(questions.length, 'question')}`);
  const time = (flags.time ?? Number.POSITIVE_INFINITY) - (performance.now() - begin);
  const lanes = server === undefined ? Math.max(1, cradle.config.workers) : 1;
  const search = new Search(
    { send, where: server ?? '', lanes, time, file, isResumed: resume },
    {
      budget,
      seed: SEED,
      offset_unit: 'utf16',
      documents,
      questions: questions.map(({ question, answers }) => ({ question, answers })),
    },
  );
  await search.try([baseline]);
  if (search.trials.size === 0) throw new CommandError(`the baseline, ${search.failures.join('; ')}`);
  for (const group of grid.groups((one) => search.scoreOf(one))) await search.try(group);
  const late = search.isLate ? ['The time was over before everything worth trying was tried.'] : [];
  const trials = [...search.trials.values()];
  const embeddings = flags.candidates === undefined ? (flags.embeddings ?? true) : undefined;
  const tuning = {
    folder: basename(resolve(folder)),
    documents: documents.length,
    questions,
    derived,
    budget,
    retriever,
    embeddings,
    trials,
    of: Math.max(trials.length, grid.count),
    notes: [...notes, ...search.failures, ...late],
  };
  return { result: await resultOf(tuning, signal), hasFailed };
}

async function readCorpus(folder: string, flags: TuneFlags, cradle: ServerCradle, signal: AbortSignal) {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError(`${folder}: there is no such folder`);
  const usual = join(folder, QUESTIONS);
  const { questions: given = existsSync(usual) ? usual : undefined, ...files } = flags;
  const named = [given, files.out, files.grid, files.baseline, ...(files.candidates ?? [])];
  const own = named.filter((path = '') => statSync(path, { throwIfNoEntry: false })?.isFile());
  const read = await readFolder(folder, own, cradle, signal);
  const made =
    given === undefined
      ? deriveQuestions(read.documents, await findUnits(read.documents, cradle, signal), randomFrom(SEED))
      : { documents: read.documents, questions: readQuestions(given, read.documents) };
  if (made.questions.length === 0)
    throw new UsageError(`${folder}: no questions can be derived from its texts; write some to ${usual}`);
  const corpus = thinned(made.documents, made.questions);
  const left = made.documents.length - corpus.documents.length;
  const far = left > 0 ? [`${count(left, 'document')} far from every answer: left out.`] : [];
  const notes = [...read.failed, ...read.skipped, ...far];
  return { ...corpus, notes, derived: given === undefined, hasFailed: read.failed.length > 0 };
}
