import type { Chunk, DocumentInfo, OffsetUnit, Report } from '../../core/contracts/chunk.ts';
import type { Log } from '../../core/contracts/collaborators.ts';
import type { EmbeddingModel } from '../../core/contracts/embedding.ts';
import type { Kind } from '../../core/contracts/manifest.ts';
import type { Tokenizer } from '../../core/contracts/tokenizer.ts';
import { type CountedSpan, chunkText } from '../../core/engine/chunking.ts';
import type { PluginHost } from '../../core/hosting/container.ts';
import { callPlugin } from '../../core/hosting/plugin-error.ts';
import type { PluginEntry, Registry } from '../../core/hosting/registry.ts';
import type { Origin } from './document-chunks.ts';
import type { Openers } from './openers.ts';
import { type Refined, type RefinedSource, startRefining } from './refining.ts';
import { supervisedModel } from './supervised-model.ts';
import type { Timer } from './timings.ts';

/** A stage of a request: a plugin and its options, checked and with their defaults. Plain data. */
export interface StageRequest {
  readonly kind: 'chunker' | 'refinery';
  readonly name: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** A stage that is ready to run for one request. */
export type Stage = ChunkStage | RefineStage;

export interface ChunkStage {
  readonly unit: OffsetUnit;
  /** @param document what is known of the document besides its text */
  chunk(text: string, document: DocumentInfo): Promise<CountedSpan[]>;
}

export interface RefineStage {
  /**
   * @param source the text of the chunks, if they are of one
   * @param document what is known of it besides
   */
  refine(
    chunks: readonly Chunk[],
    origins: readonly Origin[],
    source: RefinedSource | undefined,
    document: DocumentInfo,
  ): Promise<Refined>;
}

/** What the stages of one request share. */
export interface RunContext {
  readonly report: Report;
  readonly signal: AbortSignal;
  readonly timer: Timer;
  /** Has a lease released when the request ends. */
  keep(lease: { release(): void }): void;
}

/** What stages are made from. */
export interface StageTools {
  readonly registry: Registry;
  readonly host: PluginHost;
  readonly openers: Openers;
  readonly log: Log;
  /** The tokenizer that counts if a request names none. */
  readonly defaultTokenizer: string;
}

/**
 * Opens what the plugin of the stage uses, and nothing else.
 *
 * @throws ServiceError what `PluginHost` and `Openers` throw
 */
export async function openStage(
  request: StageRequest,
  tools: StageTools,
  context: RunContext,
): Promise<Stage> {
  const entry = tools.registry.require(request.kind, request.name);
  const open = request.kind === 'chunker' ? openChunkStage : openRefineStage;
  return callPlugin<Stage>(entry, () => open(entry, request.options, tools, context));
}

type Options = StageRequest['options'];

/** The names of the tokenizer and of the model that a stage opens, if it opens any. */
export interface UsedNames {
  readonly tokenizer: string | undefined;
  readonly embedding: string | undefined;
}

/** Every chunker counts tokens: with the tokenizer of its model, if it uses one. */
export function namesUsed({ manifest }: PluginEntry, options: Options, defaultTokenizer: string): UsedNames {
  const uses = (kind: Kind) => manifest.uses?.includes(kind) === true;
  const embedding = uses('embedding') ? (options.embedding_model as string) : undefined;
  const counts = manifest.kind === 'chunker' ? embedding === undefined : uses('tokenizer');
  const tokenizer = (options.tokenizer as string | undefined) ?? defaultTokenizer;
  return { tokenizer: counts ? tokenizer : undefined, embedding };
}

async function openChunkStage(
  entry: PluginEntry,
  options: Options,
  tools: StageTools,
  context: RunContext,
): Promise<ChunkStage> {
  const chunker = await tools.host.get('chunker', entry.manifest.name);
  const opened = await openUsed(entry, options, tools, context);
  const tokenizer = opened.tokenizer ?? ((await opened.model?.tokenizer()) as Tokenizer);
  const { tokenizer: _, offset_unit, ...own } = options;
  const { report, signal, timer } = context;
  const ready = { manifest: entry.manifest, chunker };
  return {
    unit: offset_unit as OffsetUnit,
    async chunk(text, document) {
      if (opened.model !== undefined) report('embedding-model', opened.model.name);
      const run = () => chunkText(ready, text, own, { ...opened, tokenizer, document, report, signal });
      return callPlugin(entry, () => timer.time('chunk', entry.manifest.name, run));
    },
  };
}

async function openRefineStage(
  entry: PluginEntry,
  options: Options,
  tools: StageTools,
  context: RunContext,
): Promise<RefineStage> {
  const refinery = await tools.host.get('refinery', entry.manifest.name);
  const used = await openUsed(entry, options, tools, context);
  const { tokenizer: _, ...own } = options;
  const { report, signal, timer } = context;
  return {
    async refine(given, origins, source, document) {
      if (used.model !== undefined) report('embedding-model', used.model.name);
      const refining = startRefining(entry, given, origins, source);
      const context = { ...used, ...refining.tools, document, report, signal };
      const run = () => refinery.refine(given, own as never, context as never);
      const chunks = await callPlugin(entry, () => timer.time('refine', entry.manifest.name, run));
      return callPlugin(entry, () => refining.finish(chunks));
    },
  };
}

/** What a stage has opened. What it does not use is not even a property, so that no plugin comes to rely on it. */
interface Opened {
  readonly tokenizer?: Tokenizer;
  readonly model?: EmbeddingModel;
}

/** Opens what `namesUsed` names. */
async function openUsed(
  entry: PluginEntry,
  options: Options,
  tools: StageTools,
  context: RunContext,
): Promise<Opened> {
  const { tokenizer, embedding } = namesUsed(entry, options, tools.defaultTokenizer);
  return {
    ...(embedding !== undefined && { model: await leaseModel(entry, embedding, tools, context) }),
    ...(tokenizer !== undefined && { tokenizer: await tools.openers.tokenizer(tokenizer) }),
  };
}

/** A chunker puts sentences that say nothing beside others; only if all do, nothing is cut. */
async function leaseModel(
  { manifest }: PluginEntry,
  name: string,
  { openers, log }: StageTools,
  { signal, timer, keep }: RunContext,
): Promise<EmbeddingModel> {
  const lease = await openers.model(name, signal);
  keep(lease);
  if (lease.isNew) timer.opened(lease.value.name);
  return supervisedModel(lease.value, log, timer, manifest.kind === 'chunker' ? 'all' : 'each');
}
