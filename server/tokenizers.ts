import { asPluginError, type PluginHost } from '../core/container.ts';
import type { Tokenizer } from '../core/contracts.ts';
import { ServiceError } from '../core/errors.ts';
import { ownersOf } from '../core/models.ts';
import type { Registry } from '../core/registry.ts';

/**
 * Opens a tokenizer by the name that a request gives.
 *
 * @throws ServiceError `unknown_tokenizer`, `missing_capability`, `plugin_failed`
 */
export type OpenTokenizer = (name: string) => Promise<Tokenizer>;

export function createTokenizers(registry: Registry, host: PluginHost): OpenTokenizer {
  return async (name) => {
    for (const owner of ownersOf(registry, 'tokenizer', name)) {
      const provider = await host.get('tokenizer', owner.manifest.name);
      try {
        const tokenizer = await provider.open(name);
        if (tokenizer !== undefined) return tokenizer;
      } catch (error) {
        throw asPluginError(owner, error);
      }
    }
    throw await unknown(name);
  };

  async function unknown(name: string): Promise<ServiceError> {
    const known = (await knownTokenizers(registry, host)).join(', ');
    return new ServiceError('unknown_tokenizer', { name: JSON.stringify(name), known });
  }
}

/** Names of all tokenizers that can be opened now. */
async function knownTokenizers(registry: Registry, host: PluginHost): Promise<string[]> {
  const ready = registry.ofKind('tokenizer').filter((entry) => entry.missing.length === 0);
  const names = await Promise.all(
    ready.map(async ({ manifest }) => (await host.get('tokenizer', manifest.name)).names()),
  );
  return names.flat();
}
