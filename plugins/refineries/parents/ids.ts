import { hash } from 'node:crypto';

/** The id of the next parent of a document. @param documentId that of the document, if it has one */
export type IdOf = (documentId: unknown, text: string) => string;

/**
 * Makes ids of the parents of one list of chunks: UUIDs of version 8 (RFC 9562), the first 16 bytes of a SHA-256 over the id
 * of the document, the text of the parent, and how many parents before it have the same. So an edit keeps the ids of
 * the parents that it does not touch, and a passage that stands twice has two.
 */
export function createIds(): IdOf {
  const seen = new Map<string, number>();
  return (documentId, text) => {
    const id = typeof documentId === 'string' ? documentId : null;
    const seed = hash('sha256', `${JSON.stringify(['parent', id])}\n${text}`, 'hex');
    const before = seen.get(seed) ?? 0;
    seen.set(seed, before + 1);
    return toUuid(hash('sha256', `${seed} ${before}`, 'hex'));
  };
}

/** @param digits of the hash, hexadecimal */
function toUuid(digits: string): string {
  const variant = ((Number.parseInt(digits.charAt(16), 16) & 3) | 8).toString(16);
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`];
  return [...parts, `${variant}${digits.slice(17, 20)}`, digits.slice(20, 32)].join('-');
}
