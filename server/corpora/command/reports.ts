import { release } from '../../engine/memory.ts';
import { NO_COUNTS } from '../../store/jobs/contract.ts';
import {
  addDocument,
  addTally,
  type ChunkedDocument,
  type ChunkedDocuments,
  type Tally,
} from '../chunk-documents.ts';
import { failedDocumentLine, idsLine, idsLineOf } from '../jobs/part-files.ts';
import { placeInWords, type Skip } from '../shard.ts';
import { emptyOf, isUnreadFolder, type SkipGroup, Skips, skipLine, unreadId } from '../skips.ts';
import { type ChangeCounts, checkIds, type EarlierIds, onlyChanges } from './changes.ts';

/** Which reports a run needs besides the lines of chunks. Plain data. */
export interface Wanted {
  readonly manifest: boolean;
  readonly errors: boolean;
}

/** What a run reports about some documents, in the order of the source. Plain data. */
export interface Report extends SkipsReport {
  /** The lines of chunks. */
  readonly bytes: Uint8Array;
  readonly tally: Readonly<Tally>;
  readonly changes: ChangeCounts;
  /** The first failures in words. */
  readonly failures: readonly string[];
}

/** What a run reports about skipped files, after all documents. Plain data. */
export interface SkipsReport {
  /** Lines for the file of `--manifest`. */
  readonly manifest: string;
  /** Lines for the file of `--errors`. */
  readonly errors: string;
  readonly skips: readonly SkipGroup[];
  /** Number of documents without known ids that may exist although they were not read. */
  readonly unknown: number;
}

/** Maximum failures that are shown. */
export const MAX_SHOWN = 10;

/** Reports about documents, in the thread that has chunked them. */
export class Reporter {
  readonly #wanted: Wanted;
  readonly #earlier: EarlierIds | undefined;

  constructor(wanted: Wanted, earlier: EarlierIds | undefined) {
    this.#wanted = wanted;
    this.#earlier = earlier;
  }

  report(group: ChunkedDocuments): Report {
    const earlier = this.#earlier;
    const changes: ChangeCounts = { added: 0, unchanged: 0, deleted: 0 };
    const { bytes } = earlier === undefined ? group : onlyChanges(group, earlier, changes);
    const { skipped: _, ...none } = NO_COUNTS;
    const tally: Tally = { ...none };
    const notes = new Notes();
    for (const document of group.documents) {
      addDocument(tally, document);
      if (document.id !== undefined) earlier?.see(document.id);
      if (document.error === undefined) this.#noteDone(document, notes);
      else this.#noteFailed(document, notes);
    }
    return { bytes, tally, changes, failures: notes.failures, ...notes.report() };
  }

  #noteDone(document: ChunkedDocument, notes: Notes): void {
    const empty = emptyOf(document);
    if (empty !== undefined) this.#addSkip(empty, notes);
    if (!this.#wanted.manifest) return;
    checkIds(document);
    notes.manifest += idsLine(document);
  }

  #noteFailed(document: ChunkedDocument, notes: Notes): void {
    const { id, error } = document;
    if (this.#wanted.errors) notes.errors += failedDocumentLine(document);
    if (notes.failures.length < MAX_SHOWN) notes.failures.push(`${nameOf(document)}: ${error?.detail}`);
    if (id === undefined) notes.unknown++;
    else if (this.#wanted.manifest)
      notes.manifest += idsLine({ ...document, ids: this.#earlier?.idsOf(id) ?? [] });
  }

  /** A skipped document keeps its chunks: it still exists, but could not be read this time. */
  reportSkips(skips: readonly Skip[]): SkipsReport {
    const notes = new Notes();
    for (const skip of skips) {
      this.#addSkip(skip, notes);
      if (isUnreadFolder(skip)) notes.unknown++;
      const id = unreadId(skip);
      const ids = (id !== undefined && this.#earlier?.idsOf(id)) || [];
      if (id === undefined || ids.length === 0) continue;
      this.#earlier?.see(id);
      if (this.#wanted.manifest) notes.manifest += idsLineOf(id, ids);
    }
    return notes.report();
  }

  #addSkip(skip: Skip, notes: Notes): void {
    notes.skips.add(skip);
    if (this.#wanted.errors) notes.errors += skipLine(skip);
  }
}

class Notes {
  manifest = '';
  errors = '';
  unknown = 0;
  readonly failures: string[] = [];
  readonly skips = new Skips();

  report(): SkipsReport {
    const { manifest, errors, unknown, skips } = this;
    return { manifest, errors, unknown, skips: skips.groups };
  }
}

/** Joins reports about consecutive documents. Their bytes get a buffer of their own, which can be transferred. */
export function joinReports(
  reports: readonly Report[],
): Report & { readonly bytes: Uint8Array<ArrayBuffer> } {
  const { skipped: _, ...none } = NO_COUNTS;
  const tally: Tally = { ...none };
  for (const report of reports) addTally(tally, report.tally);
  const skips = new Skips();
  for (const group of reports.flatMap((report) => report.skips)) skips.addGroup(group);
  const sum = (count: (report: Report) => number) =>
    reports.reduce((total, report) => total + count(report), 0);
  return {
    bytes: joinBytes(reports.map(({ bytes }) => bytes)),
    tally,
    changes: {
      added: sum(({ changes }) => changes.added),
      unchanged: sum(({ changes }) => changes.unchanged),
      deleted: sum(({ changes }) => changes.deleted),
    },
    failures: reports.flatMap(({ failures }) => failures).slice(0, MAX_SHOWN),
    manifest: reports.map(({ manifest }) => manifest).join(''),
    errors: reports.map(({ errors }) => errors).join(''),
    skips: skips.groups,
    unknown: sum(({ unknown }) => unknown),
  };
}

function joinBytes(all: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(all.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const bytes of all) {
    joined.set(bytes, at);
    at += bytes.length;
    release(bytes);
  }
  return joined;
}

function nameOf({ source: { place }, id }: ChunkedDocument): string {
  const name = placeInWords(place);
  return id === undefined || id === place.source ? name : `${name} (${id})`;
}
