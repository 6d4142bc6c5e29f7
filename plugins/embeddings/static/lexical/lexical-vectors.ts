import { readFileSync } from 'node:fs';
import { forEachPart } from './parts.ts';

/** Changes with the parts, their hashes and their table: vectors of different versions cannot be compared. */
export const LEXICAL_VERSION = 'parts-1';

/** Parts in the table, and the length of their trained rows. */
const PARTS = 16_384;
const TRAINED = 96;

/** Dimensions that the hash of a part is added to, each with a sign. */
const SIGNS = 4;

/** How much the signed hashes count beside the trained rows. */
const HASHED_SHARE = 1.4;

/**
 * Writes into `target` a vector of length 1 for the parts of a text, whatever its script; zeros if it has no letter,
 * digit or pictograph. Texts have similar vectors if they share parts, or if their parts often occur near each other.
 */
export type LexicalVectors = (text: string, target: Float32Array) => void;

export function createLexicalVectors(dimensions: number): LexicalVectors {
  const table = readTable();
  const trained = new Float64Array(Math.min(TRAINED, dimensions));
  const hashed = new Float64Array(dimensions);
  return (text, target) => {
    const counts = new Map<number, number>();
    forEachPart(text, (part) => counts.set(part, (counts.get(part) ?? 0) + 1));
    trained.fill(0);
    hashed.fill(0);
    for (const [part, count] of counts) {
      const times = 1 + Math.log(count);
      const row = table.rows.get(part);
      addSigns(hashed, part, row === undefined ? times : times * (table.weights[row] as number));
      if (row !== undefined) addRow(trained, table, row, times);
    }
    const hashedFactor = HASHED_SHARE * inverse(hashed);
    const trainedFactor = inverse(trained);
    for (let at = 0; at < dimensions; at++)
      hashed[at] = (hashed[at] as number) * hashedFactor + (trained[at] ?? 0) * trainedFactor;
    const scale = inverse(hashed);
    for (let at = 0; at < dimensions; at++) target[at] = (hashed[at] as number) * scale;
  };
}

interface PartTable {
  /** The row of each part, by its hash. */
  readonly rows: ReadonlyMap<number, number>;
  /** How much each part counts: frequent ones count little. */
  readonly weights: Float32Array;
  readonly scales: Float32Array;
  readonly numbers: Int8Array;
}

let read: PartTable | undefined;

/** Reads the table when a text first needs it. */
function readTable(): PartTable {
  if (read !== undefined) return read;
  const { buffer } = Uint8Array.from(readFileSync(new URL(`${LEXICAL_VERSION}.bin`, import.meta.url)));
  const hashes = new Uint32Array(buffer, 0, PARTS);
  read = {
    rows: new Map(Array.from(hashes, (hash, row) => [hash, row])),
    weights: new Float32Array(buffer, 4 * PARTS, PARTS),
    scales: new Float32Array(buffer, 8 * PARTS, PARTS),
    numbers: new Int8Array(buffer, 12 * PARTS, TRAINED * PARTS),
  };
  return read;
}

function addRow(sum: Float64Array, { scales, numbers }: PartTable, row: number, times: number): void {
  const factor = times * (scales[row] as number);
  for (let at = 0; at < sum.length; at++)
    sum[at] = (sum[at] as number) + factor * (numbers[row * TRAINED + at] as number);
}

function addSigns(sum: Float64Array, part: number, weight: number): void {
  let bits = part;
  for (let sign = 0; sign < SIGNS; sign++) {
    bits = (Math.imul(bits ^ (bits >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    const at = (bits >>> 8) % sum.length;
    sum[at] = (sum[at] as number) + ((bits & 1) === 1 ? weight : -weight);
  }
}

function inverse(vector: Float64Array): number {
  const square = vector.reduce((sum, value) => sum + value * value, 0);
  return square === 0 ? 0 : 1 / Math.sqrt(square);
}
