import { release } from '../../engine/answer/release.ts';

/** Memory of pieces that nothing refers to but what reads them and the documents in them. */
const PIECES = new WeakSet<ArrayBufferLike>();

/** Memory for a piece of a file; a piece is given on, and not used again by whoever has read it. */
export function allocatePiece(bytes: number): Buffer {
  const piece = Buffer.allocUnsafeSlow(bytes);
  PIECES.add(piece.buffer);
  return piece;
}

/**
 * Frees the memory of pieces once all their documents are done, and of documents that have memory of their own. Left to the
 * garbage collector, it would have the whole heap collected ten times a second.
 */
export class PieceReleaser {
  /** The piece that the last document is part of: the beginning of the next one may be in it, too. */
  #last: ArrayBuffer | undefined;

  /** Is told of each document that is done and not used any more, in the order in which they were read. */
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
