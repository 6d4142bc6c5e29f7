import type { OffsetUnit } from '../../../core/contracts/chunk.ts';
import { LENGTHS } from '../chunk-parts.ts';
import { readDocuments, type SourceDocument } from '../documents.ts';
import { atMost, type Limits } from '../limits.ts';
import type { Rules } from '../operation.ts';
import type { NamedPipelines, Unread } from '../tasks.ts';
import type { Candidate, EvaluationRequest, Question } from './evaluation-request.ts';
import { type GivenCandidate, readCandidates } from './read-candidates.ts';
import { type GivenQuestion, readQuestions } from './read-questions.ts';

/** The members of a request that fit its schema. */
interface Members {
  readonly documents: Parameters<typeof readDocuments>[0];
  readonly questions: readonly GivenQuestion[];
  readonly candidates: readonly GivenCandidate[];
  readonly offset_unit: OffsetUnit;
}

/**
 * Reads a request to evaluate.
 *
 * @param request the body, parsed
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
  const amount = { unit: 'questions', count: asked.length, limit: limits.maxDocuments };
  atMost({ place: 'questions', ...amount, flag: '--max-documents' });
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

/** Refuses a request that has more embedded than it may. */
function checkCost(
  documents: readonly SourceDocument[],
  questions: readonly Question[],
  candidates: readonly Candidate[],
  { maxEvaluationCharacters: limit }: Limits,
): void {
  const lengthOf = (texts: readonly { readonly text: string }[]) =>
    texts.reduce((sum, { text }) => sum + text.length, 0);
  const different = candidates.filter(({ sameAs }) => sameAs === undefined).length;
  const count = lengthOf(documents) * different + lengthOf(questions);
  const unit = `characters to embed for ${different} different candidates`;
  atMost({ place: 'documents', unit, count, limit, flag: '--max-evaluation-characters' });
}

/** The names of stored pipelines in a request to evaluate that is not checked yet. */
export function pipelinesNamed(request: unknown): string[] {
  const { candidates } = (request ?? {}) as { readonly candidates?: unknown };
  const given: readonly unknown[] = Array.isArray(candidates) ? candidates : [];
  const names = given.map((one) => (one as { readonly pipeline?: unknown } | null)?.pipeline);
  return [...new Set(names.filter((name) => typeof name === 'string'))];
}
