import type { Tensor } from 'onnxruntime-node';
import type { EmbeddingModel, EmbedRequest, Vectors } from '../../../../core/contracts/embedding.ts';
import type { Tokenizer } from '../../../../core/contracts/tokenizer.ts';
import { withPrompt } from '../../../../core/engine/prompts.ts';
import { batchesByLength } from './batches.ts';
import type { TransformerFiles } from './files.ts';
import { type Graph, runGraph } from './graph.ts';
import { normalize, poolTokens, type TokenRange } from './pooling.ts';

export type EncodingTokenizer = Tokenizer & Required<Pick<Tokenizer, 'encode'>>;

/** What a model is made of. */
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

/** The ids of texts between the special tokens, cut to `maxTokens` in all. */
function encodeTexts(
  texts: readonly string[],
  tokenizer: EncodingTokenizer,
  maxTokens: number,
): Uint32Array[] {
  const { prefix, suffix } = tokenizer.specialTokens ?? { prefix: [], suffix: [] };
  const room = maxTokens - prefix.length - suffix.length;
  return texts.map((text) =>
    Uint32Array.from([...prefix, ...tokenizer.encode(text).subarray(0, room), ...suffix]),
  );
}

function emptyVectors(count: number, { dims }: Tensor): Vectors {
  const dimensions = dims.at(-1) as number;
  return { dimensions, values: new Float32Array(count * dimensions) };
}

/** How many tokens a prompt takes before a text, with the special ones before it. */
function promptTokens(prompt: string, tokenizer: EncodingTokenizer): number {
  if (prompt === '') return 0;
  return (tokenizer.specialTokens?.prefix.length ?? 0) + tokenizer.encode(prompt).length;
}

/** Writes the vector of one text of a batch, that of its tokens in the range, into `target`. */
function writeVector(
  { dims, data }: Tensor,
  row: number,
  range: TokenRange,
  { pooling, normalizes }: TransformerFiles,
  target: Float32Array,
): void {
  const values = data as Float32Array;
  const dimensions = dims.at(-1) as number;
  if (dims.length === 2) target.set(values.subarray(row * dimensions, (row + 1) * dimensions));
  else poolTokens({ values, tokens: dims[1] as number, dimensions }, row, range, pooling, target);
  if (normalizes) normalize(target);
}
