import type { Chunk, OffsetUnit, Span } from '../../../core/contracts/chunk.ts';
import type { CountedSpan } from '../../../core/engine/packing/packing.ts';
import type { SourceDocument } from '../read/documents.ts';
import type { JsonText } from '../read/json.ts';
import type { WrittenChunk } from './chunk-writer.ts';
import { locate, type SpanOffsets } from './offsets.ts';

/**
 * The index of a chunk's source in `offsets`, and the texts that refineries put before and after the source.
 * `undefined` if the chunk has no source, or if a refinery changed the chunk's text otherwise.
 */
export type Origin = { readonly index: number; readonly before: string; readonly after: string } | undefined;

/** The chunks of one document between two stages, with their offsets in the document. */
export interface DocumentChunks {
  /** The stretches that the chunks cover in the document; empty for chunks of a request. */
  readonly spans: readonly CountedSpan[];
  readonly source: JsonText;
  /** The unit of the chunks' offsets; `undefined` for chunks of a request. */
  readonly unit: OffsetUnit | undefined;
  /** Positions in the JSON and in the answer of the last chunk stage's spans; `undefined` for chunks of a request. */
  readonly offsets: SpanOffsets | undefined;
  /** Further fields of the stretches, by index; `undefined` if no stretch has further fields. */
  readonly extras: readonly Fields[] | undefined;
  /** The chunks as objects with their origins, if they come from a request or a refinery. */
  readonly refined: { readonly chunks: readonly Chunk[]; readonly origins: readonly Origin[] } | undefined;
}

type Fields = Readonly<Record<string, unknown>> | undefined;

const NO_JSON = new Uint8Array(0);

export function givenChunks(chunks: readonly Chunk[]): DocumentChunks {
  const refined = { chunks, origins: new Array<Origin>(chunks.length) };
  return { spans: [], source: NO_JSON, unit: undefined, offsets: undefined, extras: undefined, refined };
}

export function placeChunks(
  { json }: SourceDocument,
  spans: readonly CountedSpan[],
  unit: OffsetUnit,
): DocumentChunks {
  const offsets = locate(json, spans, unit);
  return { spans, source: json, unit, offsets, extras: extrasOf(json, spans, unit), refined: undefined };
}

export function chunkObjects({ text }: SourceDocument, document: DocumentChunks): readonly Chunk[] {
  const { refined, offsets, spans, extras, source } = document;
  if (refined !== undefined) return refined.chunks;
  const { from, to, start, end } = offsets as SpanOffsets;
  const json = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  return spans.map((span, index) => ({
    text:
      asciiText(json, from[index] as number, to[index] as number, span) ?? text.slice(span.start, span.end),
    start_index: start[index] as number,
    end_index: end[index] as number,
    token_count: span.token_count,
    ...extras?.[index],
  }));
}

/** A span's text as a one-byte string, which is faster to read. Undefined if its JSON is not plain ASCII. */
function asciiText(json: Buffer, from: number, to: number, { start, end }: Span): string | undefined {
  return to - from === end - start ? json.toString('latin1', from, to) : undefined;
}

export function writtenChunks({ refined, offsets, spans, extras, source }: DocumentChunks): WrittenChunk[] {
  if (refined === undefined) {
    const { from, to, start, end } = offsets as SpanOffsets;
    const written: WrittenChunk[] = [];
    for (let index = 0; index < spans.length; index++)
      written.push({
        source,
        from: from[index] as number,
        to: to[index] as number,
        before: '',
        after: '',
        start_index: start[index] as number,
        end_index: end[index] as number,
        token_count: (spans[index] as CountedSpan).token_count,
        fields: extras?.[index],
      });
    return written;
  }
  return refined.chunks.map((chunk, index) => {
    const origin = refined.origins[index];
    return {
      source,
      from: origin === undefined ? 0 : ((offsets as SpanOffsets).from[origin.index] as number),
      to: origin === undefined ? 0 : ((offsets as SpanOffsets).to[origin.index] as number),
      before: origin === undefined ? chunk.text : origin.before,
      after: origin === undefined ? '' : origin.after,
      start_index: chunk.start_index,
      end_index: chunk.end_index,
      token_count: chunk.token_count,
      fields: chunk,
    };
  });
}

function extrasOf(
  json: JsonText,
  spans: readonly CountedSpan[],
  unit: OffsetUnit,
): readonly Fields[] | undefined {
  const located = new Map<string, readonly object[]>();
  for (const span of spans)
    for (const field in span.located)
      if (!located.has(field)) located.set(field, locateField(json, spans, unit, field));
  const extras: Fields[] = [];
  let hasFields = false;
  for (let index = 0; index < spans.length; index++) {
    const span = spans[index] as CountedSpan;
    const isPlain = span.context === undefined && span.located === undefined;
    const fields = isPlain ? span.extra : withLocated(span, located, index);
    if (fields !== undefined) hasFields = true;
    extras.push(fields);
  }
  return hasFields ? extras : undefined;
}

function withLocated(
  { context, extra, located }: Span,
  lists: ReadonlyMap<string, readonly object[]>,
  index: number,
): Fields {
  const all: Record<string, unknown> = { ...extra };
  if (context !== undefined) all.context = context;
  for (const field in located) all[field] = lists.get(field)?.[index];
  return all;
}

function locateField(json: JsonText, spans: readonly CountedSpan[], unit: OffsetUnit, field: string) {
  const all = spans.flatMap(({ located }) => located?.[field] ?? []);
  const { start, end } = locate(json, all, unit);
  let at = 0;
  return spans.map(({ located }) =>
    (located?.[field] ?? []).map(({ fields }) => {
      const place = { start_index: start[at], end_index: end[at] };
      at++;
      return { ...fields, ...place };
    }),
  );
}
