import { ServiceError } from '../../../core/errors.ts';
import { ByteWriter } from '../../wire/byte-writer.ts';
import type { Evaluated, EvaluatedQuestion } from './evaluate-candidate.ts';
import type { Candidate } from './evaluation-request.ts';

/** What became of a candidate. */
export type Outcome = { readonly evaluated: Evaluated } | { readonly error: unknown };

const FIRST_SIZE = 1024;

/**
 * Writes what became of a candidate as a JSON object; its questions one by one, because they may be many.
 *
 * @param index its place in the request
 * @param limit most bytes
 * @throws ServiceError `answer_too_large`
 */
export function writeCandidate(
  index: number,
  { name, sameAs }: Candidate,
  outcome: Outcome,
  limit: number,
): Uint8Array<ArrayBuffer> {
  const head = { index, name, ...(sameAs === undefined ? {} : { same_as: sameAs }) };
  const writer = new ByteWriter(limit, FIRST_SIZE);
  if ('error' in outcome) {
    writer.json(JSON.stringify({ ...head, error: errorOf(outcome.error) }));
    return writer.written();
  }
  const { scores, tokensPerQuestion, chunks, questions } = outcome.evaluated;
  const figures = { ...rounded(scores), tokens_per_question: round(tokensPerQuestion), chunks };
  writer.json(`${JSON.stringify({ ...head, ...figures }).slice(0, -1)},"questions":[`);
  questions.forEach((question, at) => {
    writer.json(`${at === 0 ? '' : ','}${JSON.stringify(questionOf(question))}`);
  });
  writer.ascii(']}');
  return writer.written();
}

function questionOf({ scores, tokens, found }: EvaluatedQuestion): object {
  return { ...rounded(scores), tokens, found: found.map((one) => ({ ...one, score: round(one.score) })) };
}

function errorOf(error: unknown): object {
  const { status, detail } = error instanceof ServiceError ? error : new ServiceError('internal', {}, error);
  return { status, detail };
}

function rounded(scores: object): object {
  return Object.fromEntries(
    Object.entries(scores).map(([name, value]: [string, number]) => [name, round(value)]),
  );
}

/** With six decimals. */
function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
