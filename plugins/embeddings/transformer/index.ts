import type { EmbeddingModel, Factory, TokenizerProvider } from '../../../core/contracts.ts';
import { exposedError } from '../../../core/errors.ts';
import { findTransformer, ONNX_FILES } from './files.ts';
import { createModel, type Parts } from './model.ts';

/** A worker thread runs one request at a time, so a graph gets one thread too. */
const SESSION = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
  logSeverityLevel: 3,
} as const;

/** Opens sentence-embedding transformers in ONNX, by their name on the hub. */
const createTransformers: Factory<'embedding'> = ({ models, 'tokenizer/huggingface': given }) => {
  const tokenizers = given as TokenizerProvider;

  async function open(name: string, signal: AbortSignal): Promise<EmbeddingModel | undefined> {
    const files = await findTransformer(models, name, signal);
    if (files === undefined) return undefined;
    const tokenizer = await tokenizers.open(name);
    if (tokenizer?.encode === undefined) throw exposedError(`"${name}" has no tokenizer.json`);
    const { InferenceSession, Tensor } = await import('onnxruntime-node');
    const session = await InferenceSession.create(files.weights, SESSION).catch((cause: unknown) => {
      throw exposedError(`the ONNX file of "${name}" cannot be loaded`, cause);
    });
    return createModel({
      name,
      files,
      session,
      TensorClass: Tensor,
      tokenizer: tokenizer as Parts['tokenizer'],
    });
  }

  return {
    open,
    async list() {
      const names = (await Promise.all(ONNX_FILES.map((file) => models.names(file)))).flat();
      return [...new Set(names)].sort().map((name) => ({ name }));
    },
  };
};

export default createTransformers;
