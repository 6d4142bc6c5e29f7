import { createHash } from 'node:crypto';

/** What chunks are to say of themselves, worked out in the plainest way: what answers are held against. */

export interface TextWithContext {
  readonly text: string;
  readonly context?: string | null;
}

/** The hash of a chunk. */
export function plainHash({ text, context }: TextWithContext): string {
  return sha256(context ? `${context}\n${text}` : text).toString('hex');
}

/** The ids of the chunks of a document that has an id, from their hashes. */
export function plainIds(namespace: string, documentId: string, hashes: readonly string[]): string[] {
  return hashes.map((hash, index) => {
    const before = Buffer.alloc(8);
    before.writeBigUInt64BE(BigInt(hashes.slice(0, index).filter((other) => other === hash).length));
    const parts = [sha256(namespace), sha256(documentId), Buffer.from(hash, 'hex'), before];
    return uuid8(createHash('sha256').update(Buffer.concat(parts)).digest('hex'));
  });
}

/** What is known of a document. */
interface PlainDocument {
  readonly id?: string;
  readonly text: string;
  readonly pages: readonly number[];
}

interface PlacedChunk extends TextWithContext {
  readonly id?: unknown;
  readonly start_index: number;
  readonly end_index: number;
}

/** All fields of the chunks of a document of the namespace `n`, whose offsets are UTF-16; ids as they are if it has none. */
export function plainFields(chunks: readonly PlacedChunk[], { id, text, pages }: PlainDocument): object[] {
  const hashes = chunks.map(plainHash);
  const ids = id === undefined ? chunks.map((chunk) => chunk.id) : plainIds('n', id, hashes);
  return chunks.map(({ start_index, end_index }, index) => ({
    id: ids[index],
    document_id: id ?? null,
    index,
    hash: hashes[index],
    metadata: null,
    first_line: plainLine(text, start_index),
    last_line: plainLine(text, end_index - 1),
    first_page: plainPage(pages, start_index),
    last_page: plainPage(pages, end_index - 1),
    previous_id: ids[index - 1] ?? null,
    next_id: ids[index + 1] ?? null,
  }));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text.toWellFormed(), 'utf8').digest();
}

function uuid8(hex: string): string {
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
  const marked = `${hex.slice(0, 12)}8${hex.slice(13, 16)}${variant}${hex.slice(17, 32)}`;
  return marked.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** The line of a character, from 1: how many lines end before it, and one. @param at its UTF-16 offset */
export function plainLine(text: string, at: number): number {
  const ends = [...text.matchAll(/\r\n|\r|\n/g)].map(({ index, 0: end }) => index + end.length);
  return ends.filter((end) => end <= at).length + 1;
}

/** The page of a character, from 1. @param pages where they begin, in the unit of the offset */
export function plainPage(pages: readonly number[], at: number): number {
  return pages.filter((page) => page <= at).length;
}
