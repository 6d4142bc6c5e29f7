// The Node build of Awilix loads 60 files for finding modules on disk. The browser build does without them.

import { type AwilixContainer, asFunction, asValue, createContainer, InjectionMode } from 'awilix/browser';
import type { Kind, Manifest, PluginId } from '../contracts/manifest.ts';
import {
  type Collaborators,
  type Factory,
  type Implementations,
  WITHHELD_FROM_GUARDED,
} from '../contracts/plugin.ts';
import { exposedError } from '../errors.ts';
import * as kit from '../kit.ts';
import { callPlugin } from './plugin-error.ts';
import { type PluginEntry, type Registry, usedPlugins } from './registry.ts';

export type ImportFactory = (entry: PluginEntry) => Promise<Factory>;

export interface PluginHostOptions {
  readonly registry: Registry;
  readonly importFactory: ImportFactory;
  readonly collaborators: Partial<Omit<Collaborators, 'env'>>;
  readonly env: Collaborators['env'];
  readonly wrap?: <P extends object>(entry: PluginEntry, plugin: P) => P;
  readonly onCreated?: (entry: PluginEntry, error?: unknown) => void;
}

/**
 * Creates each plugin once, at its first use, from the collaborators that its factory requests by name. A plugin sees
 * only the environment variables and plugins that its manifest declares. Variables are declared in `needs.env`,
 * `reads` and `urls`, plugins in `uses` and `chooses`.
 */
export class PluginHost {
  readonly #options: PluginHostOptions;
  readonly #root = createContainer({ injectionMode: InjectionMode.PROXY, strict: true });
  readonly #made = new Map<PluginId, Promise<unknown>>();
  /** Scopes in order of creation: a plugin's dependencies come before the plugin. */
  readonly #scopes: AwilixContainer[] = [];

  constructor(options: PluginHostOptions) {
    this.#options = options;
    this.#root.register('kit', asValue(injectedKit));
  }

  /**
   * Returns the plugin, which is created at its first use. If that fails, the next call retries.
   *
   * @throws ServiceError `unknown_plugin`, `missing_capability`, `plugin_failed`
   */
  async get<K extends Kind>(kind: K, name: string): Promise<Implementations[K]> {
    const entry = this.#options.registry.require(kind, name);
    const plugin = this.#made.get(entry.id) ?? this.#start(entry);
    return plugin as Promise<Implementations[K]>;
  }

  async close(): Promise<void> {
    for (const scope of this.#scopes.splice(0).reverse()) await scope.dispose();
  }

  #start(entry: PluginEntry): Promise<unknown> {
    const plugin = callPlugin(entry, () => this.#make(entry));
    this.#made.set(entry.id, plugin);
    const { onCreated } = this.#options;
    plugin.then(
      () => onCreated?.(entry),
      (error: unknown) => {
        this.#made.delete(entry.id);
        onCreated?.(entry, error);
      },
    );
    return plugin;
  }

  async #make(entry: PluginEntry): Promise<unknown> {
    const { importFactory, wrap } = this.#options;
    const given = await this.#scopeOf(entry.manifest);
    const factory = await importFactory(entry);
    // The plugin is in a child scope, so that a factory that reads everything in `given` does not resolve itself.
    const scope = given.createScope<{ plugin: Promise<object> }>();
    const make = async () => (await factory(cradleOf(given, entry.manifest))) as object;
    scope.register('plugin', asFunction(make).scoped().disposer(close));
    const plugin = await scope.resolve('plugin');
    this.#scopes.push(scope);
    return wrap === undefined ? plugin : wrap(entry, plugin);
  }

  async #scopeOf(manifest: Manifest): Promise<AwilixContainer> {
    const scope = this.#root.createScope();
    for (const [name, value] of Object.entries(this.#options.collaborators)) {
      if (!isWithheld(manifest, name)) scope.register(name, asValue(value));
    }
    scope.register('env', asValue(environmentOf(manifest, this.#options.env)));
    for (const id of usedPlugins(manifest)) scope.register(id, asValue(await this.get(...partsOf(id))));
    for (const id of manifest.chooses ?? []) {
      const canRun = this.#options.registry.find(...partsOf(id))?.missing.length === 0;
      scope.register(id, asValue(canRun ? await this.get(...partsOf(id)) : undefined));
    }
    return scope;
  }
}

function isWithheld({ guarded }: Manifest, name: string): boolean {
  return guarded === true && WITHHELD_FROM_GUARDED.some((withheld) => withheld === name);
}

/** The argument of a factory. Reading a collaborator that the plugin may not have throws an error with the remedy. */
function cradleOf({ cradle }: AwilixContainer, manifest: Manifest): Parameters<Factory>[0] {
  return new Proxy(cradle as Parameters<Factory>[0], {
    get(given, name) {
      if (typeof name === 'symbol' || !isWithheld(manifest, name)) return Reflect.get(given, name);
      throw exposedError(
        `its factory asks for ${name}, which a guarded reader does not receive: do without it, or remove guarded from the manifest`,
      );
    },
  });
}

function partsOf(id: PluginId): [kind: Kind, name: string] {
  return id.split('/') as [Kind, string];
}

async function close(making: unknown): Promise<void> {
  const plugin = (await making) as { close?(): unknown };
  await plugin.close?.();
}

function environmentOf(
  { needs, reads = [], urls = [] }: Manifest,
  env: Collaborators['env'],
): Collaborators['env'] {
  return Object.fromEntries([...(needs?.env ?? []), ...reads, ...urls].map((name) => [name, env[name]]));
}

/**
 * Deprecated: the collaborator `kit` for plugins of contract 1. Plugins now import `chunksmith/kit` and
 * `chunksmith/toolkit`. Reading a name that `kit.ts` does not export throws an error for callers.
 */
export const injectedKit: object = new Proxy({ ...kit } as Readonly<Record<string | symbol, unknown>>, {
  get(functions, name) {
    if (typeof name === 'symbol' || name in functions) return functions[name];
    throw exposedError(
      `kit.${name} is no longer passed to factories: import ${name} from 'chunksmith/toolkit', or what AUTHORS.md names in its place`,
    );
  },
});
