import { release } from '../../engine/memory.ts';

/** Reusable memory of pieces that only their reader and the documents in them refer to. */
const PIECES = new WeakSet<ArrayBufferLike>();

/** Allocates memory for a piece of a file; its reader passes the piece on and does not use it again. */
export function allocatePiece(bytes: number): Buffer {
  const piece = Buffer.allocUnsafeSlow(bytes);
  PIECES.add(piece.buffer);
  return piece;
}

/**
 * Frees the memory of pieces once all their documents are done, and of documents with memory of their own. The
 * garbage collector would have to collect the whole heap ten times a second for that.
 */
export class PieceReleaser {
  /** The piece that contains the last document: the beginning of the next one may also be in it. */
  #last: ArrayBuffer | undefined;

  /** Called for each document that is done and no longer used, in the order in which they were read. */
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
