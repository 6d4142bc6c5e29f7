import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createTinyModel, writeOnnx } from '../fixtures/embeddings/transformer/model.ts';
import {
  bertWordPiece,
  byteLevelBpe,
  metaspaceBpe,
  unigram,
} from '../fixtures/tokenizers/tokenizer-files.ts';
import { type Cleanup, temporaryFolder } from '../support/server.ts';

const DIMENSIONS = 8;
const TOKENIZER = 'tokenizer.json';

/** A folder of models as users have it: tokenizers of each family, and a transformer. */
export async function modelFolder(t: Cleanup): Promise<string> {
  const wordPiece = bertWordPiece();
  const tokens = Object.keys(wordPiece.model.vocab as object).length;
  const files: Readonly<Record<string, object>> = {
    [`made/byte-level/${TOKENIZER}`]: byteLevelBpe(),
    [`made/metaspace/${TOKENIZER}`]: metaspaceBpe(),
    [`made/unigram/${TOKENIZER}`]: unigram(),
    [`made/transformer/${TOKENIZER}`]: wordPiece,
    'made/transformer/config.json': { model_type: 'bert', max_position_embeddings: 64 },
    'made/transformer/modules.json': [{ type: 'sentence_transformers.models.Pooling' }],
    'made/transformer/onnx/model.onnx': writeOnnx(createTinyModel(tokens, DIMENSIONS)),
  };
  const folder = await temporaryFolder(t);
  for (const [file, content] of Object.entries(files)) {
    const path = join(folder, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content instanceof Uint8Array ? content : JSON.stringify(content));
  }
  return folder;
}
