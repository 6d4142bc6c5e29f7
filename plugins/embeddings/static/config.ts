import { readFile } from 'node:fs/promises';
import type { ModelFile } from '../../../core/contracts.ts';

/** What is used of a model's `config.json`. */
export interface StaticConfig {
  readonly dimensions: number | undefined;
  /** Whether vectors are scaled to length 1. */
  readonly normalizes: boolean;
  /** Whether a token that occurs `n` times counts `1 + ln(n)` times. */
  readonly dampsRepeats: boolean;
  /** Maps a cosine to `(cosine + offset) / (1 + offset)`. */
  readonly calibrationOffset: number | undefined;
}

export const CONFIG_FILE: ModelFile = { name: 'config.json', maxBytes: 1024 * 1024 };

/** Reads a `config.json`, or gives `undefined` where it is not that of a static model. */
export async function readConfig(path: string): Promise<StaticConfig | undefined> {
  const config = parse(await readFile(path, 'utf8'));
  if (config.model_type !== 'model2vec') return undefined;
  const offset = at(config, 'chunking_hints', 'similarity_calibration', 'offset');
  const dimensions = config.hidden_dim;
  return {
    dimensions: typeof dimensions === 'number' ? dimensions : undefined,
    normalizes: config.normalize === true,
    dampsRepeats: at(config, 'pooling', 'repeats') === 'log',
    calibrationOffset: typeof offset === 'number' && offset > -1 ? offset : undefined,
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** What is no JSON object has no fields; other providers may still know what to do with the model. */
function parse(json: string): Fields {
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
