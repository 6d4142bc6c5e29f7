import { ServiceError } from '../../../core/errors.ts';
import { type WrittenDocument, writeChunks } from '../answer/chunk-writer.ts';
import { minBytes, writtenDocument } from '../answer/rendered-document.ts';
import { ResponseMetadata, Timer, type Timings } from '../answer/response-metadata.ts';
import type { Run } from '../operation.ts';
import type { Plan } from '../read/plan.ts';
import type { DocumentChunks } from '../stages/chunk-set.ts';
import { type Input, runStages, withStages } from '../stages/stages.ts';
import { placeDocument } from '../stages/windows.ts';
import type { Answer, AnyRequest } from '../tasks.ts';

export interface StagesRequest extends Plan, AnyRequest {
  readonly run: 'chunk' | 'execute' | 'refine';
  readonly inputs: readonly Input[];
  /** Whether the answer is a list of lists. */
  readonly isBatch: boolean;
}

/** Runs the inputs of a request through its stages in turn, and writes one answer. @throws ServiceError */
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
      metadata.reportVectors(timer.takeVectors());
    }
    const { written, bytes } = await timer.time('serialise', 'json', () => {
      const written = documents.map((chunks, index) =>
        writtenDocument(inputs[index] as Input, chunks, request),
      );
      return { written, bytes: writeChunks(written, isBatch, maxAnswerBytes) };
    });
    return { bytes, reported: metadata.reported(), timings: timingsOf(timer, written) };
  });
}

function timingsOf(timer: Timer, documents: readonly WrittenDocument[]): Timings {
  let count = 0;
  let tokens = 0;
  for (const { chunks } of documents) {
    count += chunks.length;
    tokens += tokensOf(chunks);
  }
  return timer.summary(documents.length, count, tokens);
}

export function tokensOf(chunks: WrittenDocument['chunks']): number {
  let tokens = 0;
  for (const { token_count } of chunks) tokens += token_count;
  return tokens;
}
