import type { ChunkedDocuments } from '../../corpus/chunk-documents.ts';
import { type ChangeCounts, deletedLine, type EarlierIds } from './earlier-ids.ts';

const LINE_FEED = 0x0a;

/**
 * Leaves of lines of chunks those that are new, and adds a line for each that is not there any more.
 *
 * @param counts is added to
 */
export function onlyChanges(
  group: ChunkedDocuments,
  earlier: EarlierIds,
  counts: ChangeCounts,
): ChunkedDocuments {
  const bytes = Buffer.from(group.bytes.buffer, group.bytes.byteOffset, group.bytes.length);
  const kept: Buffer[] = [];
  let at = 0;
  for (const { id, ids, error } of group.documents) {
    if (error !== undefined) continue;
    const { isOld, deleted } = earlier.changesOf(id, ids);
    for (const old of isOld) {
      const end = bytes.indexOf(LINE_FEED, at) + 1;
      if (!old) kept.push(bytes.subarray(at, end));
      at = end;
    }
    for (const one of deleted) kept.push(Buffer.from(deletedLine(one, id as string)));
    const unchanged = isOld.filter(Boolean).length;
    counts.unchanged += unchanged;
    counts.added += isOld.length - unchanged;
    counts.deleted += deleted.length;
  }
  return { ...group, bytes: Buffer.concat(kept) };
}
