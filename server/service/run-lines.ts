import { fromPlainError, type PlainError, ServiceError, toPlainError } from '../../core/errors.ts';
import { ByteWriter } from '../wire/byte-writer.ts';
import { type WrittenDocument, writeLines, writeList } from '../wire/chunk-writer.ts';
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
  const writer = new ByteWriter(maxAnswerBytes, estimate(lines));

  async function answer(line: ReadLine, stages: readonly Stage[]): Promise<void> {
    if ('error' in line) throw fromPlainError(line.error);
    const chunks = await runStages(stages, line.input);
    await timer.time('serialise', 'json', () => {
      const document = writtenDocument(line.input, chunks, plan);
      const empty = timer.takeEmptyVectors();
      writeLine(writer, line, document, plan, empty);
      writer.beginPart();
      documents.push(document);
      if (plan.writes !== undefined) {
        const counts = countOf(document, plan);
        outcomes.push({ ...headOf(line), ...counts, ...(empty > 0 && { embedding_empty: empty }) });
      }
    });
  }

  function fail(line: ReadLine, error: unknown): void {
    const plain = toPlainError(error);
    failures.push(plain);
    writer.dropPart();
    timer.takeEmptyVectors();
    if (plan.writes === undefined) {
      writer.json(errorText(line, error));
      writer.beginPart();
    } else outcomes.push({ ...headOf(line), error: plain });
  }

  return withStages({ requests: plan.stages, tools, signal, timer, report() {} }, async (stages) => {
    for (const line of lines) {
      signal.throwIfAborted();
      try {
        await answer(line, stages);
      } catch (error) {
        signal.throwIfAborted();
        fail(line, error);
      }
    }
    const timings = timingsOf(timer, documents);
    const done = { bytes: writer.written(), reported: [], timings, failures };
    return plan.writes === undefined ? done : { ...done, outcomes };
  });
}

/** Bytes that a line takes besides its text, and bytes of chunks for each byte of text; estimates. */
const LINE_BYTES = 512;
const GROWTH = 1.25;

/** Estimates the bytes of the answer: making room for all at once saves copies. */
function estimate(lines: readonly ReadLine[]): number {
  let size = 0;
  for (const line of lines) {
    const text = 'input' in line && 'json' in line.input ? line.input.json.length : 0;
    size += LINE_BYTES + GROWTH * text;
  }
  return Math.ceil(size);
}

function writeLine(
  writer: ByteWriter,
  head: LineHead,
  document: WrittenDocument,
  { writes }: StreamPlan,
  empty: number,
): void {
  if (writes === 'chunks') {
    writeLines(writer, document);
    return;
  }
  writer.json(writes === 'documents' ? documentOpening(head) : openingOf(head));
  if (writes === undefined && empty > 0) writer.ascii(`"embedding_empty":${empty},`);
  writer.ascii('"chunks":');
  writeList(writer, document);
  writer.ascii('}\n');
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
  return Buffer.from(errorText(head, error));
}

function errorText(head: LineHead, error: unknown): string {
  const { status, detail } = error instanceof ServiceError ? error : new ServiceError('internal', {}, error);
  return `${openingOf(head)}"error":${JSON.stringify({ status, detail })}}\n`;
}

function openingOf({ index, id }: LineHead): string {
  return id === undefined ? `{"index":${index},` : `{"index":${index},"id":${JSON.stringify(id)},`;
}
