import type { Chunk, DocumentInfo, Located, OffsetUnit, Report } from '../../../core/contracts/chunk.ts';
import type { Chunker } from '../../../core/contracts/chunker.ts';
import type { Log } from '../../../core/contracts/collaborators.ts';
import type { EmbeddingModel } from '../../../core/contracts/embedding.ts';
import type { Kind } from '../../../core/contracts/manifest.ts';
import type { Refinery } from '../../../core/contracts/refinery.ts';
import type { Tokenizer } from '../../../core/contracts/tokenizer.ts';
import { type CountedSpan, chunkText } from '../../../core/engine/chunking.ts';
import { isBlank } from '../../../core/engine/cuts/cuts.ts';
import type { PluginHost } from '../../../core/hosting/container.ts';
import { callPlugin } from '../../../core/hosting/plugin-error.ts';
import type { PluginEntry, Registry } from '../../../core/hosting/registry.ts';
import type { Timer } from '../answer/response-metadata.ts';
import { infoOf, type SourceDocument } from '../read/documents.ts';
import { chunkObjects, type DocumentChunks, givenChunks, type Origin, placeChunks } from './chunk-set.ts';
import type { Openers } from './openers.ts';
import { type Refined, type RefinedSource, startRefining } from './refining.ts';
import { supervisedModel } from './supervised-model.ts';

/** A stage of a request: a plugin and its validated options, with defaults. Plain data. */
export interface StageRequest {
  readonly kind: 'chunker' | 'refinery';
  readonly name: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** A stage that is ready to run for one request. */
export type Stage = ChunkStage | RefineStage;

export interface ChunkStage {
  readonly unit: OffsetUnit;
  /** @param document what is known about the document besides its text */
  chunk(text: string, document: DocumentInfo): Promise<CountedSpan[]>;
}

export interface RefineStage {
  /**
   * @param source the text of the chunks, if they come from one
   * @param document what is known about it besides
   */
  refine(
    chunks: readonly Chunk[],
    origins: readonly Origin[],
    source: RefinedSource | undefined,
    document: DocumentInfo,
  ): Promise<Refined>;
}

/** The tokenizer and the model that a stage opens, if any. Plain data. */
export interface StageUses {
  readonly tokenizer: string | undefined;
  readonly embedding: string | undefined;
}

/** Every chunker counts tokens: with the tokenizer of its model, if it uses one. */
export function usesOf(
  { manifest }: PluginEntry,
  options: StageRequest['options'],
  defaultTokenizer: string,
): StageUses {
  const uses = (kind: Kind) => manifest.uses?.includes(kind) === true;
  const embedding = uses('embedding') ? (options.embedding_model as string) : undefined;
  const counts = manifest.kind === 'chunker' ? embedding === undefined : uses('tokenizer');
  const tokenizer = (options.tokenizer as string | undefined) ?? defaultTokenizer;
  return { tokenizer: counts ? tokenizer : undefined, embedding };
}

/** Stages, and what each of them uses. */
export interface StageList {
  readonly stages: readonly StageRequest[];
  readonly uses: readonly StageUses[];
}

/** What the stages of one request share. */
export interface RunContext {
  readonly report: Report;
  readonly signal: AbortSignal;
  readonly timer: Timer;
  /** Registers a lease to be released when the request ends. */
  keep(lease: { release(): void }): void;
}

/** What stages are created from. */
export interface StageTools {
  readonly registry: Registry;
  readonly host: PluginHost;
  readonly openers: Openers;
  readonly log: Log;
}

/** What a request provides to the stages that it opens. */
interface Opening extends Omit<RunContext, 'keep'> {
  readonly list: StageList;
  readonly tools: StageTools;
}

/**
 * Opens stages with exactly what their plugins use, calls `use` with them, and releases what they hold.
 *
 * @throws ServiceError errors of `PluginHost`, `Openers` and `use`
 */
export async function withStages<T>(
  { list, tools, ...shared }: Opening,
  use: (stages: readonly Stage[]) => Promise<T>,
): Promise<T> {
  const leases: { release(): void }[] = [];
  const context: RunContext = { ...shared, keep: (lease) => leases.push(lease) };
  try {
    const stages: Stage[] = [];
    for (const [at, request] of list.stages.entries()) {
      stages.push(await openStage(request, list.uses[at] as StageUses, tools, context));
    }
    return await use(stages);
  } finally {
    for (const lease of leases) lease.release();
  }
}

function openStage(
  { kind, name, options }: StageRequest,
  uses: StageUses,
  tools: StageTools,
  context: RunContext,
): Promise<Stage> {
  const entry = tools.registry.require(kind, name);
  const open = async () => ({ entry, options, used: await openUsed(entry, uses, tools, context) });
  return callPlugin<Stage>(entry, async () => {
    if (kind === 'chunker') {
      const chunker = await tools.host.get(kind, name);
      return chunkStage(await open(), chunker, context);
    }
    const refinery = await tools.host.get(kind, name);
    return refineStage(await open(), refinery, context);
  });
}

/** A plugin with its options, and what was opened for it. */
interface OpenedPlugin {
  readonly entry: PluginEntry;
  readonly options: StageRequest['options'];
  readonly used: Used;
}

async function chunkStage(
  { entry, options, used }: OpenedPlugin,
  chunker: Chunker,
  { report, signal, timer }: RunContext,
): Promise<ChunkStage> {
  const tokenizer = used.tokenizer ?? ((await used.model?.tokenizer()) as Tokenizer);
  const { tokenizer: _, offset_unit, ...own } = options;
  const ready = { manifest: entry.manifest, chunker };
  return {
    unit: offset_unit as OffsetUnit,
    async chunk(text, document) {
      if (used.model !== undefined) report('embedding-model', used.model.name);
      const run = () => chunkText(ready, text, own, { ...used, tokenizer, document, report, signal });
      return callPlugin(entry, () => timer.time('chunk', entry.manifest.name, run));
    },
  };
}

function refineStage(
  { entry, options, used }: OpenedPlugin,
  refinery: Refinery,
  { report, signal, timer }: RunContext,
): RefineStage {
  const { tokenizer: _, ...own } = options;
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
interface Used {
  readonly tokenizer?: Tokenizer;
  readonly model?: EmbeddingModel;
}

async function openUsed(
  entry: PluginEntry,
  { tokenizer, embedding }: StageUses,
  tools: StageTools,
  context: RunContext,
): Promise<Used> {
  return {
    ...(embedding !== undefined && { model: await leaseModel(entry, embedding, tools, context) }),
    ...(tokenizer !== undefined && { tokenizer: await tools.openers.tokenizer(tokenizer) }),
  };
}

/** A chunker can group sentences whose vectors mean nothing with others; only if all mean nothing, nothing is cut. */
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

/** What goes through the stages: a document, or a list of chunks of a request. */
export type Input = SourceDocument | GivenChunks;

export interface GivenChunks {
  readonly chunks: readonly Chunk[];
  /** The JSON of the `metadata` of each chunk, as it came; undefined if none has any. */
  readonly metadata?: readonly (Uint8Array | undefined)[] | undefined;
}

/**
 * Runs one input through the stages; lists and streams are run one input after the other. A chunk stage after others
 * splits the stretches of the document that the previous chunks cover, so offsets stay those of the document. What
 * earlier chunk stages said about a chunk applies to its parts; fields added by refine stages are dropped.
 *
 * @throws ServiceError
 */
export async function runStages(stages: readonly Stage[], input: Input): Promise<DocumentChunks> {
  const document = 'chunks' in input ? NO_DOCUMENT : input;
  let chunks = 'chunks' in input ? givenChunks(input.chunks) : undefined;
  for (const stage of stages) {
    chunks =
      'chunk' in stage
        ? await chunkDocument(stage, document, chunks)
        : await refineChunks(stage, document, chunks as DocumentChunks);
  }
  return chunks as DocumentChunks;
}

const NO_DOCUMENT: SourceDocument = { text: '', json: new Uint8Array(0) };

async function chunkDocument(
  stage: ChunkStage,
  document: SourceDocument,
  before: DocumentChunks | undefined,
): Promise<DocumentChunks> {
  const spans = await (before === undefined
    ? stage.chunk(document.text, infoOf(document))
    : splitFurther(stage, document, before.spans));
  return placeChunks(document, spans, stage.unit);
}

async function refineChunks(
  stage: Exclude<Stage, ChunkStage>,
  document: SourceDocument,
  before: DocumentChunks,
): Promise<DocumentChunks> {
  const objects = chunkObjects(document, before);
  const origins = before.refined?.origins ?? objects.map((_, index) => ({ index, before: '', after: '' }));
  const { unit } = before;
  const source = unit === undefined ? undefined : { text: document.text, unit };
  const refined = await stage.refine(objects, origins, source, infoOf(document, unit));
  return { ...before, spans: refined.spans ?? before.spans, refined };
}

async function splitFurther(
  { chunk }: ChunkStage,
  document: SourceDocument,
  spans: readonly CountedSpan[],
): Promise<CountedSpan[]> {
  const info = infoOf(document);
  const split: CountedSpan[] = [];
  for (const span of spans) {
    const own = document.text.slice(span.start, span.end);
    const parts = isBlank(own) ? [] : await chunk(own, info);
    if (parts.length === 0) split.push(span);
    for (const part of parts) split.push(partOf(span, part));
  }
  return split;
}

/**
 * A part of a chunk made by a further chunk stage, as a stretch of the document. It inherits the fields of the whole:
 * its own fields take precedence, its own context comes after the inherited one, and located stretches are clipped to
 * it.
 *
 * @param part with offsets in the text of the chunk
 */
function partOf(whole: CountedSpan, part: CountedSpan): CountedSpan {
  const [start, end] = [part.start + whole.start, part.end + whole.start];
  const { token_count } = part;
  const context = [whole.context, part.context].filter((one) => one !== undefined && one !== '').join('\n');
  const lists = { ...clipped(whole.located, start, end), ...moved(part.located, whole.start) };
  return {
    start,
    end,
    token_count,
    ...(context === '' ? {} : { context }),
    ...(whole.extra === undefined && part.extra === undefined
      ? {}
      : { extra: { ...whole.extra, ...part.extra } }),
    ...(Object.keys(lists).length === 0 ? {} : { located: lists }),
  };
}

type Lists = CountedSpan['located'];

function moved(lists: Lists, by: number): Lists {
  return mapped(lists, (list) => list.map((one) => ({ ...one, start: one.start + by, end: one.end + by })));
}

function clipped(lists: Lists, start: number, end: number): Lists {
  const share = (one: Located) => ({
    ...one,
    start: Math.max(one.start, start),
    end: Math.min(one.end, end),
  });
  return mapped(lists, (list) => list.filter((one) => one.start < end && one.end > start).map(share));
}

function mapped(lists: Lists, change: (list: readonly Located[]) => readonly Located[]): Lists {
  return lists && Object.fromEntries(Object.entries(lists).map(([field, list]) => [field, change(list)]));
}
