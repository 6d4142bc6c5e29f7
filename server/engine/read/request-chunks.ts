import { isDeepStrictEqual } from 'node:util';
import type { Chunk } from '../../../core/contracts/chunk.ts';
import type { WrittenChunk } from '../answer/chunk-writer.ts';
import { type Column, jsonColumn } from '../answer/chunk-writer.ts';
import type { GivenChunks } from '../stages/stages.ts';
import { findElements, findMembers, type JsonPlace } from './json.ts';

/**
 * The lists of chunks of a request, with the JSON of their metadata.
 *
 * @param listPlaces finds the lists in the body
 */
export function withMetadata(
  lists: readonly (readonly Chunk[])[],
  body: Buffer,
  listPlaces: () => readonly (JsonPlace | undefined)[],
): GivenChunks[] {
  if (!lists.some((chunks) => chunks.some(hasMetadata))) return lists.map((chunks) => ({ chunks }));
  const places = listPlaces();
  return lists.map((chunks, index) => ({
    chunks,
    metadata: metadataAt(body, (places[index] as JsonPlace).from),
  }));
}

function hasMetadata({ metadata }: Chunk): boolean {
  return typeof metadata === 'object' && metadata !== null;
}

function metadataAt(body: Buffer, list: number): (Uint8Array | undefined)[] {
  return findElements(body, list).map(({ from }) => {
    const [place] = findMembers(body, from, ['metadata']);
    return place === undefined ? undefined : body.subarray(place.from, place.to);
  });
}

/**
 * The metadata of refined chunks as it came, because a number such as 1e400 does not survive parsing. Metadata that a
 * refinery has changed is written as the refinery returned it.
 */
export function keptMetadata({ chunks, metadata }: GivenChunks, refined: readonly WrittenChunk[]): Column[] {
  if (metadata === undefined) return [];
  const given = new Map(
    chunks.map((chunk, index) => [chunk.metadata, hasMetadata(chunk) ? metadata[index] : undefined]),
  );
  const values = refined.map(({ fields }, index) => {
    const value = fields?.metadata;
    if (value === undefined) return undefined;
    // A refinery may have copied the whole chunk.
    const isCopy = () => isDeepStrictEqual(value, chunks[index]?.metadata);
    return given.get(value) ?? (isCopy() ? metadata[index] : undefined) ?? Buffer.from(JSON.stringify(value));
  });
  return [jsonColumn('metadata', values)];
}
