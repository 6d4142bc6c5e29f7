/** A slot holds `rank + 1` in its lower bits and bits of the hash above them; 0 is an empty slot. */
const RANK_BITS = 18;
export const RANK_MASK = (1 << RANK_BITS) - 1;

/** Whether a slot is that of bytes with another hash. */
export function isOther(slot: number, hash: number): boolean {
  return (slot ^ hash) >>> RANK_BITS !== 0;
}

/** Two bytes as one number. */
export function pairAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
}

export function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0;
  for (let index = start; index < end; index += 1) hash = hashByte(hash, bytes[index] as number);
  return hash;
}

/** The hash of bytes that go on with one more. */
export function hashByte(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, 0x5bd1e995) ^ (hash >>> 15);
}

/** The hash as slots know it. */
export function mixed(hash: number): number {
  return Math.imul(hash ^ (hash >>> 13), 0x85ebca6b) ^ (hash >>> 16);
}
