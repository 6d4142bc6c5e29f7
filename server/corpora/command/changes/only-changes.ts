import { invalid } from '../../../../core/errors.ts';
import { type ChunkedDocument, type ChunkedDocuments, withLines } from '../../chunk-documents.ts';
import { placeInWords } from '../../shard.ts';
import { type ChangeCounts, deletedLines, type EarlierIds } from './earlier-ids.ts';

/**
 * Keeps only the lines of new chunks, and adds a line for each deleted one.
 *
 * @param counts is added to
 * @throws ServiceError `invalid_parameters` if documents or chunks have no ids to compare them by
 */
export function onlyChanges(
  group: ChunkedDocuments,
  earlier: EarlierIds,
  counts: ChangeCounts,
): ChunkedDocuments {
  const kept: Buffer[] = [];
  for (const { document, lines } of withLines(group)) {
    if (document.error !== undefined) continue;
    const id = idOf(document);
    const { isOld, deleted } = earlier.changesOf(id, document.ids);
    kept.push(...lines.filter((_, index) => !isOld[index]));
    kept.push(Buffer.from(deletedLines(deleted, id)));
    addChanges(counts, isOld, deleted);
  }
  return { ...group, bytes: Buffer.concat(kept) };
}

/** Counts what has changed in a document. */
export function addChanges(
  counts: ChangeCounts,
  isOld: readonly boolean[],
  deleted: readonly string[],
): void {
  const unchanged = isOld.filter(Boolean).length;
  counts.unchanged += unchanged;
  counts.added += isOld.length - unchanged;
  counts.deleted += deleted.length;
}

function idOf(document: ChunkedDocument): string {
  const { id, source } = document;
  checkIds(document);
  if (id !== undefined) return id;
  throw invalid(
    `--since: the document of ${placeInWords(source.place)} has no id; name the member that holds it with --id-field`,
  );
}

/** @throws ServiceError `invalid_parameters` if the chunks of a document have no ids */
export function checkIds({ chunks, ids }: ChunkedDocument): void {
  if (ids.length === chunks) return;
  throw invalid(
    '--include: the chunks have no ids, which a later run needs to tell what has changed; add id',
  );
}
