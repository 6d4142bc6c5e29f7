import type { Factory } from '../../../core/kit.ts';
import type manifest from './manifest.ts';
import { listTransformers } from './model/files.ts';
import { openModel } from './model/open-model.ts';

/** Opens sentence-embedding transformers in ONNX, by their name on the hub. */
const createTransformers: Factory<typeof manifest> = ({ models, 'tokenizer/huggingface': tokenizers }) => ({
  list: () => listTransformers(models),
  open: (name, signal) => openModel(name, models, tokenizers, signal),
});

export default createTransformers;
