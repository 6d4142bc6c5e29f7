import { release } from '../../engine/memory.ts';

/** Memory of pieces that may be freed: only their reader and the documents in them refer to it. */
const PIECES = new WeakSet<ArrayBufferLike>();

/** Allocates memory for a piece of a file. The reader must not use the piece after passing it on. */
export function allocatePiece(bytes: number): Buffer {
  const piece = Buffer.allocUnsafeSlow(bytes);
  PIECES.add(piece.buffer);
  return piece;
}

/**
 * Frees the memory of pieces whose documents are all done, and of documents with their own memory. Otherwise
 * garbage collection would have to collect the whole heap ten times a second.
 */
export class PieceReleaser {
  #last: ArrayBuffer | undefined;

  /** Called for each document that is no longer used, in the order of reading. */
  done(document: unknown): void {
    const bytes = document instanceof Uint8Array ? document : undefined;
    const memory = bytes?.buffer;
    if (memory !== this.#last) {
      this.#last?.transfer(0);
      this.#last = undefined;
    }
    if (!(memory instanceof ArrayBuffer)) return;
    if (PIECES.has(memory)) this.#last = memory;
    else if (bytes?.byteLength === memory.byteLength) release(bytes);
  }
}
