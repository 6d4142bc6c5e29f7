/** How the numbers of a tensor are read. */
export interface NumberType {
  readonly bytes: number;
  read(view: DataView, at: number): number;
}

/** The types of numbers that embeddings and weights can be written in, by their names in the file. */
export const FLOATS: Readonly<Record<string, NumberType>> = {
  I8: { bytes: 1, read: (view, at) => view.getInt8(at) },
  F16: { bytes: 2, read: (view, at) => fromHalf(view.getUint16(at, true)) },
  BF16: { bytes: 2, read: (view, at) => fromBrain(view.getUint16(at, true)) },
  F32: { bytes: 4, read: (view, at) => view.getFloat32(at, true) },
  F64: { bytes: 8, read: (view, at) => view.getFloat64(at, true) },
};

/** The types of numbers that numbers of rows can be written in. */
export const INTEGERS: Readonly<Record<string, NumberType>> = {
  U8: { bytes: 1, read: (view, at) => view.getUint8(at) },
  U16: { bytes: 2, read: (view, at) => view.getUint16(at, true) },
  I32: { bytes: 4, read: (view, at) => view.getInt32(at, true) },
  U32: { bytes: 4, read: (view, at) => view.getUint32(at, true) },
  I64: { bytes: 8, read: (view, at) => Number(view.getBigInt64(at, true)) },
  U64: { bytes: 8, read: (view, at) => Number(view.getBigUint64(at, true)) },
};

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
