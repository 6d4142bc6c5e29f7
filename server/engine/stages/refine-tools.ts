import { isDeepStrictEqual } from 'node:util';
import type { Chunk, OffsetUnit } from '../../../core/contracts/chunk.ts';
import { countCodePoints } from '../../../core/engine/cuts/cuts.ts';

/** The length of a text in a unit. */
export type Length = (text: string) => number;

export const LENGTHS: Readonly<Record<OffsetUnit, Length>> = {
  code_point: (text) => countCodePoints(text, 0, text.length),
  utf16: (text) => text.length,
  byte: (text) => Buffer.byteLength(text),
};

/**
 * The length of a chunk's text in its unit; `undefined` if its text differs from its stretch of the source. If
 * several units fit, the text has only characters for which they are the same.
 */
function lengthIn({ text, start_index, end_index }: Chunk, lengths: readonly Length[]): Length | undefined {
  return lengths.find((length) => length(text) === end_index - start_index);
}

/** A part of a chunk, see `RefineTools.part`. @param lengths the possible units of its offsets */
export function partOf(
  chunk: Chunk,
  start: number,
  end: number,
  fields: Partial<Chunk>,
  lengths: readonly Length[],
): Chunk {
  const text = chunk.text.slice(start, end);
  const length = lengthIn(chunk, lengths);
  if (length === undefined) return { ...chunk, ...fields, text };
  const start_index = chunk.start_index + length(chunk.text.slice(0, start));
  return { ...chunk, ...fields, text, start_index, end_index: start_index + length(text) };
}

/** Neighbours as one chunk, see `RefineTools.join`. @param lengths the possible units of their offsets */
export function joinChunks(
  chunks: readonly Chunk[],
  fields: Partial<Chunk>,
  lengths: readonly Length[],
): Chunk {
  const [first, ...others] = chunks;
  if (first === undefined) throw new TypeError('join needs at least one chunk');
  let { text, end_index, token_count } = first;
  for (const next of others) {
    text += textBehind(next, end_index, lengthIn(next, lengths));
    end_index = Math.max(end_index, next.end_index);
    token_count += next.token_count;
  }
  const places = placesOf(chunks);
  return {
    ...first,
    ...endOf(chunks.at(-1) as Chunk),
    ...(places.length > 0 && { places }),
    token_count,
    ...fields,
    text,
    end_index,
  };
}

/** Fields about the end of a chunk and what follows: joined chunks take those of the last one. */
const OF_THE_END = ['last_page', 'last_line', 'next_id'] as const;

function endOf(chunk: Chunk): Readonly<Record<string, unknown>> {
  const fields = chunk as Chunk & Readonly<Record<string, unknown>>;
  return Object.fromEntries(OF_THE_END.flatMap((name) => (name in fields ? [[name, fields[name]]] : [])));
}

/** The places of all chunks; of a line that two of them share, once. */
function placesOf(chunks: readonly Chunk[]): unknown[] {
  const all = chunks.flatMap(({ places }) => (Array.isArray(places) ? (places as unknown[]) : []));
  return all.filter((place, index) => index === 0 || !isDeepStrictEqual(place, all[index - 1]));
}

/** The text of a chunk after an offset, so that shared text is joined once. */
function textBehind({ text, start_index }: Chunk, offset: number, length: Length | undefined): string {
  if (length === undefined) return text;
  let [at, place] = [0, start_index];
  for (const character of text) {
    if (place >= offset) break;
    place += length(character);
    at += character.length;
  }
  return text.slice(at);
}
