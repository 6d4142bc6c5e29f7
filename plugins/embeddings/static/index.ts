import type { Factory, ModelFile, ModelInfo, TokenizerProvider } from '../../../core/contracts.ts';
import { exposedError, reasonOf } from '../../../core/errors.ts';
import { CONFIG_FILE, readConfig, type StaticConfig } from './config.ts';
import { createModel, type Parts } from './model.ts';
import { OWN_MODELS, ownNameOf } from './own-models.ts';
import { createTables } from './tables.ts';

const WEIGHTS_FILE: ModelFile = { name: 'model.safetensors', maxBytes: 2 ** 31 };
const TOKENIZER_FILE: ModelFile = { name: 'tokenizer.json', maxBytes: 100 * 1024 * 1024 };

/** Opens static models: those of the plugin, and any other by its name. */
const createStaticEmbeddings: Factory<'embedding'> = ({ models, shared, ...others }) => {
  const tokenizers = others['tokenizer/huggingface'] as TokenizerProvider;
  const tables = createTables(shared);

  async function configOf(name: string, signal?: AbortSignal): Promise<StaticConfig | undefined> {
    const path = await models.find(name, CONFIG_FILE, signal);
    return path === undefined ? undefined : readConfig(path);
  }

  async function fileOf(name: string, file: ModelFile, signal: AbortSignal): Promise<string> {
    const path = await models.find(name, file, signal);
    if (path === undefined) throw exposedError(`the model "${name}" has no ${file.name}`);
    return path;
  }

  async function tokenizerOf(name: string): Promise<Parts['tokenizer']> {
    const tokenizer = await tokenizers.open(name);
    if (tokenizer?.encode === undefined) throw exposedError(`the model "${name}" has no tokenizer.json`);
    return tokenizer as Parts['tokenizer'];
  }

  async function describe(name: string): Promise<ModelInfo[]> {
    const config = await configOf(name);
    if (config === undefined) return [];
    return [config.dimensions === undefined ? { name } : { name, dimensions: config.dimensions }];
  }

  return {
    async list() {
      const found = await models.names(WEIGHTS_FILE.name);
      const own = new Set(OWN_MODELS.flatMap(({ name, aliases }) => [name, ...aliases]));
      const others = await Promise.all(found.filter((name) => !own.has(name)).map(describe));
      return [...OWN_MODELS, ...others.flat()];
    },
    async open(requested, signal) {
      const name = ownNameOf(requested);
      const config = await configOf(name, signal);
      if (config === undefined) return undefined;
      const weights = await fileOf(name, WEIGHTS_FILE, signal);
      const vocabulary = await fileOf(name, TOKENIZER_FILE, signal);
      const tokenizer = await tokenizerOf(name);
      try {
        const { table, close } = await tables.open(name, weights, vocabulary);
        return createModel({ name, config, table, tokenizer, close });
      } catch (cause) {
        throw exposedError(`the model.safetensors of "${name}" cannot be used: ${withoutPath(cause)}`, cause);
      }
    },
  };
};

/** The message of an error; only the code of one of the file system, whose message names a path. */
function withoutPath(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : reasonOf(error);
}

export default createStaticEmbeddings;
