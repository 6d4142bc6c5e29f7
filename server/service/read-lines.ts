import { isUtf8 } from 'node:buffer';
import type { Chunk } from '../../core/contracts/chunk.ts';
import { reasonOf, ServiceError, toPlainError } from '../../core/errors.ts';
import { createValidator } from '../validation/validator.ts';
import { findMembers } from '../wire/json-places.ts';
import { readId } from './document-id.ts';
import { chunksLine, documentSchema } from './document-schemas.ts';
import { readDocument } from './documents.ts';
import type { Input } from './execution.ts';
import { withMetadata } from './given-chunks.ts';
import { checkChunks, checkLength, type Limits } from './limits.ts';
import { unitOf } from './plan.ts';
import { type LineHead, type LinesRequest, lineHead, type ReadLine, type StreamPlan } from './stream-plan.ts';
import type { LinesTask } from './tasks.ts';

const LINE_FEED = 0x0a;

/** Reads lines of a stream. A line that is wrong does not keep others from being read. */
export function readLines(
  { plan, first }: LinesTask,
  body: Buffer,
  limits: Limits,
): Omit<LinesRequest, 'parseSeconds'> {
  const lines = linesOf(body).map((line, place) => readLine(line, first + place, plan, limits));
  return { run: 'lines', plan, lines };
}

function linesOf(body: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let from = 0;
  while (from < body.length) {
    const end = body.indexOf(LINE_FEED, from);
    const to = end === -1 ? body.length : end;
    lines.push(body.subarray(from, to));
    from = to + 1;
  }
  return lines;
}

function readLine(line: Buffer, index: number, plan: StreamPlan, limits: Limits): ReadLine {
  let head: LineHead = { index };
  try {
    const value = parseLine(line, 'The document');
    head = lineHead(value, line, index);
    if (plan.takes === 'chunks') return { ...head, input: readChunksLine(value, line, limits) };
    return { ...head, input: readDocumentLine(value, line, plan, limits) };
  } catch (error) {
    return { ...head, error: toPlainError(error) };
  }
}

/**
 * Parses a line of a stream.
 *
 * @param what names it in the error
 * @throws ServiceError `line_not_json`
 */
export function parseLine(line: Buffer, what: string): unknown {
  try {
    if (!isUtf8(line)) throw new Error('it is not valid UTF-8');
    return JSON.parse(line.toString('utf8'));
  } catch (error) {
    throw new ServiceError('line_not_json', { what, reason: reasonOf(error) });
  }
}

const checkDocument = createValidator(documentSchema);
const checkList = createValidator(chunksLine);

function readDocumentLine(value: unknown, line: Buffer, plan: StreamPlan, limits: Limits): Input {
  const document = checkDocument(value) as unknown as Parameters<typeof readDocument>[0];
  checkLength(document.text, 'text', limits);
  return readDocument(document, { body: line, at: 0, place: '' }, unitOf(plan), limits);
}

interface ChunksLine {
  readonly id?: string | number;
  readonly chunks: readonly Chunk[];
}

/** A list of chunks, or an object that has one, as the lines of answers do. */
function readChunksLine(value: unknown, line: Buffer, limits: Limits): Input {
  const isList = Array.isArray(value);
  const { id, chunks } = checkList(isList ? { chunks: value } : value) as unknown as ChunksLine;
  readId(id, line, 0, '');
  checkChunks([chunks], limits);
  const listPlaces = () => (isList ? [{ from: 0, to: line.length }] : findMembers(line, 0, ['chunks']));
  const [input] = withMetadata([chunks], line, listPlaces);
  return input as Input;
}
