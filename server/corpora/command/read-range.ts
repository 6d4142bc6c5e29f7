import { inOwnTerms } from '../../cli/own-terms.ts';
import type { ServiceCradle } from '../../service-container.ts';
import type { JobSpec } from '../jobs/spec.ts';
import { decodeWith, readDocuments } from '../read-documents.ts';
import type { ShardRange, Skip, SourceDocument } from '../shard.ts';
import type { SourceStorage } from '../storage/storage.ts';
import { seen } from '../unseen-files.ts';

interface RangeOptions {
  readonly storage: SourceStorage;
  readonly spec: JobSpec;
  /** Maximum bytes of a document. */
  readonly limit: number;
  readonly cradle: ServiceCradle;
  readonly signal: AbortSignal;
  /** Whether documents may arrive slowly, as on standard input. */
  readonly isLive?: boolean;
  onSkipped(skip: Skip): void;
}

/** Reads the documents of a range, in the thread that calls it. Skips are in the terms of the command line. */
export async function* readRange(
  range: ShardRange,
  { storage, spec, limit, cradle, signal, isLive, onSkipped }: RangeOptions,
): AsyncGenerator<readonly SourceDocument[]> {
  yield* readDocuments(storage, await seen(storage, range), {
    fields: spec.source.fields,
    limit,
    decode: decodeWith(cradle, spec, signal),
    signal,
    ...(isLive !== undefined && { isLive }),
    onSkipped: (skip) => onSkipped({ ...skip, detail: inOwnTerms(skip.detail) }),
  });
}
