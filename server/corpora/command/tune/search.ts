import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import pMap from 'p-map';
import type { PipelineStep } from '../../../../core/contracts/pipeline.ts';
import { ServiceError } from '../../../../core/errors.ts';
import { readJson } from '../../../cli/commands/remote.ts';
import { UsageError } from '../../../cli/errors.ts';
import { inOwnTerms } from '../../../cli/own-terms.ts';
import type { Candidate, EvaluatedCandidate } from '../../../clients/javascript/api-types.ts';
import { VERSION } from '../../../config/version.ts';
import type { ServerCradle } from '../../../container.ts';
import type { Interval } from '../../../engine/operations/evaluation/bootstrap.ts';
import { RETRIEVERS } from '../../../engine/operations/evaluation/schemas.ts';
import { PRESET_NAMES, type PresetUse } from '../../../engine/presets/presets.ts';
import { stepsFrom } from '../chunk-task.ts';
import { KeptTrials, type Point } from './kept-trials.ts';

export interface Chunking {
  readonly name: string;
  readonly steps: readonly PipelineStep[];
  readonly embedding: readonly PipelineStep[];
  readonly factors: Readonly<Record<string, string>>;
}

interface Kind {
  readonly extensions: string;
  readonly chunk_sizes: readonly number[];
  /** The options of each chunker, except the chunk size. */
  readonly chunkers: Readonly<Record<string, PipelineStep['config']>>;
}

const KINDS: ReadonlyMap<string, Kind> = new Map(
  Object.entries(JSON.parse(readFileSync(join(import.meta.dirname, 'kinds.json'), 'utf8'))),
);
const [CODE] = KINDS.values();

export function isCode(name: string): boolean {
  return CODE !== undefined && hasOne(CODE, name);
}

export function codeChunker(): { readonly name: string; readonly options: PipelineStep['config'] } {
  const all = Object.entries(CODE?.chunkers ?? {});
  const [name = '', options = {}] = all.find(([, config]) => 'include_nodes' in config) ?? [];
  return { name, options };
}

/** The kind of at least half of the files, otherwise the last kind. Kinds are also names of presets. */
export function kindOf(names: readonly string[]): string {
  const isMost = (kind: Kind) => 2 * names.filter((name) => hasOne(kind, name)).length >= names.length;
  const [found] = [...KINDS].find(([, kind]) => isMost(kind)) ?? [[...KINDS.keys()].at(-1)];
  return found as string;
}

function hasOne({ extensions }: Kind, name: string): boolean {
  return extensions.split(' ').includes(name.toLowerCase().split('.').at(-1) ?? '');
}

/**
 * Returns the baseline and the grid for a kind of files.
 *
 * @param flags with `candidates`, these replace the grid, and the first candidate is the baseline
 * @throws UsageError, ServiceError
 */
export function candidatesFor(
  kind: string,
  flags: { readonly baseline?: string; readonly grid?: string; readonly candidates?: readonly string[] },
  cradle: ServerCradle,
): { readonly baseline: Chunking; readonly grid: Grid } {
  const { grid, candidates = [] } = flags;
  const [first = kind, ...others] = candidates;
  const flag = flags.baseline === undefined ? '' : '--baseline ';
  const [baseline, own] = [
    chunkingNamed(flags.baseline ?? first, flag, cradle),
    chunkingNamed(kind, '', cradle),
  ];
  const embedding_model = baseline.embedding[0]?.config.embedding_model;
  const embedding = own.embedding.map((step) => ({ ...step, config: { ...step.config, embedding_model } }));
  const preset = { ...own, embedding };
  if (candidates.length > 0) {
    const named = others.map((name) => ({ ...chunkingNamed(name, '', cradle), embedding }));
    return { baseline, grid: { count: candidates.length, groups: () => [named] } };
  }
  return { baseline, grid: grid === undefined ? gridOf(kind, preset, cradle) : gridIn(grid, preset, cradle) };
}

/** Reads a preset, or a pipeline from a file. @throws UsageError, ServiceError */
function chunkingNamed(name: string, flag: string, cradle: ServerCradle): Chunking {
  const { presets } = cradle.service;
  const isPreset = PRESET_NAMES.includes(name);
  if (!isPreset && !existsSync(name))
    throw new UsageError(
      `${flag}${name}: there is neither a file nor a preset of this name; presets: ${PRESET_NAMES.join(', ')}`,
    );
  const steps = isPreset
    ? presets.stepsOf({ preset: name })
    : stepsFrom(readJson(name), `${flag}${name}`, cradle);
  const chunking = chunkingOf(steps ?? [], cradle);
  return { ...chunking, name: `${basename(name, '.json')} (${chunking.name})` };
}

/** Separates embedding steps from the rest. An evaluation embeds by itself, so requests omit such steps. */
function chunkingOf(all: readonly PipelineStep[], { registry }: ServerCradle): Chunking {
  const embeds = ({ refinery }: PipelineStep) =>
    registry.find('refinery', refinery ?? '')?.manifest.uses?.includes('embedding') === true;
  const steps = all.filter((step) => !embeds(step));
  return { name: nameOf(steps), steps, embedding: all.filter(embeds), factors: {} };
}

function nameOf([chunk, ...refined]: readonly PipelineStep[]): string {
  const size = chunk?.config.chunk_size ?? '';
  return `${chunk?.chunker} ${size}`.trim() + (refined.length === 0 ? '' : ` with ${refineries(refined)}`);
}

function refineries(steps: readonly PipelineStep[]): string {
  return steps.map(({ refinery }) => refinery).join(' and ');
}

export interface Grid {
  readonly count: number;
  /**
   * Groups of chunkings. Each group depends on the scores of the groups before it.
   *
   * @param scoreOf the score of a chunking in an earlier group
   */
  groups(scoreOf: (chunking: Chunking) => number): Iterable<readonly Chunking[]>;
}

/** Number of best sizes to try with other chunkers, and of best chunkings to try without refineries. */
const BEST = 2;

type Cell = readonly [chunk: PipelineStep, size: number];

/**
 * The grid for a kind of files. It tries all sizes with the preset's chunker, then other chunkers in the best
 * sizes. Finally it tries the best of these chunkings without the preset's refineries.
 */
function gridOf(kind: string, preset: Chunking, { registry }: ServerCradle): Grid {
  const { chunk_sizes: sizes, chunkers } = KINDS.get(kind) as Kind;
  const [own, ...refined] = preset.steps as [PipelineStep, ...PipelineStep[]];
  const { tokenizer } = own.config;
  const others = Object.entries(chunkers)
    .filter(([name]) => name !== own.chunker && registry.find('chunker', name)?.missing.length === 0)
    .map(([chunker, config]) => ({ ...own, chunker, config: { ...config, tokenizer } }));
  const chunkingAt = ([chunk, size]: Cell, after: readonly PipelineStep[]): Chunking => {
    const steps = [{ ...chunk, config: { ...chunk.config, chunk_size: size } }, ...after];
    const refinement = { [refineries(refined)]: after.length > 0 ? 'with' : 'without' };
    const factors = { chunker: String(chunk.chunker), 'chunk size': String(size), ...refinement };
    return { name: nameOf(steps), steps, embedding: preset.embedding, factors };
  };
  const whole = (cell: Cell) => chunkingAt(cell, refined);
  return {
    count: (1 + others.length) * sizes.length * 2,
    *groups(scoreOf) {
      const score = (cell: Cell) => scoreOf(whole(cell));
      const best = (cells: readonly Cell[]) => cells.toSorted((a, b) => score(b) - score(a)).slice(0, BEST);
      const first = sizes.map((size): Cell => [own, size]);
      yield first.map(whole);
      const second = best(first).flatMap(([, size]) => others.map((chunk): Cell => [chunk, size]));
      yield second.map(whole);
      yield best([...first, ...second]).map((cell) => chunkingAt(cell, []));
    },
  };
}

/** Reads the candidates from a file. @throws UsageError */
function gridIn(path: string, { embedding }: Chunking, cradle: ServerCradle): Grid {
  const given = readJson(path);
  if (!Array.isArray(given) || given.length === 0)
    throw new UsageError(`--grid ${path}: expected a JSON list of candidates, such as [{"preset": "prose"}]`);
  const all = given.map((one: Candidate, index) => {
    const place = `--grid ${path}: [${index}]`;
    checkCandidate(one, place, cradle);
    const { chunker, config, steps = [{ type: 'chunk', chunker, config }] } = one;
    const ofPreset = cradle.service.presets.stepsOf(one as PresetUse);
    const chunking = chunkingOf(ofPreset ?? stepsFrom(steps, place, cradle), cradle);
    const { name = chunking.name } = one;
    return { ...chunking, name, embedding, factors: { chunking: name } };
  });
  return { count: all.length, groups: () => [all] };
}

function checkCandidate(one: Candidate, place: string, { service }: ServerCradle): void {
  if (['pipeline', 'retriever'].some((member) => member in Object(one)))
    throw new UsageError(
      `${place}: expected a chunker, a preset or steps; each is tried with every retriever`,
    );
  const answers = [{ document: 0, start_index: 0, end_index: 1 }];
  const asked = { documents: [{ text: '?' }], questions: [{ question: '?', answers }], retriever: 'bm25' };
  const body = Buffer.from(JSON.stringify({ ...asked, candidates: [one] }));
  try {
    service.read({ run: 'evaluate', pipelines: new Map() }, body);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new UsageError(inOwnTerms(error.detail).replaceAll('candidates[0]', place));
  }
}

export interface Trial extends Chunking {
  readonly points: readonly Point[];
}

export type Send = (
  body: string,
  signal?: AbortSignal,
) => Promise<{ readonly candidates: readonly EvaluatedCandidate[] }>;

const MAX_TIMER = 2 ** 31 - 1;

interface SearchOptions {
  readonly send: Send;
  readonly where: string;
  readonly lanes: number;
  /** Milliseconds until no more trials begin, and all running trials except the first are stopped. */
  readonly time: number;
  /** The file that stores finished trials; undefined stores none. */
  readonly file: string | undefined;
  /** Whether to reuse stored trials of the same documents, questions and options. */
  readonly isResumed: boolean;
}

/** Evaluates chunkings until the time is over. One request evaluates all retrievers with a chunking. */
export class Search {
  readonly trials = new Map<string, Trial>();
  readonly failures: string[] = [];
  isLate = false;
  readonly #options: SearchOptions;
  readonly #shared: string;
  readonly #digest: string;
  readonly #end: number;
  readonly #known: ReadonlyMap<string, readonly Point[]>;
  readonly #kept: KeptTrials | undefined;

  constructor(options: SearchOptions, shared: object) {
    this.#options = options;
    this.#shared = JSON.stringify(shared).slice(1, -1);
    this.#digest = digestOf(VERSION, options.where, this.#shared);
    this.#end = performance.now() + options.time;
    const { file, isResumed } = options;
    this.#kept = file === undefined ? undefined : new KeptTrials(file);
    this.#known = isResumed ? (this.#kept?.load() ?? new Map()) : new Map();
    if (!isResumed) this.#kept?.forget();
  }

  /** The best recall of a chunking; -1 if the chunking was not evaluated. */
  scoreOf(chunking: Chunking): number {
    const points = this.trials.get(requestOf(chunking))?.points ?? [];
    return Math.max(-1, ...points.map(({ recall }) => recall));
  }

  /**
   * Tries chunkings not yet tried under another name. The search's first trial ignores the time limit.
   *
   * @throws ServiceError or ChunksmithError if nothing can be evaluated; the signal's reason once it aborts
   */
  async try(chunkings: readonly Chunking[]): Promise<void> {
    const concurrency = this.#options.lanes;
    const tried = await pMap(chunkings, (one) => this.#pointsOf(one), { concurrency });
    for (const [at, chunking] of chunkings.entries()) {
      const request = requestOf(chunking);
      const points = tried[at];
      const { name } = this.trials.get(request) ?? chunking;
      if (points !== undefined) this.trials.set(request, { ...chunking, name, points });
    }
  }

  async #pointsOf(chunking: Chunking): Promise<readonly Point[] | undefined> {
    const { name } = chunking;
    const own = requestOf(chunking);
    const key = digestOf(this.#digest, own);
    const known = this.trials.get(own)?.points ?? this.#known.get(key);
    if (known !== undefined) return known;
    const begin = performance.now();
    this.isLate ||= begin > this.#end && this.trials.size > 0;
    if (this.isLate) return undefined;
    const answer = await this.#answerTo(`{${this.#shared},${own}`);
    if (answer === undefined) return undefined;
    const failed = answer.candidates.find(({ error }) => error !== undefined)?.error;
    if (failed !== undefined) {
      this.failures.push(`${name}: ${failed.detail}`);
      console.error(this.failures.at(-1));
      return undefined;
    }
    const points = answer.candidates.map((one) => pointIn(one as Required<EvaluatedCandidate>));
    this.#kept?.add({ key, name, points });
    const recalls = points.map(({ retriever, recall }) => `${retriever} ${(100 * recall).toFixed(1)}`);
    const seconds = ((performance.now() - begin) / 1000).toFixed(1);
    console.error(`${name}: ${recalls.join(', ')}; ${points[0]?.chunks} chunks, ${seconds} s`);
    return points;
  }

  /** Undefined if the time is over. The first request has no limit, so that there is always a result. */
  async #answerTo(body: string): Promise<Awaited<ReturnType<Send>> | undefined> {
    const left = Math.max(0, this.#end - performance.now());
    if (this.trials.size === 0 || left > MAX_TIMER) return this.#options.send(body);
    const signal = AbortSignal.timeout(Math.ceil(left));
    try {
      return await this.#options.send(body, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      this.isLate = true;
      return undefined;
    }
  }
}

function pointIn(one: Required<EvaluatedCandidate>): Point {
  const { retriever, recall, interval, tokens_per_question: tokens, chunks, questions } = one;
  const found = questions.flatMap((question) => question.found);
  const largest = found.reduce((most, { token_count }) => Math.max(most, token_count), 0);
  const recalls = questions.map((question) => question.recall);
  return {
    retriever,
    recall,
    interval: interval.recall as unknown as Interval,
    tokens,
    chunks,
    largest,
    recalls,
  };
}

/** The part of a request that describes one chunking. Equivalent chunkings give equal parts. */
function requestOf({ steps, embedding: [step] }: Chunking): string {
  const candidates = RETRIEVERS.map((retriever) => ({ name: retriever, steps, retriever }));
  const { embedding_model, embed } = step?.config ?? { embed: 'context+text' };
  return JSON.stringify({ candidates, embedding_model, embed }).slice(1);
}

function digestOf(...texts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(`${text.length} ${text}`);
  return hash.digest('hex');
}
