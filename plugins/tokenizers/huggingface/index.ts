import { readFile } from 'node:fs/promises';
import { exposedError, type Factory, type ModelFile, reasonOf } from '../../../core/kit.ts';
import type manifest from './manifest.ts';
import type { Library } from './stages/library-stages.ts';
import { createTokenizer } from './tokenizer/tokenizer.ts';

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

/** Opens any tokenizer from the hub, by its name there. */
const createHuggingFaceTokenizers: Factory<typeof manifest> = ({ models }) => ({
  names: () => models.names(TOKENIZER_FILE.name),
  async open(name) {
    const path = await models.find(name, TOKENIZER_FILE);
    if (path === undefined) return undefined;
    const json = await readFile(path, 'utf8');
    const library = (await import('@huggingface/tokenizers')) as unknown as Library;
    try {
      return createTokenizer(name, json, library);
    } catch (cause) {
      throw exposedError(`the tokenizer.json of "${name}" cannot be used: ${reasonOf(cause)}`, cause);
    }
  },
});

export default createHuggingFaceTokenizers;
