import type { OffsetUnit } from '../../../../core/contracts/chunk.ts';
import type { PipelineStep } from '../../../../core/contracts/pipeline.ts';
import { invalid } from '../../../../core/errors.ts';
import { locate } from '../../answer/locate.ts';
import { utf16Offsets } from '../../answer/offsets.ts';
import { atMost, type Limits } from '../../limits.ts';
import type { Rules } from '../../operation.ts';
import { canonicalJson } from '../../read/canonical-json.ts';
import { readDocuments, type SourceDocument } from '../../read/documents.ts';
import { checkOrder } from '../../read/pipeline.ts';
import { LENGTHS } from '../../stages/refine-tools.ts';
import type { StageRequest } from '../../stages/stages.ts';
import type { NamedPipelines, Unread } from '../../tasks.ts';
import { usesOfAll } from '../chunks.ts';
import type { Candidate, EvaluationRequest, Question } from './evaluation-request.ts';
import { type Range, united } from './ranges.ts';
import { MOST_CANDIDATES } from './schemas.ts';

/** The members of a valid request. */
interface Members {
  readonly documents: Parameters<typeof readDocuments>[0];
  readonly questions: readonly GivenQuestion[];
  readonly candidates: readonly GivenCandidate[];
  readonly offset_unit: OffsetUnit;
}

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
  const members = checks.evaluate(request) as unknown as Members & EvaluationRequest['options'];
  const { documents: given, questions: asked, candidates: compared, ...options } = members;
  const unit = options.offset_unit;
  const documents = readDocuments(given, body, unit, limits);
  atMost(limits, 'maxDocuments', { place: 'questions', unit: 'questions', count: asked.length });
  const starts = startsOf(documents);
  const questions = readQuestions(asked, { documents, starts }, unit);
  const candidates = readCandidates(compared, unit, { ...rules, pipelines });
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

/** Refuses a request that would embed too much. */
function checkCost(
  documents: readonly SourceDocument[],
  questions: readonly Question[],
  candidates: readonly Candidate[],
  limits: Limits,
): void {
  const lengthOf = (texts: readonly { readonly text: string }[]) =>
    texts.reduce((sum, { text }) => sum + text.length, 0);
  const different = candidates.filter(({ sameAs }) => sameAs === undefined).length;
  const count = lengthOf(documents) * different + lengthOf(questions);
  const unit = `characters to embed for ${different} different candidates`;
  atMost(limits, 'maxEvaluationCharacters', { place: 'documents', unit, count });
}

/** The names of stored pipelines in a request to evaluate that is not checked yet. */
export function pipelinesNamed(request: unknown): string[] {
  const { candidates } = (request ?? {}) as { readonly candidates?: unknown };
  const given: readonly unknown[] = Array.isArray(candidates) ? candidates : [];
  const names = given.map((one) => (one as { readonly pipeline?: unknown } | null)?.pipeline);
  return [...new Set(names.filter((name) => typeof name === 'string'))];
}

/** A candidate of a request, checked against its schema. */
interface GivenCandidate {
  readonly name?: string;
  readonly chunker?: string;
  readonly config?: PipelineStep['config'];
  readonly pipeline?: string;
  readonly steps?: readonly GivenStep[];
}

type GivenStep = Pick<PipelineStep, 'type'> & Partial<PipelineStep>;

/** What candidates are checked against. */
interface CandidateRules extends Pick<Rules, 'registry' | 'defaultTokenizer'> {
  readonly checks: Pick<Rules['checks'], 'step'>;
  readonly limits: Pick<Limits, 'maxSteps'>;
  /** The stored pipelines that they name. */
  readonly pipelines: NamedPipelines;
}

/**
 * Reads what is to be compared. Candidates whose stages have the same options, with defaults filled in, are the same.
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
  const first = new Map<string, number>();
  return given.map((one, index) => {
    const { name, stages } = readCandidate(one, `candidates[${index}]`, rules);
    const placed = stages.map((stage) => withUnit(stage, unit));
    const key = canonicalJson(placed);
    const sameAs = first.get(key);
    if (sameAs === undefined) first.set(key, index);
    return { name: one.name ?? name, stages: placed, uses: usesOfAll(placed, rules), sameAs };
  });
}

function withUnit(stage: StageRequest, unit: OffsetUnit): StageRequest {
  return stage.kind === 'chunker' ? { ...stage, options: { ...stage.options, offset_unit: unit } } : stage;
}

function readCandidate(
  { chunker, config, pipeline, steps }: GivenCandidate,
  place: string,
  rules: CandidateRules,
): Pick<Candidate, 'name' | 'stages'> {
  if ([chunker, pipeline, steps].filter((one) => one !== undefined).length !== 1)
    throw invalid(`${place}: expected one of chunker, pipeline and steps`);
  if (config !== undefined && chunker === undefined)
    throw invalid(`${place}.config: allowed only with chunker; each step has its own config`);
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
  given: readonly GivenStep[],
  place: string,
  { checks, limits }: CandidateRules,
): Pick<Candidate, 'name' | 'stages'> {
  const { maxSteps } = limits;
  if (given.length === 0 || given.length > maxSteps)
    throw invalid(`${place}: expected 1 to ${maxSteps} steps, got ${given.length}`);
  const steps = given.map(({ type, chunker = null, refinery = null, config = {} }) =>
    type === 'chunk' ? { type, chunker, refinery: null, config } : { type, chunker: null, refinery, config },
  );
  checkOrder(steps, place);
  const stages = steps.map((step, index) => checks.step(step, `${place}[${index}]`));
  return { name: stages.map(({ name }) => name).join(' + '), stages };
}

/** A question of a request, checked against its schema. */
export interface GivenQuestion {
  readonly question: string;
  readonly answers: readonly GivenAnswer[];
}

interface GivenAnswer {
  /** The index of its document, or that document's id. */
  readonly document: number | string;
  readonly start_index: number;
  readonly end_index: number;
}

/** The documents of a request, and where each begins. */
export interface Corpus {
  readonly documents: readonly SourceDocument[];
  readonly starts: readonly number[];
}

/** An answer whose document was found. */
interface PlacedAnswer {
  readonly given: GivenAnswer;
  readonly document: number;
  /** Its position in the request, for messages. */
  readonly place: string;
}

/**
 * Finds the answers to questions in the documents.
 *
 * @param unit of the answers' offsets
 * @throws ServiceError `invalid_parameters`: no question, one without answers, or an answer that is empty or outside
 *   every document
 */
function readQuestions(questions: readonly GivenQuestion[], corpus: Corpus, unit: OffsetUnit): Question[] {
  if (questions.length === 0) throw invalid('questions: expected at least one');
  const find = finderOf(corpus.documents);
  const placed = questions.map(({ answers }, index) => {
    const place = `questions[${index}].answers`;
    if (answers.length === 0) throw invalid(`${place}: expected at least one answer`);
    return answers.map((given, at) => placeAnswer(given, `${place}[${at}]`, find));
  });
  const points = pointsOf(placed.flat(), corpus.documents, unit);
  return placed.map((answers, index) => ({
    text: (questions[index] as GivenQuestion).question,
    answer: united(answers.map((answer) => rangeOf(answer, points, corpus.starts, unit))),
  }));
}

type Find = (document: number | string) => number | undefined;

function finderOf(documents: readonly SourceDocument[]): Find {
  const byId = new Map(documents.map(({ about }, index) => [about?.id, index]));
  return (document) => {
    if (typeof document === 'string') return byId.get(document);
    return document < documents.length ? document : undefined;
  };
}

function placeAnswer(given: GivenAnswer, place: string, find: Find): PlacedAnswer {
  const { start_index, end_index } = given;
  const document = find(given.document);
  if (document === undefined) {
    const expected = 'the index of a document in documents, from 0, or its id';
    throw invalid(`${place}.document: expected ${expected}, got ${JSON.stringify(given.document)}`);
  }
  if (start_index >= end_index) {
    throw invalid(`${place}.end_index: expected more than start_index (${start_index}), got ${end_index}`);
  }
  return { given, document, place };
}

/** The code points before each offset in the answers, by document. */
type Points = readonly (ReadonlyMap<number, number> | undefined)[];

function pointsOf(
  answers: readonly PlacedAnswer[],
  documents: readonly SourceDocument[],
  unit: OffsetUnit,
): Points {
  const offsets = new Map<number, number[]>();
  for (const { document, given } of answers) {
    const own = offsets.get(document) ?? [];
    own.push(given.start_index, given.end_index);
    offsets.set(document, own);
  }
  return documents.map((document, index) => {
    const own = offsets.get(index);
    return own === undefined ? undefined : codePoints(document, unit, own);
  });
}

function codePoints({ text, json }: SourceDocument, unit: OffsetUnit, offsets: readonly number[]) {
  const found = [...utf16Offsets(text, unit, offsets)];
  if (unit === 'code_point') return new Map(found.map(([offset]) => [offset, offset]));
  const edges = found.map(([, at]) => ({ start: at, end: at }));
  const { start } = locate(json, edges, 'code_point');
  return new Map(found.map(([offset], index) => [offset, start[index] as number]));
}

function rangeOf(
  { given, document, place }: PlacedAnswer,
  points: Points,
  starts: readonly number[],
  unit: OffsetUnit,
): Range {
  const edge = (name: 'start_index' | 'end_index') => {
    const point = points[document]?.get(given[name]);
    if (point !== undefined) return point + (starts[document] as number);
    const expected = `the offset of a character in the document, in units of ${unit}`;
    throw invalid(
      `${place}.${name}: expected ${expected}, got ${given[name]}, which is beyond the text or inside a character`,
    );
  };
  return { start: edge('start_index'), end: edge('end_index') };
}
