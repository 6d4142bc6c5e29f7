import { readFile } from 'node:fs/promises';
import {
  exposedError,
  type Factory,
  type ModelFile,
  reasonOf,
  type SharedBuffers,
} from '../../../core/kit.ts';
import { packVocabulary } from './file/pack-vocabulary.ts';
import { parseTokenizerFile } from './file/tokenizer-file.ts';
import type manifest from './manifest.ts';
import { Vocabulary } from './models/vocabulary.ts';
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
const createHuggingFaceTokenizers: Factory<typeof manifest> = ({ models, shared }) => ({
  names: () => models.names(TOKENIZER_FILE.name),
  async open(name) {
    const path = await models.find(name, TOKENIZER_FILE);
    if (path === undefined) return undefined;
    const library = (await import('@huggingface/tokenizers')) as unknown as Library;
    try {
      return createTokenizer(name, parseTokenizerFile(await readShared(name, path, shared)), library);
    } catch (cause) {
      throw exposedError(`the tokenizer.json of "${name}" cannot be used: ${reasonOf(cause)}`, cause);
    }
  },
});

/**
 * The file, or its vocabulary in memory that all threads share if it is one that can be: the first thread that needs it
 * reads the file. It is kept until the process ends.
 */
async function readShared(name: string, path: string, shared: SharedBuffers): Promise<string | Vocabulary> {
  let json: string | undefined;
  const memory = await shared.get(`huggingface/${name}`, async () => {
    json = await readFile(path, 'utf8');
    return packVocabulary(json)?.memory ?? NO_VOCABULARY;
  });
  return memory.byteLength > 0 ? new Vocabulary(memory) : (json ?? readFile(path, 'utf8'));
}

const NO_VOCABULARY = new SharedArrayBuffer(0);

export default createHuggingFaceTokenizers;
