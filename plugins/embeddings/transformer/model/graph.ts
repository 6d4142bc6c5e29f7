import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { exposedError } from '../../../../core/kit.ts';

/** A model's graph, and how it is run. */
export interface Graph {
  /** The model's name, for errors. */
  readonly name: string;
  readonly session: InferenceSession;
  readonly TensorClass: typeof Tensor;
}

/** The possible inputs of a graph: what each token has in them. Padding is zero. */
const INPUTS: Readonly<Record<string, 'id' | 1 | 0>> = {
  input_ids: 'id',
  attention_mask: 1,
  token_type_ids: 0,
};

/** Outputs in order of preference, the finished vector first. */
const OUTPUTS = ['sentence_embedding', 'last_hidden_state', 'token_embeddings'];

/**
 * Runs the graph on the ids of texts. Its output has a row per text: a vector, or one for each token.
 *
 * @throws an error for the caller if the graph does not match its tokenizer, or has another output
 */
export async function runGraph(graph: Graph, batch: readonly Uint32Array[]): Promise<Tensor> {
  const { name, session } = graph;
  const outputs = await session.run(inputsOf(graph, batch)).catch((cause: unknown) => {
    throw exposedError(`the graph of "${name}" does not accept the output of its tokenizer`, cause);
  });
  const found = OUTPUTS.find((output) => output in outputs) ?? session.outputNames[0];
  return checkOutput(outputs[found as string] as Tensor, batch.length, name);
}

function inputsOf({ session, TensorClass }: Graph, batch: readonly Uint32Array[]): Record<string, Tensor> {
  const width = Math.max(1, ...batch.map(({ length }) => length));
  const wanted = Object.entries(INPUTS).filter(([input]) => session.inputNames.includes(input));
  return Object.fromEntries(
    wanted.map(([input, content]) => {
      const values = new BigInt64Array(batch.length * width);
      batch.forEach((ids, row) => {
        const start = row * width;
        if (content !== 'id') values.fill(BigInt(content), start, start + ids.length);
        else
          for (let token = 0; token < ids.length; token++)
            values[start + token] = BigInt(ids[token] as number);
      });
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
