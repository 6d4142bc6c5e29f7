import type { PluginHost } from '../../../core/hosting/container.ts';
import type { PluginEntry, Registry } from '../../../core/hosting/registry.ts';

/** A tokenizer that requests may name. */
export interface ListedTokenizer {
  readonly name: string;
  /** Aliases that requests may use for it. */
  readonly aliases: readonly string[];
  /** The plugin that opens it. */
  readonly provider: string;
  /** Whether it can be opened now. */
  readonly available: boolean;
  /** What is missing, with the remedy; empty if it is available. */
  readonly missing: readonly string[];
}

/**
 * All tokenizers that can be opened by name, and those that a plugin would have if it lacked nothing.
 *
 * @throws ServiceError errors of `PluginHost`
 */
export async function listTokenizers(registry: Registry, host: PluginHost): Promise<ListedTokenizer[]> {
  const lists = await Promise.all(registry.ofKind('tokenizer').map((entry) => listOf(entry, host)));
  return lists.flat();
}

async function listOf({ manifest, missing }: PluginEntry, host: PluginHost): Promise<ListedTokenizer[]> {
  const { name: provider, models = [] } = manifest;
  const list = (names: readonly string[], aliases: Readonly<Record<string, string>> = {}) =>
    names.map((name) => ({
      name,
      aliases: Object.keys(aliases).filter((alias) => aliases[alias] === name),
      provider,
      available: missing.length === 0,
      missing,
    }));
  if (missing.length > 0) return list(models.filter((model) => !model.endsWith('*')));
  const plugin = await host.get('tokenizer', provider);
  return list(await plugin.names(), plugin.aliases?.());
}
