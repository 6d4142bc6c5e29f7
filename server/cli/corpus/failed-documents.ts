import { closeSync, writeSync } from 'node:fs';
import type { ChunkedDocument } from '../../corpus/chunk-documents.ts';
import { placeInWords } from '../../corpus/shard.ts';
import { type Skip, skipLine } from '../../corpus/skips.ts';
import { failedDocumentLine } from '../../jobs/part-files.ts';
import { openToWrite } from './lines-file.ts';

/** Failures that are shown; the file has all. */
const MOST_SHOWN = 10;

/** Says which documents failed: in a file that has all of them and what was skipped, and the first on standard error. */
export class FailedDocuments {
  readonly #file: number | undefined;
  #count = 0;

  /** @param path of the file; it is there from the beginning on, and empty if nothing fails */
  constructor(path: string | undefined) {
    this.#file = path === undefined ? undefined : openToWrite(path);
  }

  add(document: ChunkedDocument): void {
    if (this.#file !== undefined) writeSync(this.#file, failedDocumentLine(document));
    else if (++this.#count <= MOST_SHOWN)
      process.stderr.write(`${nameOf(document)}: ${document.error?.detail}\n`);
  }

  addSkipped(skip: Skip): void {
    if (this.#file !== undefined) writeSync(this.#file, skipLine(skip));
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    const more = this.#count - MOST_SHOWN;
    if (more > 0) process.stderr.write(`${more} more documents failed; --errors FILE lists all\n`);
  }
}

/** A document as a person finds it. */
export function nameOf({ source: { place }, id }: ChunkedDocument): string {
  const name = placeInWords(place);
  return id === undefined || id === place.source ? name : `${name} (${id})`;
}
