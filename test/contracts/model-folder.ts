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
export function modelFolder(t: Cleanup): Promise<string> {
  const wordPiece = bertWordPiece();
  const tokens = Object.keys(wordPiece.model.vocab as object).length;
  return temporaryFolder(t, {
    [`made/byte-level/${TOKENIZER}`]: byteLevelBpe(),
    [`made/metaspace/${TOKENIZER}`]: metaspaceBpe(),
    [`made/unigram/${TOKENIZER}`]: unigram(),
    [`made/transformer/${TOKENIZER}`]: wordPiece,
    'made/transformer/config.json': { model_type: 'bert', max_position_embeddings: 64 },
    'made/transformer/modules.json': [{ type: 'sentence_transformers.models.Pooling' }],
    'made/transformer/onnx/model.onnx': writeOnnx(createTinyModel(tokens, DIMENSIONS)),
  });
}
