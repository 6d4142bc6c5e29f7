/** A value of Thrift's compact protocol. Of binary ones only the place is passed; integers beyond 2^53 are not exact. */
export type ThriftValue = number | boolean | undefined | readonly ThriftValue[] | ThriftStruct;
export type ThriftStruct = ReadonlyMap<number, ThriftValue>;

const [TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, STRUCT] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12];
const DEEPEST = 64;
const LONGEST_VARINT = 10;

/**
 * Reads structures of Thrift's compact protocol, and refuses what would have a parser that trusts them take memory or time
 * beyond the bytes that are there: counts and lengths over the rest, numbers without an end, nesting without one.
 */
export class ThriftReader {
  readonly #bytes: Uint8Array;
  /** Where it stands. */
  at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  /** @throws Error in words */
  struct(depth = 0): ThriftStruct {
    if (depth > DEEPEST) throw new Error('its metadata are nested too deeply');
    const fields = new Map<number, ThriftValue>();
    let id = 0;
    for (let head = this.#byte(); (head & 0x0f) !== 0; head = this.#byte()) {
      const step = head >> 4;
      id = step === 0 ? this.#zigzag32() : id + step;
      fields.set(id, this.#value(head & 0x0f, depth));
    }
    return fields;
  }

  #value(type: number, depth: number): ThriftValue {
    if (type === TRUE || type === FALSE) return type === TRUE;
    if (type === BYTE) return this.#byte();
    if (type === I16 || type === I32) return this.#zigzag32();
    if (type === I64) return zigzag(this.#varint());
    if (type === DOUBLE) return this.#skip(8);
    if (type === BINARY) return this.#skip(this.#count());
    if (type === LIST) return this.#list(depth + 1);
    if (type === STRUCT) return this.struct(depth + 1);
    throw new Error(`its metadata have a value of an unknown type ${type}`);
  }

  #list(depth: number): ThriftValue[] {
    if (depth > DEEPEST) throw new Error('its metadata are nested too deeply');
    const head = this.#byte();
    const type = head & 0x0f;
    const long = head >> 4 === 15;
    const count = long ? this.#count() : head >> 4;
    const isBoolean = type === TRUE || type === FALSE;
    const values: ThriftValue[] = [];
    for (let index = 0; index < count; index++) values.push(this.#value(isBoolean ? BYTE : type, depth));
    return values;
  }

  /** A number of things of which each takes a byte at least. */
  #count(): number {
    const count = this.#varint();
    if (count > this.#bytes.length - this.at) throw new Error('its metadata have a length beyond their end');
    return count;
  }

  #zigzag32(): number {
    const number = this.#varint();
    if (number > 0xffffffff) throw new Error('its metadata have a number that is too large');
    return zigzag(number);
  }

  #varint(): number {
    let [value, factor] = [0, 1];
    for (let count = 0; count < LONGEST_VARINT; count++) {
      const byte = this.#byte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 128;
    }
    throw new Error('its metadata have a number without an end');
  }

  #byte(): number {
    const byte = this.#bytes[this.at++];
    if (byte === undefined) throw new Error('its metadata are cut off');
    return byte;
  }

  #skip(length: number): undefined {
    this.at += length;
    if (this.at > this.#bytes.length) throw new Error('its metadata are cut off');
  }
}

function zigzag(number: number): number {
  return number % 2 === 0 ? number / 2 : -(number + 1) / 2;
}
