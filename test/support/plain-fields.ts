import { createHash } from 'node:crypto';

/** What chunks are to say of themselves, worked out in the plainest way: what answers are held against. */

export const ALL_FIELDS = [
  'id',
  'document_id',
  'index',
  'hash',
  'metadata',
  'lines',
  'pages',
  'neighbours',
] as const;

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

function sha256(text: string): Buffer {
  return createHash('sha256').update(text.toWellFormed(), 'utf8').digest();
}

function uuid8(hex: string): string {
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
  const groups = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return groups.join('-');
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
