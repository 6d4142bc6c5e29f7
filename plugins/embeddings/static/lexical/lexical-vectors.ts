import { readFileSync } from 'node:fs';
import { forEachPart } from './parts.ts';

/** Changes with the parts, their hashes and their rows: vectors of different versions cannot be compared. */
export const LEXICAL_VERSION = 'parts-2';

/** Frequent parts, each of which has a trained row. */
const PARTS = 11_262;
/** Numbers of a row, each of 4 bits, and what they have more than they mean. */
const ROW = 256;
const MIDDLE = 8;

/** Dimensions that the hash of a part is added to, each with a sign, and what a part without a row counts there. */
const SIGNS = 4;
const RAREST = 6;

/**
 * Writes into `target` a vector of length 1 for the parts of a text, whatever its script; zeros if it has no letter,
 * digit or pictograph. Texts have similar vectors if they share parts that are not frequent, or have parts of the same
 * topics.
 */
export type LexicalVectors = (text: string, target: Float32Array) => void;

export function createLexicalVectors(dimensions: number): LexicalVectors {
  const { places, scales, levels, weights } = readRows();
  const sums = new Float64Array(dimensions);
  const width = Math.min(ROW, dimensions);

  /** Adds a part's row, and its signs to the dimensions after those of rows. */
  function addRow(part: number, place: number, times: number): void {
    const scale = times * (scales[place] as number);
    const from = place * ROW;
    for (let at = 0; at < width; at++) {
      sums[at] = (sums[at] as number) + scale * (levels[from + at] as number);
    }
    if (dimensions > ROW) addSigns(sums, ROW, part, times * (weights[place] as number));
  }

  return (text, target) => {
    const counts = new Map<number, number>();
    forEachPart(text, (part) => counts.set(part, (counts.get(part) ?? 0) + 1));
    sums.fill(0);
    for (const [part, count] of counts) {
      const times = 1 + Math.log(count);
      const place = places.get(part);
      if (place === undefined) addSigns(sums, 0, part, times * RAREST);
      else addRow(part, place, times);
    }
    const scale = inverse(sums);
    for (let at = 0; at < dimensions; at++) target[at] = (sums[at] as number) * scale;
  };
}

interface Rows {
  /** The row of a part, by its hash. */
  readonly places: ReadonlyMap<number, number>;
  /** What a level of each row means. */
  readonly scales: Float32Array;
  /** The numbers of all rows. */
  readonly levels: Int8Array;
  /** What each part counts in a dimension of its signs, so that these are as long as its row. */
  readonly weights: Float64Array;
}

let read: Rows | undefined;

/** The rows of frequent parts; read when a text first needs them. */
function readRows(): Rows {
  read ??= parseRows(readFileSync(new URL(`${LEXICAL_VERSION}.bin`, import.meta.url)));
  return read;
}

function parseRows(file: Buffer): Rows {
  const scales = Float32Array.from({ length: PARTS }, (_, place) => file.readFloatLE(4 * (PARTS + place)));
  const levels = new Int8Array(PARTS * ROW);
  for (const [at, pair] of file.subarray(8 * PARTS).entries()) {
    levels[2 * at] = (pair & 15) - MIDDLE;
    levels[2 * at + 1] = (pair >> 4) - MIDDLE;
  }
  return {
    places: new Map(Array.from(scales, (_, place) => [file.readUInt32LE(4 * place), place])),
    scales,
    levels,
    weights: Float64Array.from(scales, (scale, place) => scale * halfLength(levels, place)),
  };
}

/** Half of the length of a row in levels: the length of four signs is twice what each counts. */
function halfLength(levels: Int8Array, place: number): number {
  const row = levels.subarray(place * ROW, (place + 1) * ROW);
  return Math.sqrt(row.reduce((sum, level) => sum + level ** 2, 0) / SIGNS);
}

/** Adds a part to the dimensions from `first` on. */
function addSigns(sum: Float64Array, first: number, part: number, weight: number): void {
  let bits = part;
  for (let sign = 0; sign < SIGNS; sign++) {
    bits = (Math.imul(bits ^ (bits >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    const at = first + ((bits >>> 8) % (sum.length - first));
    sum[at] = (sum[at] as number) + ((bits & 1) === 1 ? weight : -weight);
  }
}

function inverse(vector: Float64Array): number {
  const square = vector.reduce((sum, value) => sum + value * value, 0);
  return square === 0 ? 0 : 1 / Math.sqrt(square);
}
