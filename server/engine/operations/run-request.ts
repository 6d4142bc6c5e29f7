import { ServiceError } from '../../../core/errors.ts';
import type { DocumentChunks } from '../answer/chunk-set.ts';
import { type WrittenDocument, writeChunks } from '../answer/chunk-writer.ts';
import { minBytes, writtenDocument } from '../answer/rendered-document.ts';
import { ResponseMetadata, Timer } from '../answer/response-metadata.ts';
import type { Run } from '../operation.ts';
import type { Input } from '../read/documents.ts';
import type { Plan } from '../read/plan.ts';
import { runStages, withStages } from '../stages/stages.ts';
import { placeDocument } from '../stages/windows.ts';
import type { Answer, AnyRequest } from '../tasks.ts';

/** A request for chunks: inputs, stages, output. */
export interface StagesRequest extends Plan, AnyRequest {
  readonly run: 'chunk' | 'execute' | 'refine';
  readonly inputs: readonly Input[];
  /** Whether the answer is a list of lists. */
  readonly isBatch: boolean;
}

/**
 * Runs a request for chunks: its inputs through its stages, one after the other, and writes one answer.
 *
 * @throws ServiceError
 */
export function runRequest(request: StagesRequest, run: Run): Promise<Answer> {
  const { inputs, isBatch, parseSeconds } = request;
  const { maxAnswerBytes } = run.limits;
  const metadata = new ResponseMetadata();
  const timer = new Timer(parseSeconds);
  return withStages(request, { tools: run, timer, report: metadata.report }, async (stages) => {
    const documents: DocumentChunks[] = [];
    let least = 0;
    for (const [index, input] of inputs.entries()) {
      metadata.nextDocument();
      const chunks = await runStages(stages, input).catch((error: unknown) => {
        throw isBatch ? placeDocument(error, index) : error;
      });
      least += minBytes(input, chunks, request);
      if (least > maxAnswerBytes)
        throw new ServiceError('answer_too_large', { bytes: least, limit: maxAnswerBytes });
      documents.push(chunks);
      metadata.reportCounts(timer.takeCounts());
    }
    const { written, bytes } = await timer.time('serialise', 'json', () => {
      const written = documents.map((chunks, index) =>
        writtenDocument(inputs[index] as Input, chunks, request),
      );
      return { written, bytes: writeChunks(written, isBatch, maxAnswerBytes) };
    });
    let count = 0;
    let tokens = 0;
    for (const { chunks } of written) {
      count += chunks.length;
      tokens += tokensOf(chunks);
    }
    return { bytes, reported: metadata.reported(), timings: timer.summary(written.length, count, tokens) };
  });
}

/** The sum of the chunks' `token_count`s. */
export function tokensOf(chunks: WrittenDocument['chunks']): number {
  let tokens = 0;
  for (const { token_count } of chunks) tokens += token_count;
  return tokens;
}
