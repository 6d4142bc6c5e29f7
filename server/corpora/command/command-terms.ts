import { inOwnTerms } from '../../cli/own-terms.ts';
import type { ChunkedDocument, Chunking } from '../chunk-documents.ts';

/** Rewords errors of documents for the command line. */
export function inCommandTerms(chunking: Chunking): Chunking {
  return async function* (...given) {
    for await (const { bytes, documents } of chunking(...given))
      yield { bytes, documents: documents.map(withOwnTerms) };
  };
}

function withOwnTerms(document: ChunkedDocument): ChunkedDocument {
  const { error } = document;
  if (error === undefined) return document;
  const { status, detail } = error;
  return { ...document, error: { status, detail: inOwnTerms(detail) } };
}
