import { readFile, stat } from 'node:fs/promises';
import { exposedError, type ModelFile, type ModelFiles, type ModelInfo } from '../../../core/kit.ts';
import { PROMPTS_FILE, type Prompts, promptsOf } from '../../toolkit/prompts.ts';

export type PoolingMode = 'mean' | 'cls' | 'max' | 'last';

export interface TransformerFiles {
  readonly weights: string;
  readonly bytes: number;
  readonly pooling: PoolingMode;
  readonly normalizes: boolean;
  /** Maximum tokens of a text, including special tokens. */
  readonly maxTokens: number;
  readonly prompts: Prompts;
  /** Whether pooling includes the tokens of the prompt. */
  readonly poolsPrompt: boolean;
}

const MEGABYTE = 1024 * 1024;
const ONNX_FILES = ['onnx/model.onnx', 'model.onnx'];
const DEFAULT_LENGTH = 512;
/** A length above this in a file means that the tokenizer has no limit. */
const MAX_LENGTH = 1 << 20;

/** Files and members that may specify the maximum length of a text. The first valid length counts. */
const LENGTH_FILES = [
  ['sentence_bert_config.json', 'max_seq_length'],
  ['tokenizer_config.json', 'model_max_length'],
  ['config.json', 'max_position_embeddings'],
] as const;

export async function listTransformers(models: ModelFiles): Promise<ModelInfo[]> {
  const names = (await Promise.all(ONNX_FILES.map((file) => models.names(file)))).flat();
  // Only files on this machine are read: listing the models must not download files.
  const having = await Promise.all(LENGTH_FILES.map(async ([file]) => new Set(await models.names(file))));
  return Promise.all([...new Set(names)].sort().map((name) => describe(models, name, having)));
}

async function describe(
  models: ModelFiles,
  name: string,
  having: readonly ReadonlySet<string>[],
): Promise<ModelInfo> {
  const { signal } = new AbortController();
  const json = (file: string) => {
    const at = LENGTH_FILES.findIndex(([one]) => one === file);
    return having[at]?.has(name) === true ? readJson(models, name, file, signal) : undefined;
  };
  try {
    return { name, window: await windowOf(json) };
  } catch {
    // A file is broken. The error is reported when a request uses the model.
    return { name };
  }
}

type Json = Readonly<Record<string, unknown>> | undefined;

async function windowOf(json: (file: string) => Promise<Json> | undefined): Promise<number> {
  for (const [file, member] of LENGTH_FILES) {
    const length = (await json(file))?.[member];
    if (isLength(length)) return length;
  }
  return DEFAULT_LENGTH;
}

/** Reads a model's settings. Returns `undefined` if the model is not an ONNX transformer. */
export async function findTransformer(
  models: ModelFiles,
  name: string,
  signal: AbortSignal,
): Promise<TransformerFiles | undefined> {
  const json = (file: string) => readJson(models, name, file, signal);
  const config = await json('config.json');
  if (config === undefined || config.model_type === 'model2vec') return undefined;
  const weights = await findWeights(models, name, signal);
  if (weights === undefined) return undefined;
  const modules = await json('modules.json');
  const pooling = await json('1_Pooling/config.json');
  return {
    ...weights,
    pooling: poolingOf(pooling, name),
    poolsPrompt: pooling?.include_prompt !== false,
    prompts: promptsOf(await json(PROMPTS_FILE.name)),
    normalizes: JSON.stringify(modules ?? '').includes('Normalize'),
    maxTokens: await windowOf(json),
  };
}

async function findWeights(models: ModelFiles, name: string, signal: AbortSignal) {
  for (const file of ONNX_FILES) {
    const path = await models.find(name, { name: file, maxBytes: 2048 * MEGABYTE }, signal);
    if (path === undefined) continue;
    const data = await models.find(name, { name: `${file}_data`, maxBytes: 16_384 * MEGABYTE }, signal);
    const sizes = await Promise.all(
      [path, ...(data === undefined ? [] : [data])].map(async (one) => (await stat(one)).size),
    );
    return { weights: path, bytes: sizes.reduce((sum, size) => sum + size) };
  }
  return undefined;
}

async function readJson(models: ModelFiles, name: string, file: string, signal: AbortSignal): Promise<Json> {
  const check: ModelFile['check'] = async (path) => void JSON.parse(await readFile(path, 'utf8'));
  const path = await models.find(name, { name: file, maxBytes: 10 * MEGABYTE, check }, signal);
  if (path === undefined) return undefined;
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    throw exposedError(`the ${file} of "${name}" is not JSON`, cause);
  }
}

const MODES: Readonly<Record<string, PoolingMode>> = {
  pooling_mode_mean_tokens: 'mean',
  pooling_mode_cls_token: 'cls',
  pooling_mode_max_tokens: 'max',
  pooling_mode_lasttoken: 'last',
};

/** The pooling mode. The default is the mean, as in sentence-transformers. */
function poolingOf(config: Json, name: string): PoolingMode {
  if (config === undefined) return 'mean';
  const chosen = Object.entries(config).filter(
    ([key, value]) => key.startsWith('pooling_mode_') && value === true,
  );
  const [mode] = chosen.map(([key]) => MODES[key]);
  if (chosen.length === 1 && mode !== undefined) return mode;
  const given = chosen.map(([key]) => key).join(', ') || 'none';
  throw exposedError(
    `the pooling of "${name}" is not supported: expected mean, cls, max or last token, got ${given}`,
  );
}

function isLength(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) <= MAX_LENGTH;
}
