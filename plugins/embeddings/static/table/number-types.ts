export type Numbers = Int8Array | Float32Array | Float64Array;

/** How a tensor's numbers are read, each from `bytes` bytes in little-endian order. */
export interface NumberType {
  readonly bytes: number;
  /** Reads bytes from the start of their buffer on, as many as whole numbers have. */
  read(bytes: Uint8Array): Numbers;
}

/** What embeddings and weights can be written in, by the names that the file uses. */
export const FLOATS: Readonly<Record<string, NumberType>> = {
  I8: { bytes: 1, read: ({ buffer, length }) => new Int8Array(buffer, 0, length) },
  F16: { bytes: 2, read: readEach(2, (view, at) => view.getFloat16(at, true)) },
  BF16: { bytes: 2, read: readEach(2, (view, at) => fromBfloat16(view.getUint16(at, true))) },
  F32: { bytes: 4, read: readEach(4, (view, at) => view.getFloat32(at, true)) },
  F64: { bytes: 8, read: readEach(8, (view, at) => view.getFloat64(at, true)) },
};

/** What the rows of a mapping can be written in. */
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

const single = new DataView(new ArrayBuffer(4));

/** Reads bfloat16: the upper half of a number in single precision. */
function fromBfloat16(bits: number): number {
  single.setUint32(0, bits << 16);
  return single.getFloat32(0);
}
