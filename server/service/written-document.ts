import type { WrittenDocument } from '../wire/chunk-writer.ts';
import { type DocumentChunks, writtenChunks } from './document-chunks.ts';
import type { Input } from './execution.ts';
import { keptMetadata } from './given-chunks.ts';
import { addedFields, idsOf } from './included-fields.ts';
import type { Plan } from './plan.ts';

/** The further fields that every chunk of a pipeline has, null if nothing made them. */
const PIPELINE_FIELDS = Object.freeze({ context: null, embedding: null });
const NONE = Object.freeze({});

/** The chunks of one input as they are written, with the fields that the request asks for. */
export function writtenDocument(input: Input, given: DocumentChunks, plan: Plan): WrittenDocument {
  const chunks = writtenChunks(given);
  if ('chunks' in input)
    return { chunks, ids: undefined, nullable: NONE, columns: keptMetadata(input, chunks) };
  const { include, namespace, stages, pipeline } = plan;
  const asked = { include, namespace, steps: pipeline ?? stages };
  const { ids, columns } = addedFields(input, given, asked);
  if (pipeline === undefined) return { chunks, ids, nullable: NONE, columns };
  return { chunks, ids: ids ?? idsOf(input, given, asked), nullable: PIPELINE_FIELDS, columns };
}
