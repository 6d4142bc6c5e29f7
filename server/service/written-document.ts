import type { WrittenDocument } from '../wire/chunk-writer.ts';
import { type DocumentChunks, writtenChunks } from './document-chunks.ts';
import type { Input } from './execution.ts';
import { keptMetadata } from './given-chunks.ts';
import { addedFields, idsOf } from './included-fields.ts';
import type { Plan } from './plan.ts';

/** The further fields that every chunk of a pipeline has, null if nothing made them. */
const PIPELINE_FIELDS = Object.freeze({ context: null, embedding: null });
const NONE = Object.freeze({});

/** The bytes of a chunk without text, with offsets of one digit. */
const SMALLEST_CHUNK = '{"text":"","start_index":0,"end_index":0,"token_count":0},'.length;

/** Bytes that the chunks of an input will take at least: what is too large is refused before it is made. */
export function leastBytes(input: Input, { spans, refined, places }: DocumentChunks, plan: Plan): number {
  const count = refined?.chunks.length ?? spans.length;
  const hasMetadata = !('chunks' in input) && plan.include.includes('metadata');
  const each = SMALLEST_CHUNK + (hasMetadata ? (input.about?.metadata?.length ?? 0) : 0);
  let texts = 0;
  if (refined === undefined && places !== undefined)
    for (let index = 0; index < count; index++)
      texts += (places.to[index] as number) - (places.from[index] as number);
  return count * each + texts;
}

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
