import { readFileSync } from 'node:fs';
import { forEachPart } from './parts.ts';

/** Changes with the parts, their hashes and their table: vectors of different versions cannot be compared. */
export const LEXICAL_VERSION = 'parts-1';

/** Parts in the table of frequent parts. */
const PARTS = 16_384;
/** What a weight of 1 is in the table. */
const WHOLE = 255;

/** Dimensions that the hash of a part is added to, each with a sign. */
const SIGNS = 4;

/**
 * Writes into `target` a vector of length 1 for the parts of a text, whatever its script; zeros if it has no letter,
 * digit or pictograph. Texts have similar vectors if they share parts that are not frequent.
 */
export type LexicalVectors = (text: string, target: Float32Array) => void;

export function createLexicalVectors(dimensions: number): LexicalVectors {
  const weights = readWeights();
  const sums = new Float64Array(dimensions);
  return (text, target) => {
    const counts = new Map<number, number>();
    forEachPart(text, (part) => counts.set(part, (counts.get(part) ?? 0) + 1));
    sums.fill(0);
    for (const [part, count] of counts)
      addSigns(sums, part, (1 + Math.log(count)) * (weights.get(part) ?? 1));
    const scale = inverse(sums);
    for (let at = 0; at < dimensions; at++) target[at] = (sums[at] as number) * scale;
  };
}

let read: ReadonlyMap<number, number> | undefined;

/** How much each frequent part counts, by its hash; read when a text first needs it. */
function readWeights(): ReadonlyMap<number, number> {
  if (read !== undefined) return read;
  const { buffer } = Uint8Array.from(readFileSync(new URL(`${LEXICAL_VERSION}.bin`, import.meta.url)));
  const weights = new Uint8Array(buffer, Uint32Array.BYTES_PER_ELEMENT * PARTS);
  const hashes = new Uint32Array(buffer, 0, PARTS);
  read = new Map(Array.from(hashes, (hash, row) => [hash, (weights[row] as number) / WHOLE]));
  return read;
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
