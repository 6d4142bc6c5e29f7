import type { Factory } from '../../../core/kit.ts';
import type manifest from './manifest.ts';
import { listModels, openModel } from './model/open-model.ts';
import { createTableRegistry } from './table/table-registry.ts';

/** Opens static models by name: the plugin's own, and any other in the Model2Vec layout. */
const createStaticEmbeddings: Factory<typeof manifest> = ({
  models: files,
  shared,
  'tokenizer/huggingface': tokenizers,
}) => {
  const tables = createTableRegistry(shared);
  return {
    list: () => listModels(files),
    open: (name, signal) => openModel(name, { files, tokenizers, tables }, signal),
  };
};

export default createStaticEmbeddings;
