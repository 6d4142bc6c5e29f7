import type {
  EmbeddingModel,
  EmbedRequest,
  LongTexts,
  ModelWindow,
  TextRefusal,
  Vectors,
} from '../../../core/contracts/embedding.ts';
import type { Tokenizer } from '../../../core/contracts/tokenizer.ts';
import { invalid, reasonOf, refusedError, ServiceError } from '../../../core/errors.ts';

/** Only this file handles texts that are longer than the window of their model. */

export interface WindowedVectors {
  /** Unchecked vectors of the model. */
  readonly vectors: Vectors;
  readonly long: number;
}

/**
 * Embeds texts. Treats texts longer than the model's window as requested.
 *
 * @throws ServiceError `invalid_parameters` if texts cannot be cut because the window is not known
 * @throws an error with `refusedText` for a text that this function or the model refuses
 */
export async function embedWithin(
  model: EmbeddingModel,
  texts: readonly string[],
  request: EmbedRequest,
  policy: LongTexts,
): Promise<WindowedVectors> {
  const { window } = model;
  if (window === undefined && policy === 'cut')
    throw invalid(
      `long_texts: "cut" needs a model whose window is known, which is not so for ${JSON.stringify(model.name)}; it refuses longer texts`,
    );
  const long = window ? longTexts(texts, window, request) : [];
  if (!window || long.length === 0 || policy === 'cut')
    return { vectors: await model.embed(texts, request), long: long.length };
  if (policy === 'refuse') throw refusalOf(texts, long[0] as number, window, request);
  const split = splitTexts(texts, long, await model.tokenizer(), window, request);
  return { vectors: await embedPieces(model, split, request), long: long.length };
}

function longTexts(
  texts: readonly string[],
  window: ModelWindow,
  { purpose, signal }: EmbedRequest,
): number[] {
  const long: number[] = [];
  for (const [index, text] of texts.entries()) {
    signal.throwIfAborted();
    if (window.count(text, purpose) > window.tokens) long.push(index);
  }
  return long;
}

function refusalOf(
  texts: readonly string[],
  refusedText: number,
  window: ModelWindow,
  { purpose }: EmbedRequest,
): Error & TextRefusal {
  const given = window.count(texts[refusedText] as string, purpose);
  const remedy = 'make it shorter, or let long_texts be "average" or "cut"';
  const refusal = refusedError(`${given} tokens, of which the model reads ${window.tokens}; ${remedy}`);
  return Object.assign(refusal, { refusedText });
}

/**
 * Adds the place of a text to an error about the text. Other errors are unchanged.
 *
 * @param unit what the texts are, such as `chunks`
 * @param first index of the first text of the call
 */
export function placeRefusal(error: unknown, unit: string, first = 0): unknown {
  const { refusedText, expose, statusCode } = (error ?? {}) as Partial<TextRefusal> & {
    readonly expose?: unknown;
    readonly statusCode?: unknown;
  };
  if (typeof refusedText !== 'number') return error;
  const placed = new Error(`${unit}[${first + refusedText}]: ${reasonOf(error)}`, { cause: error });
  return Object.assign(placed, { expose, statusCode });
}

/** Adds the place of a document to an error about one of its texts in a batch. Other errors are unchanged. */
export function placeDocument(error: unknown, index: number): unknown {
  if (!(error instanceof ServiceError) || !isRefusal(error.cause)) return error;
  const placed = Object.entries(error.values).map(([name, value]) =>
    name === 'problems' || name === 'reason' ? [name, `documents[${index}]: ${value}`] : [name, value],
  );
  return new ServiceError(error.code, Object.fromEntries(placed), error);
}

function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return typeof (error as Partial<TextRefusal>).refusedText === 'number' || isRefusal(error.cause);
}

interface Piece {
  readonly text: string;
  /** Tokens of the piece, without prompt and special tokens. */
  readonly tokens: number;
}

type Split = readonly (readonly Piece[])[];

function splitTexts(
  texts: readonly string[],
  long: readonly number[],
  tokenizer: Tokenizer,
  window: ModelWindow,
  { purpose, signal }: EmbedRequest,
): Split {
  const isLong = new Set(long);
  const own = window.count('', purpose);
  const count = (text: string) => window.count(text, purpose) - own;
  return texts.map((text, index) => {
    // A prompt that fills the window leaves no room for text.
    if (!isLong.has(index) || own >= window.tokens) return [{ text, tokens: 1 }];
    signal.throwIfAborted();
    return splitText(text, tokenizer, window.tokens - own, count);
  });
}

function splitText(
  text: string,
  tokenizer: Tokenizer,
  room: number,
  count: (text: string) => number,
): Piece[] {
  const ends = tokenizer.tokenize(text).ends();
  const pieces: Piece[] = [];
  let start = 0;
  let from = 0;
  while (start < text.length) {
    let to = Math.min(from + roomFor(ends.length - from, room, pieces.length), ends.length);
    let piece = pieceAt(text, ends, start, from, to, count);
    // A piece may have more tokens by itself than within the text.
    while (piece.tokens > room && to > from + 1) {
      to = Math.max(from + 1, to - (piece.tokens - room));
      piece = pieceAt(text, ends, start, from, to, count);
    }
    pieces.push(piece);
    start += piece.text.length;
    while (from < ends.length && (ends[from] as number) <= start) from++;
  }
  return pieces;
}

/**
 * Maximum tokens of the next piece. The last piece is never full. Otherwise a text and the same text repeated
 * would have equal pieces, and so the same vector.
 */
function roomFor(rest: number, room: number, before: number): number {
  return rest === room && before > 0 ? Math.max(1, room - 1) : room;
}

function pieceAt(
  text: string,
  ends: Uint32Array,
  start: number,
  from: number,
  to: number,
  count: (text: string) => number,
): Piece {
  const end = to === ends.length ? text.length : endBetweenWords(text, ends, from, to);
  const piece = text.slice(start, end > start ? end : text.length);
  return { text: piece, tokens: count(piece) };
}

const WHITE_SPACE = /\s/;

/** Where a piece ends: at the last token end beside white space in its last eighth, else at its last token end. */
function endBetweenWords(text: string, ends: Uint32Array, from: number, to: number): number {
  const first = Math.max(from + 1, to - Math.floor((to - from) / 8));
  for (let at = to; at >= first; at--) {
    const end = ends[at - 1] as number;
    if (WHITE_SPACE.test(text.charAt(end)) || WHITE_SPACE.test(text.charAt(end - 1))) return end;
  }
  return ends[to - 1] as number;
}

async function embedPieces(model: EmbeddingModel, split: Split, request: EmbedRequest): Promise<Vectors> {
  const pieces = split.flat();
  const textOf = split.flatMap((own, index) => own.map(() => index));
  const progress = (done: number) => request.progress?.(textOf[done] ?? split.length);
  const texts = pieces.map(({ text }) => text);
  const vectors = await model.embed(texts, { ...request, progress }).catch((error: unknown) => {
    const { refusedText } = (error ?? {}) as Partial<TextRefusal>;
    throw refusedText === undefined
      ? error
      : Object.assign(error as object, { refusedText: textOf[refusedText] });
  });
  const { dimensions, values, wordless, fallback, ...rest } = vectors ?? {};
  if (values?.length !== pieces.length * dimensions) return vectors;
  return {
    ...rest,
    dimensions,
    values: averages(values, dimensions, split),
    ...(wordless && { wordless: wholeTexts(wordless, split) }),
    ...(fallback && { fallback: { ...fallback, texts: Math.min(fallback.texts, split.length) } }),
  };
}

function wholeTexts(pieces: readonly number[], split: Split): number[] {
  const listed = new Set(pieces);
  let next = 0;
  return split.flatMap((own, index) =>
    own.filter(() => listed.has(next++)).length === own.length ? [index] : [],
  );
}

/** The share of weight that a text's last piece loses against the first. So the order of the pieces matters. */
const FADING = 1 / 16;

/**
 * The mean vector of each text's pieces, weighted by the pieces' tokens. If the pieces' vectors have length 1,
 * the mean is scaled to length 1. A single piece keeps its vector.
 */
function averages(values: Float32Array, dimensions: number, split: Split): Float32Array {
  const means = new Float32Array(split.length * dimensions);
  let row = 0;
  for (const [index, pieces] of split.entries()) {
    const own = values.subarray(row * dimensions, (row + pieces.length) * dimensions);
    means.set(pieces.length === 1 ? own : meanOf(own, dimensions, pieces), index * dimensions);
    row += pieces.length;
  }
  return means;
}

function meanOf(rows: Float32Array, dimensions: number, pieces: readonly Piece[]): Float64Array {
  const sum = new Float64Array(dimensions);
  let total = 0;
  let areUnits = true;
  for (const [row, { tokens }] of pieces.entries()) {
    const weight = tokens * (1 - (FADING * row) / pieces.length);
    total += weight;
    let square = 0;
    for (let at = 0; at < dimensions; at++) {
      const value = rows[row * dimensions + at] as number;
      sum[at] = (sum[at] as number) + weight * value;
      square += value * value;
    }
    areUnits &&= Math.abs(square - 1) < NEARLY;
  }
  const length = Math.sqrt(sum.reduce((all, value) => all + value * value, 0));
  const scale = areUnits ? length : total;
  return scale === 0 ? sum : sum.map((value) => value / scale);
}

/** Maximum difference between 1 and the squared length of a unit vector in single precision. */
const NEARLY = 1e-3;
