import { ServiceError } from '../../../../core/errors.ts';
import { ChunksmithError } from '../../../clients/javascript/errors.ts';
import {
  type ChunkedDocument,
  type DocumentError,
  failedDocument,
} from '../../../corpora/chunk-documents.ts';
import type { JobSpec } from '../../../corpora/jobs/spec.ts';
import type { SourceDocument } from '../../../corpora/shard.ts';
import { findElements, findMembers, type JsonPlace } from '../../../engine/read/json.ts';

const LINE_FEED = Buffer.from('\n');
const ID = /^\{"id":"([^"]+)"/;
/** The first bytes, which contain the id of a chunk. */
const ID_BYTES = 60;

/** The server's last line, if it stops before the stream is complete. */
const STOPPING = new ServiceError('shutting_down');

/** The answer to a document as it is written, and the outcome of the document. */
export interface AnsweredLine {
  readonly bytes: readonly Uint8Array[];
  readonly document: ChunkedDocument;
}

/**
 * Reads the answer to a line of a stream.
 *
 * @throws ChunksmithError if the server stops, so that the document has to be sent again
 */
export function answeredLine(line: Buffer, source: SourceDocument, group: JobSpec['group']): AnsweredLine {
  const [chunks, error, idPlace, empty] = findMembers(line, 0, ['chunks', 'error', 'id', 'embedding_empty']);
  const id = idPlace === undefined ? undefined : (JSON.parse(textAt(line, idPlace)) as string);
  if (chunks === undefined) {
    const { status, detail } = JSON.parse(textAt(line, error as JsonPlace)) as DocumentError;
    if (detail === STOPPING.detail) throw new ChunksmithError({ code: 'refused', status, detail });
    return { bytes: [], document: failedDocument(source, id, { status, detail }) };
  }
  const places = findElements(line, chunks.from);
  const ids = places.flatMap((place) => idAt(line, place));
  const embedding_empty = empty === undefined ? 0 : Number(textAt(line, empty));
  const document = { source, id, chunks: places.length, embedding_empty, ids, error: undefined };
  if (group === 'chunk') {
    return { bytes: places.flatMap(({ from, to }) => [line.subarray(from, to), LINE_FEED]), document };
  }
  const head = Buffer.from(`{"document_id":${JSON.stringify(id ?? null)},"chunks":`);
  return { bytes: [head, line.subarray(chunks.from, chunks.to), Buffer.from('}\n')], document };
}

function textAt(line: Buffer, { from, to }: JsonPlace): string {
  return line.subarray(from, to).toString();
}

function idAt(line: Buffer, { from, to }: JsonPlace): string[] {
  const [, id] = ID.exec(line.subarray(from, Math.min(to, from + ID_BYTES)).toString('latin1')) ?? [];
  return id === undefined ? [] : [id];
}

/** A document that could not be read, and was not sent. */
export function failedLine(source: SourceDocument): ChunkedDocument {
  return failedDocument(source, undefined, source.document as ServiceError);
}
