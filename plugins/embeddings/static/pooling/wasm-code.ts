export type Code = readonly number[];

export const TYPES = 1;
export const IMPORTS = 2;
export const FUNCTIONS = 3;
export const EXPORTS = 7;
export const CODE = 10;

export const I32 = 0x7f;
export const V128 = 0x7b;

/** The type of a block that has no result. */
const VOID = 0x40;

export type MemoryIndex = 0 | 1;

export const code = (...parts: readonly Code[]): number[] => parts.flat();

export function unsigned(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value >>> 0; ; ) {
    const low = rest & 0x7f;
    rest >>>= 7;
    if (rest === 0) return [...bytes, low];
    bytes.push(low | 0x80);
  }
}

export const section = (id: number, ...content: Code): number[] => [
  id,
  ...unsigned(content.length),
  ...content,
];
export const name = (text: string): number[] => [...unsigned(text.length), ...Buffer.from(text)];

export const get = (local: number): number[] => [0x20, ...unsigned(local)];
export const set = (local: number): number[] => [0x21, ...unsigned(local)];
/** Encodes a non-negative 32-bit constant as signed LEB128, in which bit 6 of the last byte is the sign. */
export function constant(value: number): number[] {
  const bytes = unsigned(value);
  const last = bytes.at(-1) as number;
  return [0x41, ...((last & 0x40) === 0 ? bytes : [...bytes.slice(0, -1), last | 0x80, 0])];
}
export const constantF32 = (value: number): number[] => [
  0x43,
  ...new Uint8Array(Float32Array.of(value).buffer),
];
export const MULTIPLY_F32 = [0x94];
export const ADD = [0x6a];
export const LESS_UNSIGNED = [0x49];

export const LOOP = [0x03, VOID];
/** Jumps to the start of the loop unless the number on the stack is 0. */
export const REPEAT_IF = [0x0d, 0];
export const IF = [0x04, VOID];
export const END = [0x0b];

export const loadI32 = (memory: MemoryIndex, offset: number): number[] => [
  0x28,
  ...address(2, memory, offset),
];
export const loadF32 = (memory: MemoryIndex, offset: number): number[] => [
  0x2a,
  ...address(2, memory, offset),
];

const vector = (operation: number, ...rest: Code): number[] => [0xfd, ...unsigned(operation), ...rest];

export const loadVector = (memory: MemoryIndex, offset: number): number[] =>
  vector(0, ...address(0, memory, offset));
export const storeVector = (memory: MemoryIndex, offset: number): number[] =>
  vector(11, ...address(0, memory, offset));
export const SPLAT_F32 = vector(19);
export const constantVector = (bytes: Code): number[] => vector(12, ...bytes);
/** Selects bytes of the first vector by the indexes in the second vector. */
export const SWIZZLE = vector(14);
export const FLOATS_OF_INTEGERS = vector(250);
export const ADD_FLOATS = vector(228);
export const MULTIPLY_FLOATS = vector(230);

function address(alignment: number, memory: MemoryIndex, offset: number): number[] {
  return memory === 0 ? [alignment, ...unsigned(offset)] : [alignment | 0x40, memory, ...unsigned(offset)];
}
