import type { DocumentInfo, Located, Report, Span } from '../contracts/chunk.ts';
import type { AnyChunker, ChunkContext } from '../contracts/chunker.ts';
import type { EmbeddingModel } from '../contracts/embedding.ts';
import type { Manifest } from '../contracts/manifest.ts';
import type { TokenizedText, Tokenizer } from '../contracts/tokenizer.ts';
import { ServiceError } from '../errors.ts';
import { isBlank, splitsCodePoint } from './cuts/cuts.ts';
import { keepOptimised } from './keep-optimised.ts';
import { divide } from './packing/hierarchy.ts';
import { type CountedSpan, packPieces, tokenWindows, withFields } from './packing/packing.ts';
import { packStructure } from './structure/structure.ts';

export interface ReadyChunker {
  readonly manifest: Manifest;
  readonly chunker: AnyChunker;
}

export interface ChunkTools {
  readonly tokenizer: Tokenizer;
  readonly model?: EmbeddingModel | undefined;
  readonly document?: DocumentInfo | undefined;
  readonly report: Report;
  readonly signal: AbortSignal;
}

/**
 * Chunks one text, and checks the chunker's result. The offsets must be valid for the text. If the manifest
 * guarantees complete chunks, they must cover the text.
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
  const spans = await chunker.chunk(text, options as never, createContext(text, tokens, tools) as never);
  return checkSpans(spans, text, tokens, manifest);
}

const NO_INFO: DocumentInfo = Object.freeze({});

function createContext(text: string, tokens: TokenizedText, tools: ChunkTools): ChunkContext {
  const { tokenizer, model, document = NO_INFO, report, signal } = tools;
  const readOnce = new ReadOnce(tokens);
  const count = (other: string) => tokenizer.tokenize(other).count(0, other.length);
  const context: ChunkContext = {
    tokens: readOnce,
    document,
    report,
    signal,
    pack: (boundaries, limits) => packPieces(boundaries, tokens, limits),
    divide: (range, finders, limits) => divide(text, readOnce, range, finders, limits),
    packStructure: (structure, rules) => packStructure({ text, tokens, count }, structure, rules),
    windows(size, overlap) {
      const ends = readOnce.ends();
      if (ends.length === 0) return [{ start: 0, end: text.length, token_count: 0 }];
      return tokenWindows(ends, size, overlap);
    },
  };
  return model === undefined ? context : Object.assign(context, { model });
}

function checkSpans(
  spans: readonly Span[],
  text: string,
  tokens: TokenizedText,
  manifest: Manifest,
): CountedSpan[] {
  const shape = wrongShape(spans);
  if (shape !== undefined) throw brokenPromise(manifest, shape);
  const isLossless = manifest.guarantees?.lossless === true;
  const counted: CountedSpan[] = [];
  const checked = new Set<unknown>();
  let last = NOTHING;
  for (const span of spans) {
    const broken = brokenRange(span, last, text, isLossless) ?? brokenFields(span, checked);
    if (broken !== undefined) throw brokenPromise(manifest, firstOutOfOrder(spans) ?? broken);
    counted.push(span.token_count === undefined ? countSpan(span, tokens) : (span as CountedSpan));
    last = span;
  }
  if (isLossless && last.end < text.length) throw brokenPromise(manifest, lost(last.end, text.length));
  return counted;
}

const NOTHING: Span = { start: 0, end: 0 };

function countSpan(span: Span, tokens: TokenizedText): CountedSpan {
  return { ...withFields(span, span.extra), token_count: tokens.count(span.start, span.end) };
}

function brokenRange(span: Span, last: Span, text: string, isLossless: boolean): string | undefined {
  const { start, end } = span;
  if (!Number.isInteger(start) || !Number.isInteger(end))
    return `the boundaries of the span ${formatRange(span)} are not integers`;
  if (!(start >= last.start && end >= last.end && start < end && end <= text.length))
    return `the span ${formatRange(span)} of a text of ${text.length} units is empty, out of order or outside it`;
  if (isLossless && start > last.end) return lost(last.end, start);
  if (splitsCodePoint(text, start) || splitsCodePoint(text, end))
    return `the span ${formatRange(span)} cuts a surrogate pair in two`;
  return undefined;
}

function wrongShape(spans: unknown): string | undefined {
  const remedy = 'return a list of spans { start, end }, offsets into the text';
  const isIterable = typeof spans === 'object' && spans !== null && Symbol.iterator in spans;
  if (!isIterable) return `chunk returned ${named(spans)}; ${remedy}`;
  if (!Array.isArray(spans)) return undefined;
  const wrong: unknown = spans.find((span) => typeof span !== 'object' || span === null);
  const index = spans.indexOf(wrong);
  return index === -1 ? undefined : `chunk returned a list with ${named(wrong)}, at ${index}; ${remedy}`;
}

function named(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function firstOutOfOrder(spans: readonly Span[]): string | undefined {
  let before: Span | undefined;
  for (const span of spans) {
    if (before !== undefined && span.start < before.start)
      return `the span ${formatRange(span)} comes after ${formatRange(before)}; return spans in the order of the text`;
    before = span;
  }
  return undefined;
}

/** @param checked values already known to be JSON; many chunks share values */
function brokenFields(span: Span, checked: Set<unknown>): string | undefined {
  const { token_count = 0, context, extra = NO_FIELDS, located = NO_FIELDS } = span;
  if (!(Number.isInteger(token_count) && token_count >= 0))
    return `the token_count of the span ${formatRange(span)} is not a count`;
  if (context !== undefined && typeof context !== 'string')
    return `the context of the span ${formatRange(span)} is not a string`;
  if (extra === NO_FIELDS && located === NO_FIELDS) return undefined;
  if (!areJson(extra, checked))
    return `the extra fields of the span ${formatRange(span)} cannot be written as JSON`;
  const taken = ownFieldIn(extra) ?? ownFieldIn(located);
  if (taken !== undefined) return `the extra field "${taken}" is reserved for the chunk itself`;
  if (located === NO_FIELDS) return undefined;
  const isStray = ({ start, end }: Located) => start < span.start || end > span.end;
  if (Object.values(located).flat().some(isStray))
    return `a located stretch lies outside its span ${formatRange(span)}`;
  return undefined;
}

const NO_FIELDS: Readonly<Record<string, never>> = Object.freeze({});

const OWN_FIELDS = new Set(['text', 'start_index', 'end_index', 'token_count', 'context']);

function ownFieldIn(fields: Readonly<Record<string, unknown>>): string | undefined {
  for (const name in fields) if (OWN_FIELDS.has(name)) return name;
  return undefined;
}

export function brokenPromise({ kind, name }: Pick<Manifest, 'kind' | 'name'>, reason: string): ServiceError {
  return new ServiceError('broken_promise', { kind, name, reason });
}

function lost(from: number, to: number): string {
  return `the text from ${from} to ${to} is lost`;
}

function areJson(fields: Readonly<Record<string, unknown>>, checked: Set<unknown>): boolean {
  for (const name in fields) if (!isJson(fields[name], checked)) return false;
  return true;
}

/** Whether a value can be written as JSON. Circular values cannot. */
function isJson(value: unknown, checked: Set<unknown>): boolean {
  // Most values are short lists. Checking these directly is faster than a lookup in `checked`.
  if (isPlain(value) || isPlainList(value) || checked.has(value)) return true;
  try {
    JSON.stringify(value);
    checked.add(value);
    return true;
  } catch {
    return false;
  }
}

function isPlainList(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  for (let index = 0; index < value.length; index++) if (!isPlain(value[index])) return false;
  return true;
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || value === undefined;
}

function formatRange({ start, end }: Span): string {
  return `[${start}, ${end})`;
}

/** Computes the token ends of a text only once, even if a chunker requests them for every stretch. */
class ReadOnce implements TokenizedText {
  readonly #tokens: TokenizedText;
  #ends: Uint32Array | undefined;

  constructor(tokens: TokenizedText) {
    this.#tokens = tokens;
  }

  count(start: number, end: number): number {
    return this.#tokens.count(start, end);
  }

  ends(): Uint32Array {
    this.#ends ??= this.#tokens.ends();
    return this.#ends;
  }

  endsWithin(start: number, end: number): ArrayLike<number> {
    return this.#tokens.endsWithin?.(start, end) ?? this.ends();
  }
}

keepOptimised(new ReadOnce({ count: () => 0, ends: () => new Uint32Array(0) }));
