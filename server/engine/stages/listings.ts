import { KINDS, type PluginId } from '../../../core/contracts/manifest.ts';
import type { PluginHost } from '../../../core/hosting/container.ts';
import {
  type BrokenPlugin,
  PLUGIN_ORIGINS,
  type PluginEntry,
  type Registry,
} from '../../../core/hosting/registry.ts';
import { type Described, described, listOf, object, text } from '../answer/schemas.ts';

export const listedPlugin = {
  title: 'Plugin',
  ...object(
    {
      kind: { enum: [...KINDS, null], description: 'Null for a broken plugin whose kind is unknown.' },
      name: text,
      summary: text,
      version: described('Its own version, if it has one.', text),
      engine: described('Versions of the plugin contract that it supports.', text),
      origin: {
        enum: PLUGIN_ORIGINS,
        description: 'Where it comes from: the server, a folder of plugins, or an npm package.',
      },
      state: {
        enum: ['ready', 'unavailable', 'broken'],
        description: 'It can run, it lacks something on this machine, or it is faulty itself.',
      },
      reason: described('Why it is not ready, with the remedy.', text),
      warning: described('Why it may fail here although it is ready.', text),
      available: { type: 'boolean', description: 'Whether the plugin can run here.' },
      missing: described('What it lacks, with the remedy.', listOf(text)),
    },
    ['version', 'engine', 'reason', 'warning'],
  ),
} as const;

export type ListedPlugin = Described<typeof listedPlugin>;

/** All plugins, broken ones last. @param failures errors of plugins that could not be created at their last use */
export function listPlugins(
  { all, broken }: Registry,
  failures: ReadonlyMap<PluginId, string>,
): readonly ListedPlugin[] {
  return [...all.map((entry) => describe(entry, failures.get(entry.id))), ...broken.map(describeBroken)];
}

function describe(
  { manifest, origin, warning, missing }: PluginEntry,
  failure: string | undefined,
): ListedPlugin {
  const { kind, name, summary, version, engine } = manifest;
  const lacks = failure === undefined ? [...missing] : [...missing, `it cannot be created: ${failure}`];
  const about = { kind, name, summary, version, engine, origin, warning };
  if (lacks.length === 0) return { ...about, state: 'ready', available: true, missing: lacks };
  const state = failure === undefined ? 'unavailable' : 'broken';
  return { ...about, state, reason: lacks.join('; '), available: false, missing: lacks };
}

function describeBroken({ kind, name, origin, reason }: BrokenPlugin): ListedPlugin {
  const missing = [`it is broken: ${reason}; see the server's log or --check`];
  const about = { kind: kind ?? null, name, summary: '', origin };
  return { ...about, state: 'broken', reason, available: false, missing };
}

export const listedTokenizer = {
  title: 'Tokenizer',
  ...object({
    name: text,
    aliases: described('Other names that a request may use.', listOf(text)),
    provider: described('The tokenizer plugin that opens it.', text),
    available: { type: 'boolean', description: 'Whether it can be opened now.' },
    missing: described('What is missing, with the remedy.', listOf(text)),
  }),
} as const;

export type ListedTokenizer = Described<typeof listedTokenizer>;

/**
 * All tokenizers that can be opened by name, and the tokenizers of plugins that cannot run here.
 *
 * @throws ServiceError errors of `PluginHost`
 */
export async function listTokenizers(registry: Registry, host: PluginHost): Promise<ListedTokenizer[]> {
  const lists = await Promise.all(registry.ofKind('tokenizer').map((entry) => tokenizersOf(entry, host)));
  return lists.flat();
}

async function tokenizersOf(
  { manifest, missing }: PluginEntry,
  host: PluginHost,
): Promise<ListedTokenizer[]> {
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
