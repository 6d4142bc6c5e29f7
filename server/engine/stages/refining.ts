import { isDeepStrictEqual } from 'node:util';
import type { Chunk, OffsetUnit } from '../../../core/contracts/chunk.ts';
import type { RefineTools } from '../../../core/contracts/refinery.ts';
import { brokenPromise } from '../../../core/engine/chunking.ts';
import { countCodePoints } from '../../../core/engine/cuts/cuts.ts';
import type { CountedSpan } from '../../../core/engine/packing/packing.ts';
import type { PluginEntry } from '../../../core/hosting/registry.ts';
import type { Origin } from '../answer/chunk-set.ts';
import { utf16Offsets } from '../answer/offsets.ts';

export interface Refined {
  readonly chunks: readonly Chunk[];
  readonly origins: readonly Origin[];
  /** The stretches of the document that the chunks cover; `undefined` if the refinery kept them. */
  readonly spans: readonly CountedSpan[] | undefined;
}

interface RefinedSource {
  readonly text: string;
  readonly unit: OffsetUnit;
}

/**
 * Prepares one call of a refinery: creates the tools of its context, and the function that processes its result.
 *
 * @param origins origin of each given chunk
 * @param source the document; `undefined` if the request gave chunks without a document
 */
export function startRefining(
  entry: PluginEntry,
  given: readonly Chunk[],
  origins: readonly Origin[],
  source: RefinedSource | undefined,
) {
  const lengths = source === undefined ? Object.values(LENGTHS) : [LENGTHS[source.unit]];
  const surrounded = new Map<Chunk, Surrounded>();
  const tools: RefineTools = {
    surround(chunk, before, after, fields) {
      const text = before + chunk.text + after;
      const result = { ...chunk, ...fields, text };
      surrounded.set(result, { of: chunk, text, before, after });
      return result;
    },
    part: (chunk, start, end, fields) => partOf(chunk, start, end, fields, lengths),
    join: (chunks, fields = {}) => joinChunks(chunks, fields, lengths),
  };
  return {
    tools,
    /**
     * Checks the chunks that the refinery returned, and finds which parts of their texts come from the source.
     *
     * @throws ServiceError `broken_promise`
     */
    finish(chunks: readonly Chunk[]): Refined {
      const changesCount = entry.manifest.changesCount === true;
      if (changesCount) checkRanges(entry, given, chunks);
      else checkCount(entry, given, chunks);
      const find = changesCount ? finderOf(given, surrounded) : (_: Chunk, index: number) => index;
      const spans = changesCount && source !== undefined ? spansOf(entry, chunks, source) : undefined;
      return { chunks, origins: chunks.map((chunk, at) => originOf(chunk, find(chunk, at))), spans };
    },
  };

  function originOf(chunk: Chunk, index: number | undefined): Origin {
    const origin = index === undefined ? undefined : origins[index];
    if (index === undefined || origin === undefined) return undefined;
    const added = surrounded.get(chunk);
    if (added === undefined || added.of !== given[index] || added.text !== chunk.text) {
      return chunk.text === given[index]?.text ? origin : undefined;
    }
    return { ...origin, before: added.before + origin.before, after: origin.after + added.after };
  }
}

interface Surrounded {
  readonly of: Chunk;
  readonly text: string;
  readonly before: string;
  readonly after: string;
}

function checkCount(entry: PluginEntry, given: readonly Chunk[], chunks: readonly Chunk[]): void {
  if (chunks.length === given.length) return;
  const remedy = 'a refinery that drops, merges or splits chunks says "changesCount: true" in its manifest';
  throw brokenPromise(
    entry.manifest,
    `it got ${given.length} chunks and returned ${chunks.length}; ${remedy}`,
  );
}

/** Refuses returned chunks without offsets and, if the given chunks are in order, returned chunks out of order. */
function checkRanges(entry: PluginEntry, given: readonly Chunk[], chunks: readonly Chunk[]): void {
  const hasRange = ({ start_index, end_index }: Chunk) =>
    Number.isInteger(start_index) &&
    Number.isInteger(end_index) &&
    0 <= start_index &&
    start_index <= end_index;
  const bad = chunks.findIndex((chunk) => !hasRange(chunk));
  if (bad !== -1)
    throw brokenPromise(entry.manifest, `the chunk ${bad} that it returned has no offsets in the text`);
  const index = firstOutOfOrder(chunks);
  if (index === -1 || firstOutOfOrder(given) !== -1) return;
  throw brokenPromise(entry.manifest, `the chunk ${index} that it returned begins before the previous one`);
}

function firstOutOfOrder(chunks: readonly Chunk[]): number {
  return chunks.findIndex(({ start_index }, at) => start_index < (chunks[at - 1]?.start_index ?? 0));
}

function finderOf(given: readonly Chunk[], surrounded: ReadonlyMap<Chunk, Surrounded>) {
  const indexes = new Map(given.map((chunk, index) => [chunk, index]));
  const byRange = new Map(given.map((chunk, index) => [rangeOf(chunk), index]));
  return (chunk: Chunk): number | undefined =>
    indexes.get(surrounded.get(chunk)?.of ?? chunk) ?? byRange.get(rangeOf(chunk));
}

function rangeOf({ start_index, end_index }: Chunk): string {
  return `${start_index} ${end_index}`;
}

function spansOf(entry: PluginEntry, chunks: readonly Chunk[], { text, unit }: RefinedSource): CountedSpan[] {
  const offsets = utf16Offsets(
    text,
    unit,
    chunks.flatMap(({ start_index, end_index }) => [start_index, end_index]),
  );
  return chunks.map(({ start_index, end_index, token_count }, at) => {
    const start = offsets.get(start_index);
    const end = offsets.get(end_index);
    if (start !== undefined && end !== undefined) return { start, end, token_count };
    throw brokenPromise(
      entry.manifest,
      `the chunk ${at} that it returned lies outside the text, or begins or ends within a character`,
    );
  });
}

type Length = (text: string) => number;

export const LENGTHS: Readonly<Record<OffsetUnit, Length>> = {
  code_point: (text) => countCodePoints(text, 0, text.length),
  utf16: (text) => text.length,
  byte: (text) => Buffer.byteLength(text),
};

/** Finds the length function for the unit of a chunk's offsets; `undefined` if a refinery changed the text. */
function lengthIn({ text, start_index, end_index }: Chunk, lengths: readonly Length[]): Length | undefined {
  return lengths.find((length) => length(text) === end_index - start_index);
}

/** A part of a chunk; see `RefineTools.part`. @param lengths length functions of the possible units */
function partOf(
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

/** Joins neighbouring chunks; see `RefineTools.join`. @param lengths length functions of the possible units */
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
  const joined = {
    ...first,
    ...endOf(chunks.at(-1) as Chunk),
    ...placesOf(chunks),
    ...leftOutOf(chunks),
    token_count,
  };
  return { ...joined, ...fields, text, end_index };
}

/** Fields about the end of a chunk. A joined chunk takes these fields from its last part. */
const OF_THE_END = ['last_page', 'last_line', 'next_id'] as const;

function endOf(chunk: Chunk): Readonly<Record<string, unknown>> {
  const fields = chunk as Chunk & Readonly<Record<string, unknown>>;
  return Object.fromEntries(OF_THE_END.flatMap((name) => (name in fields ? [[name, fields[name]]] : [])));
}

function placesOf(chunks: readonly Chunk[]): { readonly places?: readonly unknown[] } {
  const all = chunks.flatMap(({ places }) => (Array.isArray(places) ? (places as unknown[]) : []));
  const places = all.filter((place, index) => index === 0 || !isDeepStrictEqual(place, all[index - 1]));
  return places.length === 0 ? {} : { places };
}

function leftOutOf(chunks: readonly Chunk[]): { readonly left_out?: readonly unknown[] } {
  const all = chunks.flatMap(({ left_out }) => (Array.isArray(left_out) ? (left_out as unknown[]) : []));
  return all.length === 0 ? {} : { left_out: all };
}

function textBehind({ text, start_index }: Chunk, offset: number, length: Length | undefined): string {
  if (length === undefined) return text;
  let at = 0;
  let reached = start_index;
  for (const character of text) {
    if (reached >= offset) break;
    reached += length(character);
    at += character.length;
  }
  return text.slice(at);
}
