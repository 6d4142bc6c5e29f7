import { readFile } from 'node:fs/promises';
import type { ModelFile } from '../../../../core/kit.ts';
import { LEXICAL_VERSION } from '../lexical/lexical-vectors.ts';
import type { PoolingOptions } from '../pooling/mean-pooling.ts';

/** The used fields of a model's `config.json`. */
export interface StaticConfig extends PoolingOptions {
  readonly dimensions: number | undefined;
  /** Maps a cosine to `(cosine + offset) / (1 + offset)`. */
  readonly calibrationOffset: number | undefined;
  /** Whether texts in other than Latin letters get vectors from their parts, because the vocabulary lacks their words. */
  readonly readsParts: boolean;
}

export const CONFIG_FILE: ModelFile = { name: 'config.json', maxBytes: 1024 * 1024 };

/** Reads a `config.json`. Returns `undefined` if it is not that of a static model. */
export async function readConfig(path: string): Promise<StaticConfig | undefined> {
  const config = parseFields(await readFile(path, 'utf8'));
  if (config.model_type !== 'model2vec') return undefined;
  const offset = at(config, 'chunking_hints', 'similarity_calibration', 'offset');
  const dimensions = config.hidden_dim;
  return {
    dimensions: typeof dimensions === 'number' ? dimensions : undefined,
    normalizes: config.normalize === true,
    dampsRepeats: at(config, 'pooling', 'repeats') === 'log',
    readsParts: config.other_scripts === LEXICAL_VERSION,
    calibrationOffset: typeof offset === 'number' && offset > -1 ? offset : undefined,
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** A file that is not a JSON object has no fields; other plugins may still support the model. */
export function parseFields(json: string): Fields {
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function at(fields: Fields, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), fields);
}

const isRecord = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
