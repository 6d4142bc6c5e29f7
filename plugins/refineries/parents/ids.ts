import { hash } from 'node:crypto';
import { toUuid } from '../../../core/engine/uuid.ts';

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
