import type { AnyChunker } from './chunker.ts';
import type { CreateCheck, HostedModels, Log, ModelFiles, SharedBuffers } from './collaborators.ts';
import type { EmbeddingProvider } from './embedding.ts';
import type { ChoicesOf, Kind, Manifest, PluginId, UsesOf } from './manifest.ts';
import type { Reader } from './reader.ts';
import type { AnyRefinery } from './refinery.ts';
import type { Sink } from './sink.ts';
import type { TokenizerProvider } from './tokenizer.ts';

/** The collaborators that a plugin's factory may request by name. */
export interface Collaborators {
  readonly log: Log;
  /** Compiles checks of JSON Schemas, for files that a plugin reads. */
  readonly createCheck: CreateCheck;
  readonly shared: SharedBuffers;
  /** Files of models on this machine, and on the hub if downloads are allowed. */
  readonly models: ModelFiles;
  /** Tools for providers of hosted models. */
  readonly hosted: HostedModels;
  /** Total memory of the machine, or the memory limit of the container if that is lower, in bytes. */
  readonly memoryBytes: number;
  /** The environment variables that the plugin's manifest names. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Collaborators that a guarded reader does not receive, because its thread may be terminated at any moment. */
export const WITHHELD_FROM_GUARDED = [
  'shared',
  'models',
  'hosted',
] as const satisfies readonly (keyof Collaborators)[];

/** The collaborators that a plugin with this manifest receives. Other plugins are not included. */
type CollaboratorsOf<M> = M extends { readonly guarded: true }
  ? Omit<Collaborators, (typeof WITHHELD_FROM_GUARDED)[number]>
  : Collaborators;

export interface Implementations {
  chunker: AnyChunker;
  refinery: AnyRefinery;
  reader: Reader;
  sink: Sink;
  embedding: EmbeddingProvider;
  tokenizer: TokenizerProvider;
}

type ImplementationOf<Id> = Id extends `${infer K extends Kind}/${string}` ? Implementations[K] : never;

type UsedPlugins<Use> = { readonly [Id in Extract<Use, PluginId>]: ImplementationOf<Id> };

/** The plugins in a manifest's `chooses`, by id; `undefined` for a plugin that cannot run here. */
type ChosenPlugins<Choice> = { readonly [Id in Extract<Choice, PluginId>]: ImplementationOf<Id> | undefined };

/**
 * Default export of a plugin's `index`: creates the plugin from the requested collaborators. The factory is called
 * once per thread; if it fails, the next use calls it again. When the service stops, it calls the plugin's method
 * `close`, if any, except in worker threads.
 *
 * `Factory<typeof manifest>` has types for the plugins in `uses` and `chooses`. For a guarded reader, it omits the
 * collaborators that such a reader does not receive.
 */
export type Factory<M extends Manifest = Manifest> = (
  collaborators: CollaboratorsOf<M> & UsedPlugins<UsesOf<M>> & ChosenPlugins<ChoicesOf<M>>,
) => Implementations[M['kind']] | Promise<Implementations[M['kind']]>;
