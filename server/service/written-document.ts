import type { WrittenChunk, WrittenDocument } from '../wire/chunk-writer.ts';
import { type DocumentChunks, writtenChunks } from './document-chunks.ts';
import type { Input } from './execution.ts';
import { keptMetadata } from './given-chunks.ts';
import { addedFields, idsOf } from './included-fields.ts';
import type { Plan } from './plan.ts';

/** The chunks of one input as they are written, with the fields that the request asks for. */
export function writtenDocument(input: Input, chunks: DocumentChunks, plan: Plan): WrittenDocument {
  const written = writtenChunks(chunks);
  if ('chunks' in input) return { chunks: written, ids: undefined, columns: keptMetadata(input, written) };
  const { include, namespace, stages, pipeline } = plan;
  const asked = { include, namespace, steps: pipeline ?? stages };
  const { ids, columns } = addedFields(input, chunks, asked);
  if (pipeline === undefined) return { chunks: written, ids, columns };
  return { chunks: written.map(withPipelineFields), ids: ids ?? idsOf(input, chunks, asked), columns };
}

const NO_FIELDS = Object.freeze({ context: null, embedding: null });

/** The chunk with the further fields that every chunk of a pipeline has. */
function withPipelineFields(chunk: WrittenChunk): WrittenChunk {
  const { fields } = chunk;
  if (fields === undefined) return { ...chunk, fields: NO_FIELDS };
  const { context = null, embedding = null } = fields;
  return { ...chunk, fields: { ...fields, context, embedding } };
}
