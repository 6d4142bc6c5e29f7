import type { Test } from 'tap';
import { createTinyModel, writeOnnx } from '../../../../fixtures/embeddings/transformer/model.ts';
import { wordPieceOf } from '../../../../fixtures/tokenizers/tokenizer-files.ts';
import { type Cleanup, temporaryFolder } from '../../../../support/server.ts';

export const WORDS = '[PAD] [UNK] [CLS] [SEP] tea milk water rain sun moon star .'.split(' ');
const TOKENIZER = {
  version: '1.0',
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: { type: 'BertProcessing', cls: ['[CLS]', 2], sep: ['[SEP]', 3] },
  decoder: null,
  model: wordPieceOf(WORDS),
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
export function writeModel(t: Cleanup, files: Files): Promise<string> {
  const named = Object.entries(files).map(([file, content]) => [`${NAME}/${file}`, content]);
  return temporaryFolder(t, Object.fromEntries(named));
}

/** Holds that a vector is a plain computation's, but for rounding. */
export function checkClose(t: Test, found: readonly number[], wanted: readonly number[], name: string): void {
  const furthest = Math.max(...wanted.map((value, at) => Math.abs(value - (found[at] as number))));
  t.ok(found.length === wanted.length && furthest < 1e-5, `${name}: ${furthest}`);
}

export type Pool = (rows: number[][]) => number[];
export const mean: Pool = (rows) =>
  (rows[0] as number[]).map((_, at) => rows.reduce((sum, row) => sum + (row[at] as number), 0) / rows.length);
