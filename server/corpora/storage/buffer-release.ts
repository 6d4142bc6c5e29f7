import { release } from '../../engine/memory.ts';

/** Memory of pieces. It may be freed, because only documents within a piece still refer to the piece. */
const PIECES = new WeakSet<ArrayBufferLike>();

/** Allocates memory for a piece of a file. After passing the piece on, a reader must not use it again. */
export function allocatePiece(bytes: number): Buffer {
  const piece = Buffer.allocUnsafeSlow(bytes);
  PIECES.add(piece.buffer);
  return piece;
}

/**
 * Frees the memory of a piece once all its documents are done, and of documents with their own memory.
 * Without this, garbage collection would search the whole heap ten times a second.
 */
export class PieceReleaser {
  #last: ArrayBuffer | undefined;

  /** Called once for each document that is no longer used, in the order in which documents were read. */
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
