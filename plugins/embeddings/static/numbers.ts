export type Numbers = Int8Array | Float32Array | Float64Array;

/** How the numbers of a tensor are read: `bytes` for each, with the lowest one first. */
export interface NumberType {
  readonly bytes: number;
  /** Reads whole numbers' bytes, which are aligned as the numbers are. */
  read(bytes: Uint8Array): Numbers;
}

/** The types of numbers that embeddings and weights can be written in, by their names in the file. */
export const FLOATS: Readonly<Record<string, NumberType>> = {
  I8: { bytes: 1, read: ({ buffer, length }) => new Int8Array(buffer, 0, length) },
  F16: { bytes: 2, read: readEach(2, (view, at) => fromHalf(view.getUint16(at, true))) },
  BF16: { bytes: 2, read: readEach(2, (view, at) => fromBrain(view.getUint16(at, true))) },
  F32: { bytes: 4, read: readEach(4, (view, at) => view.getFloat32(at, true)) },
  F64: { bytes: 8, read: readEach(8, (view, at) => view.getFloat64(at, true)) },
};

/** The types of numbers that numbers of rows can be written in. */
export const INTEGERS: Readonly<Record<string, NumberType>> = {
  U8: { bytes: 1, read: readEach(1, (view, at) => view.getUint8(at)) },
  U16: { bytes: 2, read: readEach(2, (view, at) => view.getUint16(at, true)) },
  I32: { bytes: 4, read: readEach(4, (view, at) => view.getInt32(at, true)) },
  U32: { bytes: 4, read: readEach(4, (view, at) => view.getUint32(at, true)) },
  I64: { bytes: 8, read: readEach(8, (view, at) => Number(view.getBigInt64(at, true))) },
  U64: { bytes: 8, read: readEach(8, (view, at) => Number(view.getBigUint64(at, true))) },
};

export function isAllFinite(values: Numbers): boolean {
  if (values instanceof Int8Array) return true;
  for (let index = 0; index < values.length; index++) {
    if (!Number.isFinite(Math.fround(values[index] as number))) return false;
  }
  return true;
}

export function isAllBelow(values: Numbers, limit: number): boolean {
  return values.every((value) => value >= 0 && value < limit);
}

function readEach(bytes: number, read: (view: DataView, at: number) => number) {
  return (source: Uint8Array): Float64Array => {
    const view = new DataView(source.buffer, source.byteOffset, source.length);
    const values = new Float64Array(source.length / bytes);
    for (let index = 0; index < values.length; index++) values[index] = read(view, index * bytes);
    return values;
  };
}

/** A number of 1 sign, 5 exponent and 10 fraction bits. */
function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

const cell = new DataView(new ArrayBuffer(4));

/** The upper half of a single-precision number. */
function fromBrain(bits: number): number {
  cell.setUint32(0, bits << 16);
  return cell.getFloat32(0);
}
