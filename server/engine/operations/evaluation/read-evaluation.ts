import type { OffsetUnit } from '../../../../core/contracts/chunk.ts';
import type { PipelineStep } from '../../../../core/contracts/pipeline.ts';
import { invalid } from '../../../../core/errors.ts';
import { offsetsIn, utf16Offsets } from '../../answer/offsets.ts';
import { atMost, type Limits } from '../../limits.ts';
import type { Rules } from '../../operation.ts';
import { canonicalJson } from '../../read/canonical-json.ts';
import { type ParsedDocument, readDocuments, type SourceDocument } from '../../read/documents.ts';
import { checkOrder } from '../../read/pipeline.ts';
import { LENGTHS } from '../../stages/refining.ts';
import { type StageList, type StageRequest, usesOf } from '../../stages/stages.ts';
import type { AnyRequest, NamedPipelines, Unread } from '../../tasks.ts';
import { type Range, united } from './ranges.ts';
import {
  BUDGET_TOKENIZER,
  type Embedded,
  type GivenCandidate,
  type GivenQuestion,
  MOST_CANDIDATES,
  type Retriever,
} from './schemas.ts';

/**
 * A request to evaluate, parsed and checked. Plain data. Its ranges count code points over all documents, as if they
 * were concatenated.
 */
export interface EvaluationRequest extends AnyRequest {
  readonly run: 'evaluate';
  readonly documents: readonly SourceDocument[];
  /** Where each document begins. */
  readonly starts: readonly number[];
  readonly questions: readonly Question[];
  readonly candidates: readonly Candidate[];
  readonly options: SearchOptions & { readonly offset_unit: OffsetUnit };
}

/** How chunks are found, and compared. */
export interface SearchOptions {
  readonly k: number;
  /** Tokens to find, instead of `k` chunks. */
  readonly budget?: number;
  /** What counts tokens, if not the tokenizer of each candidate. */
  readonly tokenizer?: string;
  /** Given if a candidate needs vectors. */
  readonly embedding_model?: string;
  readonly embed: Embedded;
  readonly seed: number;
}

export interface Question {
  readonly text: string;
  /** United ranges, with at least one character. */
  readonly answer: readonly Range[];
}

/** A way to chunk the documents. */
export interface Candidate extends StageList {
  readonly name: string;
  readonly retriever: Retriever;
  /** The first candidate with the same stages, which may be this one. */
  readonly chunkedAs: number;
  /** The first earlier candidate that has the same retriever too, if any. */
  readonly sameAs: number | undefined;
}

/** The members of a valid request. */
type Members = EvaluationRequest['options'] & {
  readonly retriever: Retriever;
  readonly documents: readonly ParsedDocument[];
  readonly questions: readonly GivenQuestion[];
  readonly candidates: readonly GivenCandidate[];
};

/**
 * Reads a request to evaluate.
 *
 * @param request the parsed body
 * @throws ServiceError `invalid_parameters`
 */
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

/** Refuses a request that would search too much. Candidates that are chunked in the same way share their chunks. */
function checkCost(
  documents: readonly SourceDocument[],
  questions: readonly Question[],
  candidates: readonly Candidate[],
  limits: Limits,
): void {
  const lengthOf = (texts: readonly { readonly text: string }[]) =>
    texts.reduce((sum, { text }) => sum + text.length, 0);
  const different = new Set(candidates.map(({ chunkedAs }) => chunkedAs)).size;
  const count = lengthOf(documents) * different + lengthOf(questions);
  const unit = `characters to search for ${different} different ways to chunk`;
  atMost(limits, 'maxEvaluationCharacters', { place: 'documents', unit, count });
}

/** The names of stored pipelines in a request to evaluate that is not checked yet. */
export function pipelinesNamed(request: unknown): string[] {
  const { candidates } = (request ?? {}) as { readonly candidates?: unknown };
  const given: readonly unknown[] = Array.isArray(candidates) ? candidates : [];
  const names = given.map((one) => (one as { readonly pipeline?: unknown } | null)?.pipeline);
  return [...new Set(names.filter((name) => typeof name === 'string'))];
}

/** What candidates are checked against, the stored pipelines that they name, and their default retriever. */
type CandidateRules = Rules & { readonly pipelines: NamedPipelines; readonly retriever: Retriever };

/**
 * Reads what is to be compared. Candidates whose stages have the same options, with defaults filled in, and that have
 * the same retriever, are the same.
 *
 * @param unit of the offsets of all their chunks
 * @throws ServiceError `invalid_parameters`: too many or none; one that does not exist, or cannot run as given
 */
function readCandidates(
  given: readonly GivenCandidate[],
  unit: OffsetUnit,
  rules: CandidateRules,
): Candidate[] {
  if (given.length === 0 || given.length > MOST_CANDIDATES)
    throw invalid(`candidates: expected 1 to ${MOST_CANDIDATES}, got ${given.length}`);
  const firsts = new Map<string, number>();
  const firstOf = (key: string, index: number) => {
    if (!firsts.has(key)) firsts.set(key, index);
    return firsts.get(key) as number;
  };
  return given.map((one, index) => {
    const { name, stages: read } = readCandidate(one, `candidates[${index}]`, rules);
    const { retriever = rules.retriever } = one;
    const stages = read.map((stage) => withUnit(stage, unit));
    const key = canonicalJson(stages);
    const first = firstOf(`${retriever} ${key}`, index);
    return {
      ...{ name: one.name ?? name, stages, uses: usesOf(stages, rules), retriever },
      ...{ chunkedAs: firstOf(key, index), sameAs: first === index ? undefined : first },
    };
  });
}

function withUnit(stage: StageRequest, unit: OffsetUnit): StageRequest {
  return stage.kind === 'chunker' ? { ...stage, options: { ...stage.options, offset_unit: unit } } : stage;
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
  if (expanded !== undefined) return { ...readSteps(expanded, place, rules), name: preset as string };
  if (chunker !== undefined) {
    const step = { type: 'chunk', chunker, refinery: null, config: config ?? {} } as const;
    const stage = rules.checks.step(step, place);
    return { name: stage.name, stages: [stage] };
  }
  if (steps !== undefined) return readSteps(steps, `${place}.steps`, rules);
  const stored = rules.pipelines.get(pipeline as string);
  if (stored === undefined) {
    const remedy = 'GET /v1/pipelines lists all pipelines';
    throw invalid(`${place}.pipeline: unknown pipeline ${JSON.stringify(pipeline)}; ${remedy}`);
  }
  return { ...readSteps(stored.steps, `${place}.pipeline.steps`, rules), name: stored.name };
}

function readSteps(
  given: NonNullable<GivenCandidate['steps']> | readonly PipelineStep[],
  place: string,
  { checks, limits: { maxSteps } }: CandidateRules,
): Pick<Candidate, 'name' | 'stages'> {
  if (given.length === 0 || given.length > maxSteps)
    throw invalid(`${place}: expected 1 to ${maxSteps} steps, got ${given.length}`);
  const steps = given.map(({ type, chunker = null, refinery = null, config = {} }) =>
    type === 'chunk' ? { type, chunker, refinery: null, config } : { type, chunker: null, refinery, config },
  );
  checkOrder(steps, place);
  const stages = steps.map((step, index) => checks.step(step, `${place}[${index}]`));
  return { name: stages.map(({ name }) => name).join(' + '), stages };
}

type GivenAnswer = GivenQuestion['answers'][number];

/** An answer whose document was found. */
interface PlacedAnswer extends GivenAnswer {
  /** The index of its document in the request. */
  readonly at: number;
  /** Its position in the request, for messages. */
  readonly place: string;
}

/**
 * Finds the answers to questions in the documents.
 *
 * @param starts where each document begins
 * @param unit of the answers' offsets
 * @throws ServiceError `invalid_parameters`: no question, one without answers, or an answer that is empty or outside
 *   every document
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
  const points = pointsOf(placed.flat(), documents, unit);
  const rangeOf = (answer: PlacedAnswer): Range => {
    const edge = (name: 'start_index' | 'end_index') => {
      const point = points.get(answer.at)?.get(answer[name]);
      if (point !== undefined) return point + (starts[answer.at] as number);
      const expected = `the offset of a character in the document, in units of ${unit}`;
      const wrong = `${answer[name]}, which is beyond the text or inside a character`;
      throw invalid(`${answer.place}.${name}: expected ${expected}, got ${wrong}`);
    };
    return { start: edge('start_index'), end: edge('end_index') };
  };
  return placed.map((answers, index) => ({
    text: (questions[index] as GivenQuestion).question,
    answer: united(answers.map(rangeOf)),
  }));
}

function placeAnswer(
  given: GivenAnswer,
  place: string,
  byId: ReadonlyMap<string | undefined, number>,
  count: number,
): PlacedAnswer {
  const { document, start_index, end_index } = given;
  const at = typeof document === 'string' ? byId.get(document) : document;
  if (at === undefined || at >= count) {
    const expected = 'the index of a document in documents, from 0, or its id';
    throw invalid(`${place}.document: expected ${expected}, got ${JSON.stringify(document)}`);
  }
  if (start_index >= end_index) {
    throw invalid(`${place}.end_index: expected more than start_index (${start_index}), got ${end_index}`);
  }
  return { ...given, at, place };
}

/** The code points before each offset in the answers, by the index of the document. */
function pointsOf(
  answers: readonly PlacedAnswer[],
  documents: readonly SourceDocument[],
  unit: OffsetUnit,
): ReadonlyMap<number, ReadonlyMap<number, number>> {
  const byDocument = Map.groupBy(answers, ({ at }) => at);
  const points = Array.from(byDocument, ([at, own]) => {
    const offsets = own.flatMap(({ start_index, end_index }) => [start_index, end_index]);
    return [at, codePoints(documents[at] as SourceDocument, unit, offsets)] as const;
  });
  return new Map(points);
}

function codePoints({ text }: SourceDocument, unit: OffsetUnit, offsets: readonly number[]) {
  const found = utf16Offsets(text, unit, offsets);
  const points = offsetsIn(text, Uint32Array.from(found.values()), 'code_point');
  return new Map(Array.from(found.keys(), (offset, index) => [offset, points[index] as number]));
}
