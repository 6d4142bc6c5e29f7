import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { SharedBuffers } from '../../../../../core/contracts/collaborators.ts';
import type { EmbeddingModel, EmbeddingProvider } from '../../../../../core/contracts/embedding.ts';
import createStaticEmbeddings from '../../../../../plugins/embeddings/static/index.ts';
import { ownBuffers } from '../../../../../server/engine/run/shared-buffers.ts';
import { createModelFiles } from '../../../../../server/plugins/hub/model-files.ts';
import { collaborators, quietLog } from '../../../../../server/testing/collaborators.ts';
import { wordPieceOf } from '../../../../fixtures/tokenizers/tokenizer-files.ts';
import { factoryOf } from '../../../../support/here.ts';
import { settingsIn } from '../../../../support/model-hub.ts';

const OWN_MODELS = new URL('../../../../../plugins/embeddings/static/models', import.meta.url).pathname;

/** The provider as the service makes it, with an empty folder of models beside its own, into which `add` puts some. */
export async function createProviderWithFolder(t: Test, shared: SharedBuffers = ownBuffers) {
  const folder = t.testdir({});
  const settings = settingsIn(folder, { modelsDir: folder, allowDownloads: false });
  const models = createModelFiles({ settings, log: quietLog, ownFolders: [OWN_MODELS] });
  const given = collaborators({ shared, models });
  const tokenizers = await (await factoryOf('tokenizer', 'huggingface'))(given);
  const provider = (await createStaticEmbeddings({
    ...given,
    'tokenizer/huggingface': tokenizers,
  })) as EmbeddingProvider;
  const add = async (name: string, files: Readonly<Record<string, string | Uint8Array>>) => {
    await mkdir(join(folder, name), { recursive: true });
    for (const [file, content] of Object.entries(files)) await writeFile(join(folder, name, file), content);
  };
  return { provider, add, folder };
}

/** Opens a model that is there. */
export async function openModel(provider: EmbeddingProvider, name: string): Promise<EmbeddingModel> {
  const model = await provider.open(name, new AbortController().signal);
  if (model === undefined) throw new Error(`there is no ${name}`);
  return model;
}

export const WORDS = ['[UNK]', 'red', 'green', 'blue', 'black', 'white', '##ish', 'grey'];

/** The words above are tokens, `ish` may follow one, and all else is unknown. */
export const TOKENIZER = JSON.stringify({
  normalizer: { type: 'Lowercase' },
  pre_tokenizer: { type: 'Whitespace' },
  model: wordPieceOf(WORDS),
});

/** The files of a static model, of which `config` may say more. */
export const filesOf = (weights: Uint8Array | string, config: object = {}) => ({
  'config.json': JSON.stringify({ model_type: 'model2vec', ...config }),
  'tokenizer.json': TOKENIZER,
  'model.safetensors': weights,
});

interface WrittenTensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

/** A file of the tensors; `change` may spoil its header. */
export function safetensors(
  tensors: Readonly<Record<string, WrittenTensor>>,
  change: (header: string) => string = (header) => header,
): Uint8Array {
  let end = 0;
  const entries = Object.entries(tensors).map(([name, { dtype, shape, bytes }]) => {
    const start = end;
    end += bytes.length;
    return [name, { dtype, shape, data_offsets: [start, end] }];
  });
  const header = Buffer.from(change(JSON.stringify(Object.fromEntries(entries))));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, header, ...Object.values(tensors).map(({ bytes }) => bytes)]);
}

/** Numbers as bytes of a type, each written by itself. */
export function tensor(dtype: string, shape: readonly number[], values: readonly number[]): WrittenTensor {
  const bytes = Buffer.concat(values.map((value) => WRITERS[dtype]?.(value) ?? Buffer.of()));
  return { dtype, shape, bytes };
}

const WRITERS: Readonly<Record<string, (value: number) => Uint8Array>> = {
  I8: (value) => new Uint8Array(Int8Array.of(value).buffer),
  F16: (value) => new Uint8Array(Uint16Array.of(halfOf(value)).buffer),
  BF16: (value) => new Uint8Array(Float32Array.of(value).buffer, 2, 2),
  F32: (value) => new Uint8Array(Float32Array.of(value).buffer),
  F64: (value) => new Uint8Array(Float64Array.of(value).buffer),
  I32: (value) => new Uint8Array(Int32Array.of(value).buffer),
  I64: (value) => new Uint8Array(BigInt64Array.of(BigInt(value)).buffer),
};

/** The bits of a number that half precision can hold exactly. */
function halfOf(value: number): number {
  if (value === 0) return 0;
  const exponent = Math.floor(Math.log2(Math.abs(value)));
  const fraction = Math.abs(value) / 2 ** exponent - 1;
  return (value < 0 ? 0x8000 : 0) | ((exponent + 15) << 10) | Math.round(fraction * 1024);
}
