import type { Manifest } from '../../../core/contracts/manifest.ts';
import { firstWrong } from '../ledger.ts';
import type { ChunkerLedger } from './chunker-promises.ts';

/** A chunk as it is answered. */
export interface AnswerChunk {
  readonly text: string;
  readonly start_index: number;
  readonly end_index: number;
  readonly token_count: number;
}

export const placeOf = ({ start_index, end_index }: AnswerChunk, index: number): string =>
  `chunk ${index} [${start_index}, ${end_index})`;

/** Whether the offsets of an answer are those of its texts, in each unit. */
export function checkOffsets(
  text: string,
  chunks: readonly AnswerChunk[],
  inUnits: readonly AnswerChunk[],
  inBytes: readonly AnswerChunk[],
  ledger: ChunkerLedger,
): void {
  const points = Array.from(text);
  const isInPoints = (chunk: AnswerChunk) =>
    points.slice(chunk.start_index, chunk.end_index).join('') === chunk.text;
  ledger.expectNone(firstWrong(chunks, isInPoints, placeOf), 'offsets are code points of the text');
  const isInUnits = (chunk: AnswerChunk, index: number) =>
    chunk.text === text.slice(chunk.start_index, chunk.end_index) && chunk.text === chunks[index]?.text;
  ledger.expectNone(
    firstWrong(inUnits, isInUnits, placeOf),
    'offsets are UTF-16 units if the request asks for them',
  );
  const bytes = Buffer.from(text);
  const isInBytes = (chunk: AnswerChunk) =>
    bytes.subarray(chunk.start_index, chunk.end_index).equals(Buffer.from(chunk.text));
  ledger.expectNone(
    firstWrong(inBytes, isInBytes, placeOf),
    'offsets are bytes of UTF-8 if the request asks for them',
  );
}

/** Whether chunks are in order, lose nothing and are within the limit, as far as that is promised. */
export function checkOrder(
  text: string,
  chunks: readonly AnswerChunk[],
  { guarantees }: Manifest,
  options: { readonly chunk_size?: number; readonly chunk_overlap?: number },
  ledger: ChunkerLedger,
): void {
  const { chunk_size = Number.POSITIVE_INFINITY, chunk_overlap = 0 } = options;
  ledger.expectNone(
    firstWrong(chunks, (chunk) => chunk.text !== '', placeOf),
    'no chunk is empty',
  );
  ledger.expectNone(firstWrong(chunks, risesIn(chunks), placeOf), 'chunks are in the order of the text');
  if (guarantees?.lossless === true) {
    ledger.expectNone(firstGap(chunks, Array.from(text).length), 'no text is lost between chunks');
    const joined = chunks.map((chunk) => chunk.text).join('');
    ledger.expect(chunk_overlap > 0 || joined === text, 'joined, the chunks are the text');
  }
  if (guarantees?.bounded === true) {
    const fits = (chunk: AnswerChunk) =>
      chunk.token_count <= chunk_size || Array.from(chunk.text).length === 1;
    const placeAndCount = (chunk: AnswerChunk, at: number) =>
      `${placeOf(chunk, at)} has ${chunk.token_count} tokens, chunk_size is ${chunk_size}`;
    ledger.expectNone(firstWrong(chunks, fits, placeAndCount), 'no chunk is over chunk_size');
  }
}

const risesIn = (chunks: readonly AnswerChunk[]) => (chunk: AnswerChunk, index: number) => {
  const before = chunks[index - 1];
  return (
    before === undefined || (chunk.start_index > before.start_index && chunk.end_index > before.end_index)
  );
};

function firstGap(chunks: readonly AnswerChunk[], length: number): string | undefined {
  const endBefore = (index: number) => chunks[index - 1]?.end_index ?? 0;
  const gap = firstWrong(
    chunks,
    (chunk, at) => chunk.start_index <= endBefore(at),
    (chunk, at) => `the text from ${endBefore(at)} to ${chunk.start_index}, before ${placeOf(chunk, at)}`,
  );
  const end = chunks.at(-1)?.end_index ?? 0;
  return gap ?? (end === length ? undefined : `the text from ${end} to ${length}, behind the last chunk`);
}
