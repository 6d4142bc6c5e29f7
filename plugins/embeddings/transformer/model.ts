import type { InferenceSession, Tensor } from 'onnxruntime-node';
import type { EmbeddingModel, EmbedRequest, Tokenizer, Vectors } from '../../../core/contracts.ts';
import { exposedError } from '../../../core/errors.ts';
import type { TransformerFiles } from './files.ts';
import { normalize, pool } from './pooling.ts';

/** Texts, and tokens with their padding, that one run of the graph takes; they bound its memory. */
const BATCH_TEXTS = 64;
const BATCH_TOKENS = 8192;

/** What a model is made of. */
export interface Parts {
  readonly name: string;
  readonly files: TransformerFiles;
  readonly session: InferenceSession;
  readonly TensorClass: typeof Tensor;
  readonly tokenizer: Tokenizer & Required<Pick<Tokenizer, 'encode'>>;
}

/** A transformer whose graph is loaded. */
export function createModel({ name, files, session, TensorClass, tokenizer }: Parts): EmbeddingModel {
  const { before, after } = tokenizer.frame ?? { before: [], after: [] };
  const room = files.maxTokens - before.length - after.length;
  const idsOf = (text: string) =>
    Uint32Array.from([...before, ...tokenizer.encode(text).subarray(0, room), ...after]);
  const tensor = (values: BigInt64Array, shape: readonly number[]) => new TensorClass('int64', values, shape);

  async function embed(texts: readonly string[], { signal, progress }: EmbedRequest): Promise<Vectors> {
    const ids = texts.map(idsOf);
    let vectors: Vectors = { dimensions: 0, values: new Float32Array() };
    let done = 0;
    for (const batch of batchesByLength(ids)) {
      signal.throwIfAborted();
      const output = await run(batch.map((index) => ids[index] as Uint32Array));
      if (vectors.dimensions === 0) vectors = emptyVectors(texts.length, output);
      batch.forEach((index, row) => {
        const { dimensions, values } = vectors;
        const target = values.subarray(index * dimensions, (index + 1) * dimensions);
        writeVector(output, row, (ids[index] as Uint32Array).length, target);
      });
      done += batch.length;
      progress?.(done);
    }
    return vectors;
  }

  async function run(batch: readonly Uint32Array[]): Promise<Tensor> {
    const width = Math.max(1, ...batch.map(({ length }) => length));
    const shape = [batch.length, width];
    const inputs: Record<string, Tensor> = {};
    const add = (input: string, numberOf: (ids: Uint32Array, token: number) => number) => {
      if (!session.inputNames.includes(input)) return;
      const values = new BigInt64Array(batch.length * width);
      batch.forEach((ids, row) => {
        for (let token = 0; token < ids.length; token++)
          values[row * width + token] = BigInt(numberOf(ids, token));
      });
      inputs[input] = tensor(values, shape);
    };
    add('input_ids', (ids, token) => ids[token] as number);
    add('attention_mask', () => 1);
    add('token_type_ids', () => 0);
    const outputs = await session.run(inputs).catch((cause: unknown) => {
      throw exposedError(`the graph of "${name}" does not take what its tokenizer gives`, cause);
    });
    const found = OUTPUTS.find((output) => output in outputs) ?? session.outputNames[0];
    return checked(outputs[found as string] as Tensor, batch.length);
  }

  function checked(output: Tensor, count: number): Tensor {
    const { dims, type } = output;
    if (type === 'float32' && dims[0] === count && (dims.length === 2 || dims.length === 3)) return output;
    throw exposedError(
      `the graph of "${name}" gives ${type} of shape ${dims.join(' x ')} and not the vectors of ${count} texts`,
    );
  }

  function writeVector({ dims, data }: Tensor, row: number, length: number, target: Float32Array): void {
    const values = data as Float32Array;
    const dimensions = dims.at(-1) as number;
    if (dims.length === 2) target.set(values.subarray(row * dimensions, (row + 1) * dimensions));
    else pool({ values, tokens: dims[1] as number, dimensions }, row, length, files.pooling, target);
    if (files.normalizes) normalize(target);
  }

  return {
    name,
    bytes: files.bytes,
    tokenizer: async () => tokenizer,
    embed,
    close: () => session.release(),
  };
}

/** Outputs that are looked for, the finished vector first. */
const OUTPUTS = ['sentence_embedding', 'last_hidden_state', 'token_embeddings'];

function emptyVectors(count: number, { dims }: Tensor): Vectors {
  const dimensions = dims.at(-1) as number;
  return { dimensions, values: new Float32Array(count * dimensions) };
}

/** Places of texts of about the same length, so that little is padded. */
function batchesByLength(ids: readonly Uint32Array[]): number[][] {
  const order = ids.map((_, index) => index).sort((a, b) => lengthAt(ids, a) - lengthAt(ids, b));
  const batches: number[][] = [];
  let batch: number[] = [];
  for (const index of order) {
    const isFull = batch.length === BATCH_TEXTS || (batch.length + 1) * lengthAt(ids, index) > BATCH_TOKENS;
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
