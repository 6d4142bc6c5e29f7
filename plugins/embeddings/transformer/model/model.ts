import type { Tensor } from 'onnxruntime-node';
import type { EmbeddingModel, EmbedRequest, Tokenizer, Vectors } from '../../../../core/kit.ts';
import { withPrompt } from '../../../toolkit/prompts.ts';
import type { PoolingMode, TransformerFiles } from './files.ts';
import { type Graph, runGraph } from './graph.ts';

export type EncodingTokenizer = Tokenizer & Required<Pick<Tokenizer, 'encode'>>;

/** What a model is built from. */
export interface ModelParts {
  readonly files: TransformerFiles;
  readonly graph: Graph;
  readonly tokenizer: EncodingTokenizer;
}

/** A transformer whose graph is loaded. */
export function createModel(parts: ModelParts): EmbeddingModel {
  const { files, graph, tokenizer } = parts;
  return {
    name: graph.name,
    bytes: files.bytes,
    tokenizer: async () => tokenizer,
    window: {
      tokens: files.maxTokens,
      count: (text, purpose) => countTokens(files.prompts[purpose] + text, tokenizer),
    },
    embed: (texts, request) => embedTexts(texts, request, parts),
    close: () => graph.session.release(),
  };
}

async function embedTexts(
  texts: readonly string[],
  { purpose, signal, progress }: EmbedRequest,
  { files, graph, tokenizer }: ModelParts,
): Promise<Vectors> {
  const prompt = files.prompts[purpose];
  const ids = encodeTexts(withPrompt(texts, prompt), tokenizer, files.maxTokens);
  const first = files.poolsPrompt ? 0 : promptTokens(prompt, tokenizer);
  let vectors: Vectors = { dimensions: 0, values: new Float32Array() };
  let done = 0;
  for (const batch of batchesByLength(ids)) {
    signal.throwIfAborted();
    const output = await runGraph(
      graph,
      batch.map((index) => ids[index] as Uint32Array),
    );
    if (vectors.dimensions === 0) vectors = emptyVectors(texts.length, output);
    batch.forEach((index, row) => {
      const { dimensions, values } = vectors;
      const target = values.subarray(index * dimensions, (index + 1) * dimensions);
      writeVector(output, row, { first, end: (ids[index] as Uint32Array).length }, files, target);
    });
    done += batch.length;
    progress?.(done);
  }
  return vectors;
}

/** The tokens of a text between the special tokens, which count too. */
function countTokens(text: string, tokenizer: EncodingTokenizer): number {
  const { prefix, suffix } = tokenizer.specialTokens ?? { prefix: [], suffix: [] };
  return prefix.length + tokenizer.encode(text).length + suffix.length;
}

/** The ids of texts between the special tokens, truncated to `maxTokens` in total. */
function encodeTexts(
  texts: readonly string[],
  tokenizer: EncodingTokenizer,
  maxTokens: number,
): Uint32Array[] {
  const { prefix, suffix } = tokenizer.specialTokens ?? { prefix: [], suffix: [] };
  const room = maxTokens - prefix.length - suffix.length;
  return texts.map((text) => {
    const own = tokenizer.encode(text).subarray(0, room);
    const ids = new Uint32Array(prefix.length + own.length + suffix.length);
    ids.set(prefix);
    ids.set(own, prefix.length);
    ids.set(suffix, prefix.length + own.length);
    return ids;
  });
}

function emptyVectors(count: number, { dims }: Tensor): Vectors {
  const dimensions = dims.at(-1) as number;
  return { dimensions, values: new Float32Array(count * dimensions) };
}

/** How many tokens a prompt takes before a text, including the special ones before it. */
function promptTokens(prompt: string, tokenizer: EncodingTokenizer): number {
  if (prompt === '') return 0;
  return (tokenizer.specialTokens?.prefix.length ?? 0) + tokenizer.encode(prompt).length;
}

/** Writes the vector of one text of a batch, pooled from its tokens in the range, into `target`, which is zero. */
function writeVector(
  { dims, data }: Tensor,
  text: number,
  range: TokenRange,
  { pooling, normalizes }: TransformerFiles,
  target: Float32Array,
): void {
  const tokens = dims.length === 2 ? 1 : (dims[1] as number);
  const size = tokens * target.length;
  const rows = (data as Float32Array).subarray(text * size, (text + 1) * size);
  if (dims.length === 2) target.set(rows);
  else if (range.end > 0) poolTokens(rows, range, pooling, target);
  if (normalizes) normalize(target);
}

/**
 * Texts, and tokens with their padding, that one run of the graph takes. A larger one is slower on a processor: its
 * intermediate results leave the caches, and its texts differ more in length.
 */
const MAX_TEXTS = 64;
const MAX_TOKENS = 512;

/** Batches of the indexes of texts of similar length, so that there is little padding. */
function batchesByLength(ids: readonly Uint32Array[]): number[][] {
  const order = ids.map((_, index) => index).sort((a, b) => lengthAt(ids, a) - lengthAt(ids, b));
  const batches: number[][] = [];
  let batch: number[] = [];
  for (const index of order) {
    const isFull = batch.length === MAX_TEXTS || (batch.length + 1) * lengthAt(ids, index) > MAX_TOKENS;
    if (isFull && batch.length > 0) {
      batches.push(batch);
      batch = [];
    }
    batch.push(index);
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}

const lengthAt = (ids: readonly Uint32Array[], index: number) => (ids[index] as Uint32Array).length;

/** The tokens of a text that the mean and the maximum are taken of; those from `end` on are padding. */
interface TokenRange {
  readonly first: number;
  readonly end: number;
}

/** Pools the vectors of a text's tokens, which follow each other in `rows`. */
function poolTokens(
  rows: Float32Array,
  { first, end }: TokenRange,
  mode: PoolingMode,
  target: Float32Array,
): void {
  const width = target.length;
  // A prompt that fills the whole length leaves its last token, so that there is something to pool.
  const from = Math.min(first, end - 1);
  if (mode === 'cls') target.set(rows.subarray(0, width));
  else if (mode === 'last') target.set(rows.subarray((end - 1) * width, end * width));
  else if (mode === 'max') poolMax(rows.subarray(from * width, end * width), target);
  else poolMean(rows.subarray(from * width, end * width), target);
}

function poolMean(rows: Float32Array, target: Float32Array): void {
  const width = target.length;
  for (let start = 0; start < rows.length; start += width) {
    for (let at = 0; at < width; at++) target[at] = (target[at] as number) + (rows[start + at] as number);
  }
  const length = rows.length / width;
  for (let at = 0; at < width; at++) target[at] = (target[at] as number) / length;
}

function poolMax(rows: Float32Array, target: Float32Array): void {
  const width = target.length;
  target.set(rows.subarray(0, width));
  for (let start = width; start < rows.length; start += width) {
    for (let at = 0; at < width; at++)
      target[at] = Math.max(target[at] as number, rows[start + at] as number);
  }
}

/** Scales a vector to length 1; a zero vector stays as it is. */
function normalize(vector: Float32Array): void {
  let sum = 0;
  for (const value of vector) sum += value * value;
  if (sum === 0) return;
  const scale = 1 / Math.sqrt(sum);
  for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] as number) * scale;
}
