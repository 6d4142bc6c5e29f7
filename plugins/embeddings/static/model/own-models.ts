import type { ModelInfo } from '../../../../core/kit.ts';

/** The models in the plugin's folder `models`. A version is the first 12 digits of the SHA-256 of the weights. */
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

/** The name of the model that a request names, possibly by an alias. */
export function ownNameOf(name: string): string {
  return OWN_MODELS.find(({ aliases }) => aliases.includes(name))?.name ?? name;
}
