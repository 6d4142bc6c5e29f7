import {
  type EmbeddingModel,
  exposedError,
  type Factory,
  type ModelFiles,
  type Tokenizer,
  type TokenizerProvider,
} from '../../../core/kit.ts';
import { findTransformer, listTransformers } from './files.ts';
import type manifest from './manifest.ts';
import { createModel, type EncodingTokenizer, type Graph } from './model.ts';

const createTransformers: Factory<typeof manifest> = ({ models, 'tokenizer/huggingface': tokenizers }) => ({
  list: () => listTransformers(models),
  open: (name, signal) => openModel(name, models, tokenizers, signal),
});

export default createTransformers;

/** One thread per graph: the server already processes requests in parallel, one per worker thread. */
const SESSION_OPTIONS = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
  logSeverityLevel: 3,
} as const;

/**
 * Opens a model by its name. Returns `undefined` if there is no ONNX transformer with that name.
 *
 * @throws an error for the caller if a file of the model is missing or broken
 */
async function openModel(
  name: string,
  models: ModelFiles,
  tokenizers: TokenizerProvider,
  signal: AbortSignal,
): Promise<EmbeddingModel | undefined> {
  const files = await findTransformer(models, name, signal);
  if (files === undefined) return undefined;
  const tokenizer = await tokenizers.open(name);
  if (tokenizer === undefined || !canEncode(tokenizer)) throw exposedError(`"${name}" has no tokenizer.json`);
  return createModel({ files, tokenizer, graph: await loadGraph(name, files.weights) });
}

const canEncode = (tokenizer: Tokenizer): tokenizer is EncodingTokenizer => tokenizer.encode !== undefined;

async function loadGraph(name: string, weights: string): Promise<Graph> {
  const { InferenceSession, Tensor } = await import('onnxruntime-node');
  const session = await InferenceSession.create(weights, SESSION_OPTIONS).catch((cause: unknown) => {
    throw exposedError(`the ONNX file of "${name}" cannot be loaded`, cause);
  });
  return { name, session, TensorClass: Tensor };
}
