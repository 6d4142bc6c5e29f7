import type { OffsetUnit } from '../../../core/contracts/chunk.ts';
import type { Vectors } from '../../../core/contracts/embedding.ts';
import { vectorBase64 } from '../../../plugins/toolkit/json/ascii-numbers.ts';
import { type ByteWriter, writeWithin } from './byte-writer.ts';
import { offsetsIn } from './offsets.ts';

export interface TokenList {
  readonly text: string;
  readonly count: number;
  /** End of each token, as from `TokenizedText.ends`; needed for offsets and tokens. */
  readonly ends: Uint32Array | undefined;
  readonly ids: Uint32Array | undefined;
}

export interface TokenFields {
  readonly include: readonly ('offsets' | 'ids' | 'tokens')[];
  readonly unit: OffsetUnit;
}

const FIRST_SIZE = 1024;

/**
 * Writes the tokens of texts as JSON: `{"tokenizer": …, "results": [{"count": …}, …]}`, in the order of the texts.
 *
 * @param limit maximum bytes of the answer
 * @throws ServiceError `answer_too_large`
 */
export function writeTokens(
  tokenizer: string,
  lists: readonly TokenList[],
  { include, unit }: TokenFields,
  limit: number,
): Uint8Array<ArrayBuffer> {
  return writeWithin(limit, FIRST_SIZE, (writer) => {
    writer.json(`{"tokenizer":${JSON.stringify(tokenizer)},"results":[`);
    lists.forEach(({ text, count, ends, ids }, index) => {
      writer.ascii(index === 0 ? '{"count":' : ',{"count":');
      writer.number(count);
      if (ends !== undefined && include.includes('offsets'))
        writeOffsets(writer, offsetsIn(text, ends, unit));
      if (ids !== undefined) writeIds(writer, ids);
      if (ends !== undefined && include.includes('tokens')) writeTexts(writer, text, ends);
      writer.ascii('}');
    });
    writer.ascii(']}');
  });
}

function writeOffsets(writer: ByteWriter, ends: Uint32Array): void {
  writer.ascii(',"offsets":[');
  let start = 0;
  for (let index = 0; index < ends.length; index++) {
    const end = ends[index] as number;
    writer.ascii(index === 0 ? '[' : ',[');
    writer.number(start);
    writer.ascii(',');
    writer.number(end);
    writer.ascii(']');
    start = end;
  }
  writer.ascii(']');
}

function writeIds(writer: ByteWriter, ids: Uint32Array): void {
  writer.ascii(',"ids":[');
  for (let index = 0; index < ids.length; index++) {
    if (index > 0) writer.ascii(',');
    writer.number(ids[index] as number);
  }
  writer.ascii(']');
}

function writeTexts(writer: ByteWriter, text: string, ends: Uint32Array): void {
  writer.ascii(',"tokens":[');
  let start = 0;
  for (let index = 0; index < ends.length; index++) {
    const end = ends[index] as number;
    writer.ascii(index === 0 ? '"' : ',"');
    writer.characters(text.slice(start, end));
    writer.ascii('"');
    start = end;
  }
  writer.ascii(']');
}

/** Approximate bytes of a number in JSON, and in base64. */
const NUMBER_BYTES = { float: 12, base64: 5.4 } as const;

/**
 * Writes vectors as JSON: `{"model": …, "dimensions": …, "embeddings": […]}`, in the order of the texts. A vector is
 * a list of numbers with the fewest digits that keep their single precision, or the base64 of its little-endian
 * 32-bit floats.
 *
 * @param count number of vectors
 * @param limit maximum bytes of the answer
 * @throws ServiceError `answer_too_large`
 */
export function writeVectors(
  model: string,
  { dimensions, values }: Vectors,
  count: number,
  encoding: 'float' | 'base64',
  limit: number,
): Uint8Array<ArrayBuffer> {
  const size = FIRST_SIZE + Math.ceil(values.length * NUMBER_BYTES[encoding]);
  return writeWithin(limit, size, (writer) => {
    writer.json(`{"model":${JSON.stringify(model)},"dimensions":${dimensions},"embeddings":[`);
    for (let index = 0; index < count; index++) {
      if (index > 0) writer.ascii(',');
      const vector = values.subarray(index * dimensions, (index + 1) * dimensions);
      if (encoding === 'float') writer.vector(vector);
      else writer.ascii(`"${vectorBase64(vector)}"`);
    }
    writer.ascii(']}');
  });
}
