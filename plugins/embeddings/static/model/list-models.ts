import type { ModelFiles, ModelInfo } from '../../../../core/kit.ts';
import { CONFIG_FILE, readConfig } from './config.ts';
import { WEIGHTS_FILE } from './open-model.ts';
import { OWN_MODELS } from './own-models.ts';

const OWN_NAMES = new Set(OWN_MODELS.flatMap(({ name, aliases }) => [name, ...aliases]));

/** The models of the plugin, then the other static models on this machine. */
export async function listModels(files: ModelFiles): Promise<ModelInfo[]> {
  const names = await files.names(WEIGHTS_FILE.name);
  const others = names.filter((name) => !OWN_NAMES.has(name));
  const described = await Promise.all(others.map((name) => describe(name, files)));
  return [...OWN_MODELS, ...described.flat()];
}

/** Returns an empty list if the model is not static. */
async function describe(name: string, files: ModelFiles): Promise<ModelInfo[]> {
  const path = await files.find(name, CONFIG_FILE);
  const config = path === undefined ? undefined : await readConfig(path);
  if (config === undefined) return [];
  return [config.dimensions === undefined ? { name } : { name, dimensions: config.dimensions }];
}
