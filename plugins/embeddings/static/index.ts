import { readFile } from 'node:fs/promises';
import {
  type EmbeddingModel,
  exposedError,
  type Factory,
  type ModelFile,
  type ModelFiles,
  type ModelInfo,
  reasonOf,
  type Tokenizer,
  type TokenizerProvider,
} from '../../../core/kit.ts';
import { PROMPTS_FILE, promptsOf } from '../../toolkit/prompts.ts';
import { LEXICAL_VERSION, readPartRows } from './lexical/part-rows.ts';
import type manifest from './manifest.ts';
import { CONFIG_FILE, createModel, type EncodingTokenizer, parseFields, readConfig } from './model.ts';
import {
  createTableRegistry,
  readTable,
  type TableLease,
  type TableRegistry,
} from './table/table-registry.ts';

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

const WEIGHTS_FILE: ModelFile = { name: 'model.safetensors', maxBytes: 2 ** 31 };
const TOKENIZER_FILE: ModelFile = { name: 'tokenizer.json', maxBytes: 100 * 1024 * 1024 };
const FAMILIARITY_FILE: ModelFile = { name: 'familiarity.bin', maxBytes: 10 * 1024 * 1024 };

/** The models in the folder `models`. `version` is the first 12 hex digits of the SHA-256 of the weights. */
export const OWN_MODELS: readonly Required<ModelInfo>[] = [
  {
    name: 'chunksmith/static-en-256',
    aliases: ['vendor/potion-base-8M'],
    version: 'efa9ab6b5d21',
    dimensions: 256,
    window: null,
  },
  {
    name: 'chunksmith/retrieval-en-512',
    aliases: ['vendor/potion-retrieval-32M'],
    version: 'ba3319024e0e',
    dimensions: 512,
    window: null,
  },
];

function ownNameOf(name: string): string {
  return OWN_MODELS.find(({ aliases }) => aliases.includes(name))?.name ?? name;
}

const OWN_NAMES = new Set(OWN_MODELS.flatMap(({ name, aliases }) => [name, ...aliases]));

async function listModels(files: ModelFiles): Promise<ModelInfo[]> {
  const names = await files.names(WEIGHTS_FILE.name);
  const others = names.filter((name) => !OWN_NAMES.has(name));
  const described = await Promise.all(others.map((name) => describe(name, files)));
  return [...OWN_MODELS, ...described.flat()];
}

async function describe(name: string, files: ModelFiles): Promise<ModelInfo[]> {
  const path = await files.find(name, CONFIG_FILE);
  const config = path === undefined ? undefined : await readConfig(path);
  if (config === undefined) return [];
  const { dimensions } = config;
  return [{ name, ...(dimensions !== undefined && { dimensions }), window: null }];
}

interface ModelSources {
  readonly files: ModelFiles;
  readonly tokenizers: TokenizerProvider;
  readonly tables: TableRegistry;
}

/**
 * Opens a model by its name or alias. Returns `undefined` if there is no static model with that name.
 *
 * @throws an error for the caller if a file of the model is missing or broken
 */
async function openModel(
  requested: string,
  { files, tokenizers, tables }: ModelSources,
  signal: AbortSignal,
): Promise<EmbeddingModel | undefined> {
  const name = ownNameOf(requested);
  const configPath = await files.find(name, CONFIG_FILE, signal);
  const config = configPath === undefined ? undefined : await readConfig(configPath);
  if (config === undefined) return undefined;
  const weights = await findFile(files, name, WEIGHTS_FILE, signal);
  await findFile(files, name, TOKENIZER_FILE, signal);
  const tokenizer = await openTokenizer(tokenizers, name);
  const promptsPath = await files.find(name, PROMPTS_FILE, signal);
  const prompts = promptsOf(
    promptsPath === undefined ? {} : parseFields(await readFile(promptsPath, 'utf8')),
  );
  const levels = config.readsParts
    ? new Int8Array(await readFile(await findFile(files, name, FAMILIARITY_FILE, signal)))
    : undefined;
  const { table, release } = await leaseTable(tables, name, weights, tokenizer.unknownId);
  const openParts = () => tables.lease(LEXICAL_VERSION, readPartRows);
  return createModel({ name, config, prompts, table, tokenizer, levels, openParts, close: release });
}

async function findFile(
  files: ModelFiles,
  name: string,
  file: ModelFile,
  signal: AbortSignal,
): Promise<string> {
  const path = await files.find(name, file, signal);
  if (path === undefined) throw exposedError(`the model "${name}" has no ${file.name}`);
  return path;
}

async function openTokenizer(tokenizers: TokenizerProvider, name: string): Promise<EncodingTokenizer> {
  const tokenizer = await tokenizers.open(name);
  if (tokenizer === undefined || !canEncode(tokenizer)) {
    throw exposedError(`the model "${name}" has no tokenizer.json`);
  }
  return tokenizer;
}

const canEncode = (tokenizer: Tokenizer): tokenizer is EncodingTokenizer => tokenizer.encode !== undefined;

async function leaseTable(
  tables: TableRegistry,
  name: string,
  weights: string,
  unknownId: number | undefined,
): Promise<TableLease> {
  try {
    return await tables.lease(name, () => readTable(weights, unknownId));
  } catch (cause) {
    throw exposedError(`the model.safetensors of "${name}" cannot be used: ${withoutPath(cause)}`, cause);
  }
}

/** The message of an error. For a file system error only the code, because such a message contains a path. */
function withoutPath(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : reasonOf(error);
}
