import { fromPlainError, type PlainError, ServiceError, toPlainError } from '../../core/errors.ts';
import { ByteWriter } from '../wire/byte-writer.ts';
import { estimateBytes, type WrittenDocument, writeLines, writeList } from '../wire/chunk-writer.ts';
import type { Answer } from './answer.ts';
import { runStages } from './execution.ts';
import { withStages } from './open-stages.ts';
import { timingsOf } from './run-request.ts';
import type { Stage, StageTools } from './stages.ts';
import type { LineHead, LineOutcome, LinesRequest, ReadLine, StreamPlan } from './stream-plan.ts';
import { Timer } from './timings.ts';
import { writtenDocument } from './written-document.ts';

/**
 * Runs lines of a stream through its stages, one after the other, and writes what the plan says. What fails in one line
 * stands in its answer or outcome, and in the failures for the log.
 *
 * @throws ServiceError if the stages cannot be opened
 * @throws the signal's reason once it aborts
 */
export function runLines(
  request: LinesRequest,
  signal: AbortSignal,
  tools: StageTools,
  maxAnswerBytes: number,
): Promise<Answer> {
  const { plan, lines, parseSeconds } = request;
  const timer = new Timer(parseSeconds);
  const documents: WrittenDocument[] = [];
  const failures: PlainError[] = [];
  const outcomes: LineOutcome[] = [];
  const parts: Uint8Array[] = [];

  async function answer(line: ReadLine, stages: readonly Stage[]): Promise<Uint8Array> {
    if ('error' in line) throw fromPlainError(line.error);
    const chunks = await runStages(stages, line.input);
    return timer.time('serialise', 'json', () => {
      const document = writtenDocument(line.input, chunks, plan);
      const bytes = writeLine(line, document, plan, maxAnswerBytes);
      documents.push(document);
      if (plan.writes !== undefined) outcomes.push({ ...headOf(line), ...countOf(document, plan) });
      return bytes;
    });
  }

  function fail(line: ReadLine, error: unknown): void {
    const plain = toPlainError(error);
    failures.push(plain);
    if (plan.writes === undefined) parts.push(errorLine(line, error));
    else outcomes.push({ ...headOf(line), error: plain });
  }

  return withStages({ requests: plan.stages, tools, signal, timer, report() {} }, async (stages) => {
    for (const line of lines) {
      signal.throwIfAborted();
      try {
        parts.push(await answer(line, stages));
      } catch (error) {
        signal.throwIfAborted();
        fail(line, error);
      }
    }
    const bytes = new Uint8Array(Buffer.concat(parts));
    const timings = timingsOf(timer, documents);
    const done = { bytes, metadata: {}, timings, failures };
    return plan.writes === undefined ? done : { ...done, outcomes };
  });
}

const LINE_BYTES = 128;

function writeLine(
  head: LineHead,
  document: WrittenDocument,
  { writes }: StreamPlan,
  limit: number,
): Uint8Array {
  const writer = new ByteWriter(limit, Math.min(estimateBytes(document), limit) + LINE_BYTES);
  if (writes === 'chunks') {
    writeLines(writer, document);
    return writer.written();
  }
  writer.json(writes === 'documents' ? documentOpening(head) : openingOf(head));
  writer.ascii('"chunks":');
  writeList(writer, document);
  writer.ascii('}\n');
  return writer.written();
}

function documentOpening({ id = null }: { readonly id?: string | null | undefined }): string {
  return `{"document_id":${JSON.stringify(id)},`;
}

function countOf({ chunks, ids }: WrittenDocument, { tellsIds }: StreamPlan) {
  return tellsIds === true && ids !== undefined ? { chunks: chunks.length, ids } : { chunks: chunks.length };
}

function headOf({ index, id }: LineHead): LineHead {
  return id === undefined ? { index } : { index, id };
}

/** The line that answers one that failed. */
export function errorLine(head: LineHead, error: unknown): Uint8Array {
  const { status, detail } = error instanceof ServiceError ? error : new ServiceError('internal', {}, error);
  return Buffer.from(`${openingOf(head)}"error":${JSON.stringify({ status, detail })}}\n`);
}

function openingOf({ index, id }: LineHead): string {
  return id === undefined ? `{"index":${index},` : `{"index":${index},"id":${JSON.stringify(id)},`;
}
