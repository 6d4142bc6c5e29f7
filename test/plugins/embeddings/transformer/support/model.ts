import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Test } from 'tap';
import { createTinyModel, writeOnnx } from '../../../../fixtures/embeddings/transformer/model.ts';

export const WORDS = [
  '[PAD]',
  '[UNK]',
  '[CLS]',
  '[SEP]',
  'tea',
  'milk',
  'water',
  'rain',
  'sun',
  'moon',
  'star',
  '.',
];
const TOKENIZER = {
  version: '1.0',
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: { type: 'BertProcessing', cls: ['[CLS]', 2], sep: ['[SEP]', 3] },
  decoder: null,
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])),
  },
};
/** A transformer small enough to be computed by hand. */
export const TINY = createTinyModel(WORDS.length, 8);
export const NAME = 'made/tiny';

export type Files = Readonly<Record<string, object | Uint8Array | string>>;

/** The files of the tiny model. */
export const FILES: Files = {
  'config.json': { model_type: 'bert', max_position_embeddings: 64 },
  'tokenizer.json': TOKENIZER,
  'onnx/model.onnx': writeOnnx(TINY),
  'modules.json': [{ type: 'sentence_transformers.models.Pooling' }],
};

/** Writes files of the tiny model into a new models folder and gives its path. */
export async function writeModel(t: Test, files: Files): Promise<string> {
  const modelsDir = t.testdir();
  for (const [file, content] of Object.entries(files)) {
    const path = join(modelsDir, NAME, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(
      path,
      content instanceof Uint8Array || typeof content === 'string' ? content : JSON.stringify(content),
    );
  }
  return modelsDir;
}
