/** A model that is included in the plugin. */
export interface OwnModel {
  readonly name: string;
  readonly aliases: readonly string[];
  /** The first 12 digits of the SHA-256 of its weights. */
  readonly version: string;
  readonly dimensions: number;
}

/** The models in the plugin's folder `models`. */
export const OWN_MODELS: readonly OwnModel[] = [
  {
    name: 'chunksmith/static-en-256',
    aliases: ['vendor/potion-base-8M'],
    version: 'efa9ab6b5d21',
    dimensions: 256,
  },
  {
    name: 'chunksmith/retrieval-en-512',
    aliases: ['vendor/potion-retrieval-32M'],
    version: 'ba3319024e0e',
    dimensions: 512,
  },
];

/** The name of the model that a request names, possibly by an alias. */
export function ownNameOf(name: string): string {
  return OWN_MODELS.find(({ aliases }) => aliases.includes(name))?.name ?? name;
}
