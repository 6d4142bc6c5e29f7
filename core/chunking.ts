import type {
  ChunkContext,
  Chunker,
  EmbeddingModel,
  Manifest,
  Report,
  Span,
  TokenizedText,
  Tokenizer,
} from './contracts.ts';
import { ServiceError } from './errors.ts';
import { divide } from './hierarchy.ts';
import { packPieces } from './packing.ts';
import { isBlank, splitsCodePoint } from './text.ts';
import { tokenWindows } from './windows.ts';

/** A span that was checked and whose tokens are counted. */
export type CountedSpan = Span & {
  readonly token_count: number;
};

/** A chunker that is ready to run, with the manifest whose promises it has to keep. */
export interface ReadyChunker {
  readonly manifest: Manifest;
  readonly chunker: Chunker;
}

/** What a text is chunked with, beside the chunker and its options. */
export interface ChunkTools {
  readonly tokenizer: Tokenizer;
  /** Where the chunker uses the kind `embedding`. */
  readonly model?: EmbeddingModel | undefined;
  readonly report: Report;
  readonly signal: AbortSignal;
}

/**
 * Chunks one text. Whatever the chunker returns is checked against its contract, so that no plugin can
 * put out offsets that do not fit the text, or lose text that its manifest promises to keep.
 *
 * @throws ServiceError `broken_promise`
 */
export async function chunkText(
  { manifest, chunker }: ReadyChunker,
  text: string,
  options: Record<string, unknown>,
  tools: ChunkTools,
): Promise<CountedSpan[]> {
  if (isBlank(text)) return [];
  const tokens = tools.tokenizer.tokenize(text);
  const spans = await chunker.chunk(text, options, createContext(text, tokens, tools));
  const broken = findBrokenPromise(text, spans, manifest);
  if (broken !== undefined) {
    throw new ServiceError('broken_promise', { kind: manifest.kind, name: manifest.name, reason: broken });
  }
  return spans.map((span) => complete(span, tokens));
}

function complete(span: Span, tokens: TokenizedText): CountedSpan {
  const { start, end, token_count = tokens.count(start, end), extra, located } = span;
  return {
    start,
    end,
    token_count,
    ...(extra === undefined ? {} : { extra }),
    ...(located === undefined ? {} : { located }),
  };
}

function createContext(text: string, tokens: TokenizedText, tools: ChunkTools): ChunkContext {
  const { model, report, signal } = tools;
  return {
    tokens,
    model: model as EmbeddingModel,
    report,
    signal,
    pack: (edges, limits) => packPieces(edges, tokens, limits),
    divide: (range, finders, limits) => divide(text, tokens, range, finders, limits),
    windows(size, overlap) {
      const ends = tokens.ends();
      if (ends.length === 0) return [{ start: 0, end: text.length, token_count: 0 }];
      return tokenWindows(ends, size, overlap);
    },
  };
}

const OWN_FIELDS = ['text', 'start_index', 'end_index', 'token_count'];

function findBrokenPromise(text: string, spans: readonly Span[], manifest: Manifest): string | undefined {
  const isLossless = manifest.guarantees?.lossless === true;
  let start = 0;
  let end = 0;
  for (const span of spans) {
    const { token_count = 0, extra = {}, located = {} } = span;
    if (!Number.isInteger(span.start) || !Number.isInteger(span.end)) {
      return `the edges of the span ${placeOf(span)} are not integers`;
    }
    if (!(span.start >= start && span.end >= end && span.start < span.end && span.end <= text.length)) {
      return `the span ${placeOf(span)} of a text of ${text.length} units is empty, out of order or outside it`;
    }
    if (isLossless && span.start > end) return `the text from ${end} to ${span.start} is lost`;
    if (splitsCodePoint(text, span.start) || splitsCodePoint(text, span.end)) {
      return `the span ${placeOf(span)} cuts a surrogate pair in two`;
    }
    if (!(Number.isInteger(token_count) && token_count >= 0)) {
      return `the token_count of the span ${placeOf(span)} is not a count`;
    }
    if (span.extra !== undefined && !isJson(extra))
      return `the extra fields of the span ${placeOf(span)} cannot be written as JSON`;
    const taken = OWN_FIELDS.find((field) => Object.hasOwn(extra, field) || Object.hasOwn(located, field));
    if (taken !== undefined) return `the extra field "${taken}" is one of the chunk itself`;
    const stray = Object.values(located)
      .flat()
      .find((one) => one.start < span.start || one.end > span.end);
    if (stray !== undefined) return `a located stretch lies outside its span ${placeOf(span)}`;
    start = span.start;
    end = span.end;
  }
  return isLossless && end < text.length ? `the text from ${end} to ${text.length} is lost` : undefined;
}

/** Whether a value can be written as JSON; a circle cannot. */
function isJson(value: Readonly<Record<string, unknown>>): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
}

function placeOf({ start, end }: Span): string {
  return `[${start}, ${end})`;
}
