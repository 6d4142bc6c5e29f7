import type { OffsetUnit } from '../../../../core/contracts/chunk.ts';
import type { LongTexts } from '../../../../core/contracts/embedding.ts';
import type { PipelineStep } from '../../../../core/contracts/pipeline.ts';
import { invalid } from '../../../../core/errors.ts';
import { offsetsIn, utf16Offsets } from '../../answer/offsets.ts';
import { atMost, type Limits, MAX_STEPS, refuseAbove } from '../../limits.ts';
import type { Rules } from '../../operation.ts';
import { type ParsedDocument, readDocuments, type SourceDocument } from '../../read/documents.ts';
import { canonicalJson } from '../../read/json.ts';
import { checkOrder } from '../../read/pipeline.ts';
import { LENGTHS } from '../../stages/refining.ts';
import { type StageList, type StageRequest, usesOf } from '../../stages/stages.ts';
import type { AnyRequest, NamedPipelines, Unread } from '../../tasks.ts';
import {
  BUDGET_TOKENIZER,
  type Embedded,
  type GivenCandidate,
  type GivenQuestion,
  MAX_CANDIDATES,
  type Retriever,
} from './schemas.ts';
import { type Range, united } from './scores.ts';

/**
 * A parsed and checked request to evaluate. Plain data. Ranges count code points in the concatenated documents.
 */
export interface EvaluationRequest extends AnyRequest {
  readonly run: 'evaluate';
  readonly documents: readonly SourceDocument[];
  /** Offset of each document in the concatenated documents. */
  readonly starts: readonly number[];
  readonly questions: readonly Question[];
  readonly candidates: readonly Candidate[];
  readonly options: EvaluationOptions;
}

interface EvaluationOptions {
  readonly k: number;
  /** Maximum tokens to find for a question, instead of `k` chunks. */
  readonly budget?: number;
  /** The tokenizer that counts tokens; by default that of each candidate. */
  readonly tokenizer?: string;
  /** Set if a candidate needs vectors. */
  readonly embedding_model?: string;
  readonly embed: Embedded;
  readonly long_texts: LongTexts;
  readonly seed: number;
  readonly offset_unit: OffsetUnit;
}

export interface Question {
  readonly text: string;
  /** Ranges of all answers, united so that they do not overlap; at least one character in total. */
  readonly answer: readonly Range[];
}

export interface Candidate extends StageList {
  readonly name: string;
  readonly retriever: Retriever;
  readonly chunkedAs: number;
  /** Index of the first earlier candidate with the same stages and retriever, if any. */
  readonly sameAs: number | undefined;
}

type Members = EvaluationOptions & {
  readonly retriever: Retriever;
  readonly documents: readonly ParsedDocument[];
  readonly questions: readonly GivenQuestion[];
  readonly candidates: readonly GivenCandidate[];
};

/** Reads a request to evaluate. @param request the parsed body @throws ServiceError `invalid_parameters` */
export function readEvaluation(
  request: unknown,
  body: Buffer,
  pipelines: NamedPipelines,
  rules: Rules,
): Unread<EvaluationRequest> {
  const { checks, limits } = rules;
  const isCounted = typeof request === 'object' && request !== null && 'k' in request;
  const members = checks.evaluate(request) as unknown as Members;
  const { documents: given, questions: asked, candidates: compared, retriever, ...found } = members;
  if (isCounted && found.budget !== undefined) throw invalid('k, budget: give one of them');
  const options = found.budget === undefined ? found : { tokenizer: BUDGET_TOKENIZER, ...found };
  const unit = options.offset_unit;
  const documents = readDocuments(given, body, unit, limits);
  atMost(limits, 'maxDocuments', { place: 'questions', unit: 'questions', count: asked.length });
  const starts = startsOf(documents);
  const questions = readQuestions(asked, documents, starts, unit);
  const candidates = readCandidates(compared, unit, { ...rules, pipelines, retriever });
  const needsModel = candidates.some((one) => one.retriever !== 'bm25');
  if (needsModel && options.embedding_model === undefined)
    throw invalid('embedding_model: missing; only the retriever "bm25" needs none');
  checkCost(documents, questions, candidates, limits);
  return { run: 'evaluate', uses: [], documents, starts, questions, candidates, options };
}

function startsOf(documents: readonly SourceDocument[]): number[] {
  let start = 0;
  return documents.map(({ text }) => {
    const own = start;
    start += LENGTHS.code_point(text);
    return own;
  });
}

/** Refuses requests that search too much text. Candidates chunked in the same way count once. */
function checkCost(
  documents: readonly SourceDocument[],
  questions: readonly Question[],
  candidates: readonly Candidate[],
  limits: Limits,
): void {
  const lengthOf = (texts: readonly { readonly text: string }[]) =>
    texts.reduce((sum, { text }) => sum + text.length, 0);
  const ways = new Set(candidates.map(({ chunkedAs }) => chunkedAs)).size;
  const each = lengthOf(documents);
  const asked = lengthOf(questions);
  const unit = `characters to search (${each} for each of ${ways} different ways to chunk, and the questions)`;
  const fitting = Math.floor((limits.maxEvaluationCharacters - asked) / each);
  const fewer =
    fitting > 0 ? `fewer documents or at most ${fitting} ways to chunk` : 'fewer documents or questions';
  refuseAbove(limits.maxEvaluationCharacters, {
    place: 'documents',
    unit,
    count: each * ways + asked,
    fewer,
  });
}

/** Names of stored pipelines in an unchecked request to evaluate. */
export function pipelinesNamed(request: unknown): string[] {
  const { candidates } = (request ?? {}) as { readonly candidates?: unknown };
  const given: readonly unknown[] = Array.isArray(candidates) ? candidates : [];
  const names = given.map((one) => (one as { readonly pipeline?: unknown } | null)?.pipeline);
  return [...new Set(names.filter((name) => typeof name === 'string'))];
}

type CandidateRules = Rules & { readonly pipelines: NamedPipelines; readonly retriever: Retriever };

/**
 * Reads the candidates. Two candidates are the same if their retrievers and all options of their stages are
 * equal.
 *
 * @param unit unit of the offsets of all chunks
 * @throws ServiceError `invalid_parameters`: too many candidates or none; a candidate that does not exist or
 *   cannot run
 */
function readCandidates(
  given: readonly GivenCandidate[],
  unit: OffsetUnit,
  rules: CandidateRules,
): Candidate[] {
  if (given.length === 0 || given.length > MAX_CANDIDATES)
    throw invalid(`candidates: expected 1 to ${MAX_CANDIDATES}, got ${given.length}`);
  const firsts = new Map<string, number>();
  const firstOf = (key: string, index: number) => {
    if (!firsts.has(key)) firsts.set(key, index);
    return firsts.get(key) as number;
  };
  const read = given.map((one, index) => {
    const { name, stages: own } = readCandidate(one, `candidates[${index}]`, rules);
    const { retriever = rules.retriever } = one;
    const stages = own.map(({ options, ...stage }) =>
      stage.kind === 'chunker'
        ? { ...stage, options: { ...options, offset_unit: unit } }
        : { ...stage, options },
    );
    const key = canonicalJson(stages);
    const first = firstOf(`${retriever} ${key}`, index);
    const same = { chunkedAs: firstOf(key, index), sameAs: first === index ? undefined : first };
    return { name: one.name ?? name, stages, uses: usesOf(stages, rules), retriever, ...same };
  });
  return read.map((one, index) => ({ ...one, name: given[index]?.name ?? distinctName(one, read) }));
}

/** Adds settings that distinguish candidates of the same name: `token (chunk_size 256, bm25)`. */
function distinctName(candidate: Candidate, all: readonly Candidate[]): string {
  const { name } = candidate;
  const others = all.filter((other) => other.name === name).map(settingsOf);
  const own = [...settingsOf(candidate)];
  const differing = own.filter(([setting, value]) => others.some((other) => other.get(setting) !== value));
  const shown = differing.map(([setting, value]) => `${setting}${cutShort(value)}`);
  return shown.length === 0 ? name : `${name} (${shown.join(', ')})`;
}

function settingsOf({ stages, retriever }: Candidate): ReadonlyMap<string, string> {
  const settings = stages.flatMap(({ name, options }, at) => {
    const isRepeated = stages.findIndex((stage) => stage.name === name) < at;
    const of = stages.length === 1 ? '' : `${name}${isRepeated ? `[${at}]` : ''}.`;
    return Object.entries(options).map(([option, value]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return [`${of}${option} `, text] as const;
    });
  });
  // The retriever is shown without a label, so its key is empty.
  return new Map([...settings, ['', retriever]]);
}

/** Maximum characters of a setting in a name. */
const SHOWN = 40;

function cutShort(value: string): string {
  return value.length <= SHOWN ? value : `${value.slice(0, SHOWN / 2)}…${value.slice(-SHOWN / 2)}`;
}

function readCandidate(
  { chunker, config, pipeline, steps, preset, override }: GivenCandidate,
  place: string,
  rules: CandidateRules,
): Pick<Candidate, 'name' | 'stages'> {
  if ([chunker, pipeline, steps, preset].filter((one) => one !== undefined).length !== 1)
    throw invalid(`${place}: expected one of chunker, pipeline, steps and preset`);
  if (config !== undefined && chunker === undefined)
    throw invalid(`${place}.config: allowed only with chunker; each step has its own config`);
  const expanded = rules.presets.stepsOf({ preset, override }, `${place}.`);
  if (chunker !== undefined) {
    const step = { type: 'chunk', chunker, refinery: null, config: config ?? {} } as const;
    const stage = rules.checks.step(step, place);
    return { name: stage.name, stages: [stage] };
  }
  const stored = pipeline === undefined ? undefined : rules.pipelines.get(pipeline);
  const list = steps ?? expanded ?? stored?.steps;
  if (list === undefined) {
    const remedy = 'GET /v1/pipelines lists all pipelines';
    throw invalid(`${place}.pipeline: unknown pipeline ${JSON.stringify(pipeline)}; ${remedy}`);
  }
  const stages = readSteps(list, `${place}${stored === undefined ? '' : '.pipeline'}.steps`, rules);
  return { name: preset ?? stored?.name ?? stages.map(({ name }) => name).join(' + '), stages };
}

function readSteps(
  given: NonNullable<GivenCandidate['steps']> | readonly PipelineStep[],
  place: string,
  { checks }: CandidateRules,
): StageRequest[] {
  if (given.length === 0 || given.length > MAX_STEPS)
    throw invalid(`${place}: expected 1 to ${MAX_STEPS} steps, got ${given.length}`);
  const steps = given.map((step) => ({ chunker: null, refinery: null, config: {}, ...step }));
  checkOrder(steps, place);
  return steps.map((step, index) => checks.step(step, `${place}[${index}]`));
}

interface PlacedAnswer {
  /** Offsets in the unit of the request. */
  readonly start_index: number;
  readonly end_index: number;
  readonly at: number;
  readonly place: string;
}

/**
 * Finds the answers to questions in the documents.
 *
 * @param starts offset of each document
 * @param unit unit of the answers' offsets
 * @throws ServiceError `invalid_parameters`: no question; a question without answers; an answer that is empty
 *   or outside every document
 */
function readQuestions(
  questions: readonly GivenQuestion[],
  documents: readonly SourceDocument[],
  starts: readonly number[],
  unit: OffsetUnit,
): Question[] {
  if (questions.length === 0) throw invalid('questions: expected at least one');
  const byId = new Map(documents.map(({ about }, index) => [about?.id, index]));
  const placed = questions.map(({ answers }, index) => {
    const place = `questions[${index}].answers`;
    if (answers.length === 0) throw invalid(`${place}: expected at least one answer`);
    return answers.map((given, at) => placeAnswer(given, `${place}[${at}]`, byId, documents.length));
  });
  const byDocument = [...Map.groupBy(placed.flat(), ({ at }) => at)];
  const points = new Map(byDocument.map(([at, own]) => [at, pointsOf(own, documents[at]?.text ?? '', unit)]));
  const rangeOf = ({ at, place, ...offsets }: PlacedAnswer): Range => {
    const edge = (name: 'start_index' | 'end_index') => {
      const point = points.get(at)?.get(offsets[name]);
      if (point !== undefined) return point + (starts[at] as number);
      const expected = `the offset of a character in the document, in units of ${unit}`;
      const wrong = `${offsets[name]}, which is beyond the text or inside a character`;
      throw invalid(`${place}.${name}: expected ${expected}, got ${wrong}`);
    };
    return { start: edge('start_index'), end: edge('end_index') };
  };
  return questions.map(({ question: text }, index) => ({
    text,
    answer: united((placed[index] ?? []).map(rangeOf)),
  }));
}

function placeAnswer(
  { document, start_index, end_index }: GivenQuestion['answers'][number],
  place: string,
  byId: ReadonlyMap<string | undefined, number>,
  count: number,
): PlacedAnswer {
  const at = typeof document === 'string' ? byId.get(document) : document;
  if (at === undefined || at >= count) {
    const expected = 'the index of a document in documents, from 0, or its id';
    throw invalid(`${place}.document: expected ${expected}, got ${JSON.stringify(document)}`);
  }
  if (start_index >= end_index)
    throw invalid(`${place}.end_index: expected more than start_index (${start_index}), got ${end_index}`);
  return { start_index, end_index, at, place };
}

function pointsOf(
  answers: readonly PlacedAnswer[],
  text: string,
  unit: OffsetUnit,
): ReadonlyMap<number, number> {
  const offsets = answers.flatMap(({ start_index, end_index }) => [start_index, end_index]);
  const found = utf16Offsets(text, unit, offsets);
  const points = offsetsIn(text, Uint32Array.from(found.values()), 'code_point');
  return new Map(Array.from(found.keys(), (offset, index) => [offset, points[index] as number]));
}
