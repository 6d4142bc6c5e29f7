import type { InferenceSession, Tensor } from 'onnxruntime-node';
import {
  type EmbeddingModel,
  type EmbedRequest,
  exposedError,
  type Tokenizer,
  type Vectors,
} from '../../../core/kit.ts';
import { withPrompt } from '../../toolkit/prompts.ts';
import type { PoolingMode, TransformerFiles } from './files.ts';

export type EncodingTokenizer = Tokenizer & Required<Pick<Tokenizer, 'encode'>>;

interface ModelParts {
  readonly files: TransformerFiles;
  readonly graph: Graph;
  readonly tokenizer: EncodingTokenizer;
}

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

function countTokens(text: string, tokenizer: EncodingTokenizer): number {
  const { prefix, suffix } = tokenizer.specialTokens ?? { prefix: [], suffix: [] };
  return prefix.length + tokenizer.encode(text).length + suffix.length;
}

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

/** Counts the tokens of a prompt and the special tokens before it; 0 for an empty prompt. */
function promptTokens(prompt: string, tokenizer: EncodingTokenizer): number {
  if (prompt === '') return 0;
  return (tokenizer.specialTokens?.prefix.length ?? 0) + tokenizer.encode(prompt).length;
}

/** Pools the token vectors of a text in `range` into `target`. All values of `target` must be zero. */
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
 * Maximum texts, and maximum tokens including padding, per run of the graph. Larger runs are slower on a CPU:
 * intermediate results exceed the caches, and differing lengths need more padding.
 */
const MAX_TEXTS = 64;
const MAX_TOKENS = 512;

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

/** The tokens of a text that are pooled. Padding begins at `end`. */
interface TokenRange {
  readonly first: number;
  readonly end: number;
}

function poolTokens(
  rows: Float32Array,
  { first, end }: TokenRange,
  mode: PoolingMode,
  target: Float32Array,
): void {
  const width = target.length;
  // If a prompt fills the whole length, the last token is pooled.
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

function normalize(vector: Float32Array): void {
  let sum = 0;
  for (const value of vector) sum += value * value;
  if (sum === 0) return;
  const scale = 1 / Math.sqrt(sum);
  for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] as number) * scale;
}

export interface Graph {
  readonly name: string;
  readonly session: InferenceSession;
  readonly TensorClass: typeof Tensor;
}

const INPUTS: Readonly<Record<string, 'id' | 1 | 0>> = {
  input_ids: 'id',
  attention_mask: 1,
  token_type_ids: 0,
};

const OUTPUTS = ['sentence_embedding', 'last_hidden_state', 'token_embeddings'];

/**
 * Runs the graph on a batch. The output has one vector per text, or one per token.
 *
 * @throws an error for the caller if the graph does not match its tokenizer, or has another output
 */
async function runGraph(graph: Graph, batch: readonly Uint32Array[]): Promise<Tensor> {
  const { name, session } = graph;
  const outputs = await session.run(inputsOf(graph, batch)).catch((cause: unknown) => {
    throw exposedError(`the graph of "${name}" does not accept the output of its tokenizer`, cause);
  });
  const preferred = OUTPUTS.find((output) => output in outputs) ?? session.outputNames[0];
  return checkOutput(outputs[preferred as string] as Tensor, batch.length, name);
}

function inputsOf({ session, TensorClass }: Graph, batch: readonly Uint32Array[]): Record<string, Tensor> {
  const width = Math.max(1, ...batch.map(({ length }) => length));
  const wanted = Object.entries(INPUTS).filter(([input]) => session.inputNames.includes(input));
  return Object.fromEntries(
    wanted.map(([input, content]) => {
      const values = new BigInt64Array(batch.length * width);
      for (const [row, ids] of batch.entries()) {
        const start = row * width;
        if (content !== 'id') values.fill(BigInt(content), start, start + ids.length);
        else for (const [token, id] of ids.entries()) values[start + token] = BigInt(id);
      }
      return [input, new TensorClass('int64', values, [batch.length, width])];
    }),
  );
}

function checkOutput(output: Tensor, count: number, name: string): Tensor {
  const { dims, type } = output;
  if (type === 'float32' && dims[0] === count && (dims.length === 2 || dims.length === 3)) return output;
  throw exposedError(
    `the graph of "${name}" returned ${type} of shape ${dims.join(' x ')} instead of the vectors of ${count} texts`,
  );
}
