import { setImmediate } from 'node:timers/promises';
import { runStages } from '../execution.ts';
import { type StageTools, withStages } from '../stages.ts';
import { ChunkIndex, type IndexedChunk, type IndexTools } from './chunk-index.ts';
import type { Candidate, EvaluationRequest, Question } from './evaluation-request.ts';
import type { Neighbour } from './nearest.ts';
import { meanScores, type Scores, scoresOf } from './scores.ts';

/** What questions find with a candidate, with the mean of their scores. */
export interface Evaluated {
  readonly scores: Scores;
  /** The mean of the tokens that a question finds. */
  readonly tokensPerQuestion: number;
  readonly chunks: number;
  /** Tokens of all chunks. */
  readonly tokens: number;
  readonly questions: readonly EvaluatedQuestion[];
}

export interface EvaluatedQuestion {
  readonly scores: Scores;
  /** Tokens of the chunks that were found. */
  readonly tokens: number;
  /** The nearest first. */
  readonly found: readonly FoundChunk[];
}

export type FoundChunk = Omit<IndexedChunk, 'range'> & Pick<Neighbour, 'score'>;

/**
 * Chunks the documents as a candidate says, and lets each question find chunks.
 *
 * @throws ServiceError what the plugins of the candidate and the model throw; `invalid_parameters` if there are too many chunks
 * @throws the signal's reason once it aborts
 */
export function evaluateCandidate(
  list: Candidate,
  { documents, starts, questions }: EvaluationRequest,
  tools: StageTools,
  index: IndexTools,
): Promise<Evaluated> {
  const { signal, timer } = index;
  return withStages({ list, tools, signal, timer, report() {} }, async (stages) => {
    const chunks = new ChunkIndex(index);
    for (const [at, document] of documents.entries()) {
      // Plugins that do not wait for anything would otherwise keep the abort of the signal from being heard.
      await setImmediate();
      signal.throwIfAborted();
      await chunks.add(document, await runStages(stages, document), at, starts[at] as number);
    }
    await chunks.flush();
    return evaluated(questions, chunks, signal);
  });
}

function evaluated(questions: readonly Question[], index: ChunkIndex, signal: AbortSignal): Evaluated {
  const { chunks, nearest } = index;
  const ranges = chunks.map(({ range }) => range);
  const each = questions.map(({ answer }, at): EvaluatedQuestion => {
    signal.throwIfAborted();
    const neighbours = nearest.of(at);
    const found = neighbours.map(({ chunk }) => chunks[chunk] as IndexedChunk);
    const scores = scoresOf(
      answer,
      found.map(({ range }) => range),
      ranges,
    );
    return { scores, tokens: tokensOf(found), found: neighbours.map((one) => foundChunk(one, chunks)) };
  });
  return {
    scores: meanScores(each.map(({ scores }) => scores)),
    tokensPerQuestion: each.reduce((sum, { tokens }) => sum + tokens, 0) / each.length,
    chunks: chunks.length,
    tokens: tokensOf(chunks),
    questions: each,
  };
}

function foundChunk({ chunk, score }: Neighbour, chunks: readonly IndexedChunk[]): FoundChunk {
  const { range: _, ...fields } = chunks[chunk] as IndexedChunk;
  return { ...fields, score };
}

function tokensOf(chunks: readonly Pick<IndexedChunk, 'token_count'>[]): number {
  return chunks.reduce((sum, { token_count }) => sum + token_count, 0);
}
