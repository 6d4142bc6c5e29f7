import { isUtf8 } from 'node:buffer';
import type { FromSchema } from 'json-schema-to-ts';
import {
  fromPlainError,
  invalid,
  type PlainError,
  reasonOf,
  ServiceError,
  toPlainError,
} from '../../../core/errors.ts';
import { ByteWriter } from '../answer/byte-writer.ts';
import { type WrittenDocument, writeLines, writeList } from '../answer/chunk-writer.ts';
import { writtenDocument } from '../answer/rendered-document.ts';
import {
  type DocumentCounts,
  nonZeroTotals,
  ResponseMetadata,
  Timer,
  totalsOf,
} from '../answer/response-metadata.ts';
import { checkChunks, checkLength, type Limits } from '../limits.ts';
import type { Operation, Run } from '../operation.ts';
import { chunksLine, documentSchema } from '../read/document-schemas.ts';
import {
  documentOfLine,
  type Input,
  type ParsedDocument,
  readChunks,
  readDocument,
  readId,
  textBytes,
} from '../read/documents.ts';
import { findMembers, withoutBreaks } from '../read/json.ts';
import { type LineHead, type LineOutcome, lineHead, type StreamPlan } from '../read/plan.ts';
import { runStages, type Stage, unitOf, withStages } from '../stages/stages.ts';
import { placeDocument } from '../stages/windows.ts';
import type { Answer, AnyRequest, LinesTask } from '../tasks.ts';
import { createValidator } from '../validation/validator.ts';
import { tokensOf } from './run-request.ts';

interface LinesRequest extends AnyRequest {
  readonly run: 'lines';
  readonly plan: StreamPlan;
  readonly lines: readonly ReadLine[];
}

/** A line of a stream, as its input or as the error that makes the line invalid. */
type ReadLine = LineHead & ({ readonly input: Input } | { readonly error: PlainError });

/**
 * Processes lines of a stream, or inputs of a batch, several at a time. An invalid line does not affect other
 * lines.
 */
export const linesOperation: Operation<LinesTask, LinesRequest> = {
  plugins: () => undefined,
  read({ plan, first, lengths }, bytes, { limits }) {
    const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    let at = 0;
    const lines = lengths.map((length, place) => {
      const line = body.subarray(at, at + length);
      at += length;
      // An input of a batch may span several lines. Its metadata is copied to a line of the answer.
      const json = plan.writes === 'lists' ? line : withoutBreaks(line);
      return readLine(json, first + place, plan, limits);
    });
    return { run: 'lines', uses: plan.uses, plan, lines };
  },
  run: runLines,
  label: () => 'lines',
};

function readLine(line: Buffer, index: number, plan: StreamPlan, limits: Limits): ReadLine {
  let head: LineHead = { index };
  try {
    const value = parseLine(line, 'The document');
    if (plan.takes === 'text') return { ...head, input: readTextLine(value, line, limits) };
    head = lineHead(value, line, index);
    if (plan.takes === 'chunks') return { ...head, input: readChunksLine(value, line, limits) };
    return { ...head, input: readDocumentLine(value, line, plan, limits) };
  } catch (error) {
    return { ...head, error: toPlainError(error) };
  }
}

/** Parses a line of a stream. @param what name of the line in the error @throws ServiceError `line_not_json` */
export function parseLine(line: Buffer, what: string): unknown {
  try {
    if (!isUtf8(line)) throw new Error('it is not valid UTF-8');
    return JSON.parse(line.toString('utf8'));
  } catch (error) {
    throw new ServiceError('line_not_json', { what, reason: reasonOf(error) });
  }
}

function readTextLine(value: unknown, line: Buffer, limits: Limits): Input {
  if (typeof value !== 'string') throw invalid('text: expected a string');
  checkLength(value, 'text', limits);
  return documentOfLine(value, line);
}

/**
 * Reads the options in the first line of a stream: all members of a request except the inputs.
 *
 * @throws ServiceError `line_not_json`, `invalid_parameters`
 */
export function optionsOfFirstLine(line: Buffer): object {
  const options = parseLine(line, 'The first line of the stream');
  if (typeof options === 'object' && options !== null && !Array.isArray(options)) return options;
  throw invalid('the first line of the stream: expected an object with the options, such as {}');
}

const checkDocument = createValidator(documentSchema);
const checkList = createValidator(chunksLine);

function readDocumentLine(value: unknown, line: Buffer, plan: StreamPlan, limits: Limits): Input {
  const document = checkDocument(value) as ParsedDocument;
  checkLength(document.text, 'text', limits);
  return readDocument(document, { body: line, at: 0, place: '' }, unitOf(plan));
}

function readChunksLine(value: unknown, line: Buffer, limits: Limits): Input {
  const isList = Array.isArray(value);
  const { id, chunks } = checkList(isList ? { chunks: value } : value) as FromSchema<typeof chunksLine>;
  readId(id, line, 0, '');
  checkChunks([chunks], limits);
  const findLists = () => (isList ? [{ from: 0, to: line.length }] : findMembers(line, 0, ['chunks']));
  const [input] = readChunks([chunks], line, findLists);
  return input as Input;
}

/**
 * Runs lines one after the other through the stages, and writes the results as planned. The error of a line is in
 * its answer or outcome, and in `failures` for the log.
 *
 * @throws ServiceError if the stages cannot be opened
 * @throws the signal's reason once it aborts
 */
function runLines({ plan, lines, parseSeconds }: LinesRequest, run: Run): Promise<Answer> {
  const { signal, limits } = run;
  const timer = new Timer(parseSeconds);
  const metadata = new ResponseMetadata();
  const written = new LinesWriter(plan, new ByteWriter(limits.maxAnswerBytes, estimate(plan, lines)));

  async function answer(line: ReadLine, stages: readonly Stage[]): Promise<void> {
    if ('error' in line) throw fromPlainError(line.error);
    metadata.nextDocument();
    const chunks = await runStages(stages, line.input);
    await timer.time('serialise', 'json', () => {
      const counts = timer.takeCounts();
      written.add(line, writtenDocument(line.input, chunks, plan), counts);
      metadata.reportCounts(counts);
    });
  }

  return withStages(plan, { tools: run, timer, report: metadata.report }, async (stages) => {
    for (const line of lines) {
      signal.throwIfAborted();
      try {
        await answer(line, stages);
      } catch (error) {
        signal.throwIfAborted();
        timer.takeCounts();
        written.fail(line, error);
      }
    }
    const { sizes, failures, outcomes } = written;
    const timings = timer.summary(sizes.documents, sizes.chunks, sizes.tokens);
    const reported = plan.writes === 'lists' ? metadata.reported() : [];
    return { bytes: written.bytes(), reported, timings, failures, outcomes };
  });
}

class LinesWriter {
  readonly #plan: StreamPlan;
  readonly #writer: ByteWriter;
  /** Only sums are kept, because longer-lived documents cost the garbage collector more. */
  readonly sizes = { documents: 0, chunks: 0, tokens: 0 };
  readonly failures: PlainError[] = [];
  /** Outcomes of lines, if the plan writes no answers. */
  readonly outcomes: LineOutcome[] = [];

  constructor(plan: StreamPlan, writer: ByteWriter) {
    this.#plan = plan;
    this.#writer = writer;
  }

  add(line: ReadLine, document: WrittenDocument, counts: DocumentCounts): void {
    const { writes, tellsIds } = this.#plan;
    if (writes === 'lists' && this.sizes.documents > 0) this.#writer.ascii(',');
    writeLine(this.#writer, line, document, this.#plan, counts);
    this.#writer.beginPart();
    const { chunks, ids } = document;
    this.sizes.documents++;
    this.sizes.chunks += chunks.length;
    this.sizes.tokens += tokensOf(chunks);
    if (writes === undefined || writes === 'lists') return;
    this.outcomes.push({
      ...headOf(line),
      chunks: chunks.length,
      ...(tellsIds && ids !== undefined && { ids }),
      ...nonZeroTotals(totalsOf(counts)),
    });
  }

  /** Records the error of a line. @throws the error if it makes all lines fail */
  fail(line: ReadLine, error: unknown): void {
    const { writes } = this.#plan;
    if (writes === 'lists') throw placeDocument(error, line.index);
    const plain = toPlainError(error);
    this.failures.push(plain);
    this.#writer.dropPart();
    if (writes === undefined) {
      this.#writer.json(errorText(line, error));
      this.#writer.beginPart();
    } else this.outcomes.push({ ...headOf(line), error: plain });
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return this.#writer.written();
  }
}

/** Estimated bytes of an answer: per line besides its text; per byte of text, without vectors and with vectors. */
const LINE_BYTES = 512;
const GROWTH = 1.25;
const GROWTH_WITH_VECTORS = 12;
const GROWTH_WITH_BASE64 = 6;
/** Maximum length of a text whose vectors are estimated; longer texts could reserve too much memory. */
const MAX_WITH_VECTORS = 1_048_576;

/** Estimates the bytes of the answer, because a single allocation saves copies. */
function estimate({ stages, uses, packsVectors }: StreamPlan, lines: readonly ReadLine[]): number {
  const adds = uses.some(({ embedding }, at) => embedding !== undefined && stages[at]?.kind === 'refinery');
  let texts = 0;
  for (const line of lines) if ('input' in line) texts += textBytes(line.input);
  const withVectors = packsVectors ? GROWTH_WITH_BASE64 : GROWTH_WITH_VECTORS;
  const growth = adds && texts <= MAX_WITH_VECTORS ? withVectors : GROWTH;
  return Math.ceil(LINE_BYTES * lines.length + growth * texts);
}

function writeLine(
  writer: ByteWriter,
  head: LineHead,
  document: WrittenDocument,
  { writes }: StreamPlan,
  counts: DocumentCounts,
): void {
  if (writes === 'chunks') {
    writeLines(writer, document);
    return;
  }
  if (writes === 'lists') {
    writeList(writer, document);
    return;
  }
  writer.json(
    writes === 'documents' ? `{"document_id":${JSON.stringify(head.id ?? null)},` : openingOf(head),
  );
  if (writes === undefined) {
    const { emptyAt } = counts;
    for (const [name, count] of Object.entries(nonZeroTotals(totalsOf(counts)))) {
      writer.ascii(`"${name}":${count},`);
      if (name === 'embedding_empty' && emptyAt.length > 0)
        writer.ascii(`"embedding_empty_at":[${emptyAt}],`);
    }
  }
  writer.ascii('"chunks":');
  writeList(writer, document);
  writer.ascii('}\n');
}

function headOf({ index, id }: LineHead): LineHead {
  return id === undefined ? { index } : { index, id };
}

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
