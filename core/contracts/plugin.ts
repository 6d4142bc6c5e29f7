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
  /** Memory of the machine or the container in bytes, whichever is less. */
  readonly memoryBytes: number;
  /** The environment variables that the plugin's manifest names. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Collaborators that a guarded reader does not receive: its thread may end at any moment. */
export const WITHHELD_FROM_GUARDED = [
  'shared',
  'models',
  'hosted',
] as const satisfies readonly (keyof Collaborators)[];

/** The collaborators that a manifest allows, without other plugins. */
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

/** The plugins that a manifest names in `chooses`, by id; `undefined` if a plugin cannot run here. */
type ChosenPlugins<Choice> = { readonly [Id in Extract<Choice, PluginId>]: ImplementationOf<Id> | undefined };

/**
 * Default export of a plugin's `index`: creates the plugin from the requested collaborators. It is called once per
 * thread; a failure is retried at the next use. If the result has a method `close`, the service calls it when it
 * stops, but not in worker threads.
 *
 * `Factory<typeof manifest>` has types for the plugins in `uses` and `chooses`, and omits collaborators that a
 * guarded reader does not receive.
 */
export type Factory<M extends Manifest = Manifest> = (
  collaborators: CollaboratorsOf<M> & UsedPlugins<UsesOf<M>> & ChosenPlugins<ChoicesOf<M>>,
) => Implementations[M['kind']] | Promise<Implementations[M['kind']]>;
