import type { ByteWriter } from './byte-writer.ts';

/** A field of every chunk of a document. */
export interface Column {
  readonly name: string;
  /** Estimated bytes per chunk. */
  readonly bytes: number;
  /** Writes a comma, the name and the value for a chunk. */
  write(writer: ByteWriter, chunk: number): void;
}

const NUMBER_BYTES = 8;
const NULL = Buffer.from('null');

/** A field with a number or null for each chunk. */
export function numberColumn(name: string, numbers: ArrayLike<number | null>): Column {
  const head = headOf(name);
  return {
    name,
    bytes: head.length + NUMBER_BYTES,
    write(writer, chunk) {
      const number = numbers[chunk] as number | null;
      writer.bytes(head, 0, head.length);
      if (number === null) writer.bytes(NULL, 0, NULL.length);
      else writer.number(number);
    },
  };
}

/**
 * A field with a text for each chunk, or null for one that has none.
 *
 * @param texts ASCII that needs no escape, such as ids
 * @param shift offset from the chunk with the field to the chunk whose text is written
 */
export function asciiColumn(name: string, texts: readonly string[], shift = 0): Column {
  const head = headOf(name);
  return {
    name,
    bytes: head.length + (texts[0]?.length ?? 0) + 2,
    write(writer, chunk) {
      const text = texts[chunk + shift];
      writer.bytes(head, 0, head.length);
      if (text === undefined) writer.bytes(NULL, 0, NULL.length);
      else {
        writer.ascii('"');
        writer.ascii(text);
        writer.ascii('"');
      }
    },
  };
}

/** A field with the same value for all chunks. @param json its JSON; null if there is none */
export function constantColumn(name: string, json: Uint8Array = NULL): Column {
  const member = Buffer.concat([headOf(name), json]);
  return { name, bytes: member.length, write: (writer) => writer.bytes(member, 0, member.length) };
}

/** A field with JSON for each chunk; chunks without JSON lack the field. */
export function jsonColumn(name: string, values: readonly (Uint8Array | undefined)[]): Column {
  const head = headOf(name);
  const total = values.reduce(
    (sum, value) => sum + (value === undefined ? 0 : head.length + value.length),
    0,
  );
  return {
    name,
    bytes: values.length === 0 ? 0 : Math.ceil(total / values.length),
    write(writer, chunk) {
      const value = values[chunk];
      if (value === undefined) return;
      writer.bytes(head, 0, head.length);
      writer.bytes(value, 0, value.length);
    },
  };
}

/** @param name letters and underscores */
function headOf(name: string): Uint8Array {
  return Buffer.from(`,"${name}":`);
}
