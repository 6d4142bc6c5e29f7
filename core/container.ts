import { asFunction, asValue, createContainer, InjectionMode } from 'awilix';
import type { Collaborators, Factory, Implementations, Kind, Manifest } from './contracts.ts';
import { reasonOf, ServiceError } from './errors.ts';
import { type PluginEntry, type Registry, usedPlugins } from './registry.ts';

/** Imports the default export of a plugin's `index`. */
export type ImportFactory = (entry: PluginEntry) => Promise<Factory>;

/** Makes plugins, each once and at first use, from the collaborators that they ask for by name. */
export interface PluginHost {
  /**
   * @throws ServiceError `unknown_plugin`, `missing_capability`, `plugin_failed`
   */
  get<K extends Kind>(kind: K, name: string): Promise<Implementations[K]>;
}

/**
 * The container that plugins are made in. A factory destructures what it needs: a collaborator
 * (`settings`, `log`, `shared`), or a plugin that its manifest lists in `uses` (`'chunker/sentence'`).
 */
export function createPluginHost(
  registry: Registry,
  importFactory: ImportFactory,
  collaborators: Omit<Collaborators, 'env'>,
  env: Collaborators['env'],
): PluginHost {
  const container = createContainer({ injectionMode: InjectionMode.PROXY, strict: true });
  for (const [name, value] of Object.entries(collaborators)) container.register(name, asValue(value));
  const made = new Map<string, Promise<unknown>>();

  async function make(entry: PluginEntry): Promise<unknown> {
    for (const id of usedPlugins(entry.manifest)) {
      const [kind, name] = id.split('/') as [Kind, string];
      container.register(id, asValue(await get(kind, name)));
    }
    const factory = await importFactory(entry);
    const scope = container.createScope();
    scope.register('env', asValue(environmentOf(entry.manifest, env)));
    // Built without a name of its own, so that a factory may also take "all the rest" of what there is.
    return await scope.build(asFunction(factory));
  }

  async function get(kind: Kind, name: string): Promise<unknown> {
    const entry = registry.require(kind, name);
    let plugin = made.get(entry.id);
    if (plugin === undefined) {
      plugin = make(entry).catch((error: unknown) => {
        made.delete(entry.id);
        throw asPluginError(entry, error);
      });
      made.set(entry.id, plugin);
    }
    return plugin;
  }

  return { get: get as PluginHost['get'] };
}

/** The variables that a manifest names. */
function environmentOf({ needs, reads = [] }: Manifest, env: Collaborators['env']): Collaborators['env'] {
  return Object.fromEntries([...(needs?.env ?? []), ...reads].map((name) => [name, env[name]]));
}

/**
 * Translates what a plugin threw. The message is shown to the caller only where the plugin marked the
 * error with `expose: true`, as a 400 where its `statusCode` says so; anything else may hold paths or
 * keys and goes to the log alone.
 */
export function asPluginError({ manifest: { kind, name } }: PluginEntry, error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const { expose, statusCode } = (error ?? {}) as { expose?: unknown; statusCode?: unknown };
  if (expose === true && statusCode === 400) {
    return new ServiceError('invalid_parameters', { problems: reasonOf(error) }, error);
  }
  const reason = expose === true ? reasonOf(error) : 'an unexpected error, which the log of the server has';
  return new ServiceError('plugin_failed', { kind, name, reason }, error);
}
