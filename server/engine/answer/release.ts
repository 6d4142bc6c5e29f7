/**
 * Frees the memory of an array at once, unless it is shared; the array must not be used afterwards. Large arrays left
 * to the garbage collector make V8 collect the whole heap every few requests.
 */
export function release(bytes: Uint8Array): void {
  const isAlone = bytes.byteLength > Buffer.poolSize && bytes.buffer instanceof ArrayBuffer;
  if (isAlone && !bytes.buffer.detached) bytes.buffer.transfer(0);
}
