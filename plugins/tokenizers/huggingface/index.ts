import { readFile } from 'node:fs/promises';
import type { Factory, ModelFile, Tokenizer } from '../../../core/contracts.ts';
import { exposedError, reasonOf } from '../../../core/errors.ts';
import type { Library } from './stages.ts';
import { createTokenizer } from './tokenizer.ts';

/** Most tokenizers that are kept loaded; then the one that was not used for longest goes. */
const MAX_LOADED = 8;

const TOKENIZER_FILE: ModelFile = {
  name: 'tokenizer.json',
  maxBytes: 100 * 1024 * 1024,
  check: async (path) => {
    const json = await readFile(path, 'utf8');
    try {
      JSON.parse(json);
    } catch (cause) {
      throw new Error('it is not JSON', { cause });
    }
  },
};

/** Opens any tokenizer of the hub, by its name there. */
const createHuggingFaceTokenizers: Factory<'tokenizer'> = ({ models }) => {
  const loading = new Map<string, Promise<Tokenizer | undefined>>();
  const loaded = new Map<string, Tokenizer>();

  async function load(name: string): Promise<Tokenizer | undefined> {
    const path = await models.find(name, TOKENIZER_FILE);
    if (path === undefined) return undefined;
    const json = await readFile(path, 'utf8');
    const library = (await import('@huggingface/tokenizers')) as unknown as Library;
    try {
      return createTokenizer(name, json, library);
    } catch (cause) {
      throw exposedError(`the tokenizer.json of "${name}" cannot be used: ${reasonOf(cause)}`, cause);
    }
  }

  async function loadAndKeep(name: string): Promise<Tokenizer | undefined> {
    try {
      const tokenizer = await load(name);
      if (tokenizer !== undefined) keep(name, tokenizer);
      return tokenizer;
    } finally {
      loading.delete(name);
    }
  }

  function keep(name: string, tokenizer: Tokenizer): void {
    loaded.delete(name);
    loaded.set(name, tokenizer);
    const [oldest] = loaded.keys();
    if (loaded.size > MAX_LOADED && oldest !== undefined) loaded.delete(oldest);
  }

  return {
    names: () => models.names(TOKENIZER_FILE.name),
    async open(name) {
      const tokenizer = loaded.get(name);
      if (tokenizer !== undefined) {
        keep(name, tokenizer);
        return tokenizer;
      }
      const started = loading.get(name) ?? loadAndKeep(name);
      loading.set(name, started);
      return started;
    },
  };
};

export default createHuggingFaceTokenizers;
