import type { DocumentInfo, Located, OffsetUnit, Report } from '../../../core/contracts/chunk.ts';
import type { Chunker } from '../../../core/contracts/chunker.ts';
import type { Log } from '../../../core/contracts/collaborators.ts';
import type { EmbeddingModel, LongTexts } from '../../../core/contracts/embedding.ts';
import type { Refinery } from '../../../core/contracts/refinery.ts';
import type { Tokenizer } from '../../../core/contracts/tokenizer.ts';
import { chunkText } from '../../../core/engine/chunking.ts';
import { isBlank } from '../../../core/engine/cuts/cuts.ts';
import type { CountedSpan } from '../../../core/engine/packing/packing.ts';
import { ServiceError } from '../../../core/errors.ts';
import type { PluginHost } from '../../../core/hosting/container.ts';
import { callPlugin } from '../../../core/hosting/plugin-error.ts';
import type { PluginEntry, Registry } from '../../../core/hosting/registry.ts';
import { chunkObjects, type DocumentChunks, givenChunks, placeChunks } from '../answer/chunk-set.ts';
import type { Timer } from '../answer/response-metadata.ts';
import { type Input, infoOf, NO_DOCUMENT, type SourceDocument } from '../read/documents.ts';
import type { NamedOptions } from '../validation/refusals.ts';
import { countingTokenizer } from './counting-tokenizer.ts';
import type { Openers } from './openers.ts';
import { startRefining } from './refining.ts';
import { supervisedModel } from './supervised-model.ts';

/** A stage of a request: a plugin and its validated options, with defaults. Plain data. */
export interface StageRequest {
  readonly kind: 'chunker' | 'refinery';
  readonly name: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** Place of the options, for messages: `steps[1].config.`. Undefined if they are members of the request itself. */
  readonly place?: string;
}

/** The tokenizer and the model that a stage opens, if any. Plain data. */
export interface StageUses {
  readonly tokenizer: string | undefined;
  readonly embedding: string | undefined;
}

/**
 * Resolves the tokenizer and the model of each stage; no other code does. Every chunker counts tokens: with the
 * requested tokenizer, otherwise with that of its model, otherwise with the default one.
 */
export function usesOf(
  stages: readonly StageRequest[],
  { registry, defaultTokenizer }: { readonly registry: Registry; readonly defaultTokenizer: string },
): StageUses[] {
  return stages.map(({ kind, name, options }) => {
    const { uses = [] } = registry.require(kind, name).manifest;
    const embedding = uses.includes('embedding') ? (options.embedding_model as string) : undefined;
    const named = (options.tokenizer as string | null | undefined) ?? undefined;
    if (kind === 'chunker' && embedding !== undefined) return { tokenizer: named, embedding };
    const counts = kind === 'chunker' || uses.includes('tokenizer');
    return { tokenizer: counts ? (named ?? defaultTokenizer) : undefined, embedding };
  });
}

export interface StageList {
  readonly stages: readonly StageRequest[];
  readonly uses: readonly StageUses[];
}

export function unitOf({ stages }: StageList): OffsetUnit {
  return stages.findLast(({ kind }) => kind === 'chunker')?.options.offset_unit as OffsetUnit;
}

export interface StageTools {
  readonly registry: Registry;
  readonly host: PluginHost;
  readonly openers: Openers;
  readonly log: Log;
  readonly signal: AbortSignal;
}

interface StageContext {
  readonly tools: StageTools;
  readonly report: Report;
  readonly timer: Timer;
  readonly leases: { release(): void }[];
}

/**
 * Opens stages and what their plugins use, calls `use` with the stages, and then releases everything.
 *
 * @throws ServiceError errors of `PluginHost`, `Openers` and `use`
 */
export async function withStages<T>(
  { stages, uses }: StageList,
  opening: Omit<StageContext, 'leases'>,
  use: (stages: readonly Stage[]) => Promise<T>,
): Promise<T> {
  const context: StageContext = { ...opening, leases: [] };
  try {
    const opened: Stage[] = [];
    for (const [at, stage] of stages.entries()) {
      opened.push(await openStage(stage, uses[at] as StageUses, context));
    }
    return await use(opened);
  } catch (error) {
    throw isAboutNames(error) ? Object.assign(error, { named: namedIn(stages, uses) }) : error;
  } finally {
    for (const lease of context.leases) lease.release();
  }
}

function isAboutNames(error: unknown): error is ServiceError {
  const codes = ['unknown_tokenizer', 'unknown_model', 'invalid_parameters'];
  return error instanceof ServiceError && codes.includes(error.code);
}

export function namedIn(stages: readonly StageRequest[], uses: readonly StageUses[]): NamedOptions[] {
  return stages.map(({ kind, name, options: given, place = '' }, at) => {
    const { tokenizer, embedding } = uses[at] as StageUses;
    const options = { ...given, tokenizer, embedding_model: embedding };
    return { kind, name, place, options };
  });
}

export type Stage = ChunkStage | ReturnType<typeof refineStage>;
type ChunkStage = Awaited<ReturnType<typeof chunkStage>>;

function openStage(
  { kind, name, options }: StageRequest,
  { tokenizer, embedding }: StageUses,
  context: StageContext,
): Promise<Stage> {
  const { registry, host, openers } = context.tools;
  const entry = registry.require(kind, name);
  return callPlugin<Stage>(entry, async () => {
    const plugin = await host.get(kind, name);
    const used = {
      ...(embedding !== undefined && { model: await leaseModel(entry, embedding, options, context) }),
      ...(tokenizer !== undefined && { tokenizer: await openers.tokenizer(tokenizer) }),
    };
    const opened = { entry, options, used };
    if (kind === 'chunker') return chunkStage(opened, plugin as Chunker, context);
    return refineStage(opened, plugin as Refinery, context);
  });
}

interface OpenedPlugin {
  readonly entry: PluginEntry;
  readonly options: StageRequest['options'];
  /** Only the tools that the plugin declares in `uses`, so that the plugin cannot rely on others. */
  readonly used: { readonly tokenizer?: Tokenizer; readonly model?: EmbeddingModel };
}

/**
 * Leases a model for a stage. A chunker's meaningless vectors are counted only if all vectors are meaningless.
 * Otherwise the chunker can group their sentences with others.
 */
async function leaseModel(
  { manifest }: PluginEntry,
  name: string,
  { long_texts: longTexts = 'average' }: { readonly long_texts?: LongTexts },
  { tools: { openers, log, signal }, timer, leases }: StageContext,
): Promise<EmbeddingModel> {
  const lease = await openers.model(name, signal);
  leases.push(lease);
  if (lease.isNew) timer.opened(lease.value, name);
  const isChunker = manifest.kind === 'chunker';
  const [unit, counts] = isChunker ? (['sentences', 'all'] as const) : (['chunks', 'each'] as const);
  return supervisedModel(lease.value, { log, timer, longTexts, unit, counts });
}

async function chunkStage(
  { entry, options, used }: OpenedPlugin,
  chunker: Chunker,
  { tools: { signal }, report, timer }: StageContext,
) {
  const tokenizer = used.tokenizer ?? (await countingTokenizer(used.model as EmbeddingModel));
  const { tokenizer: _, long_texts: __, offset_unit, ...own } = options;
  const { manifest } = entry;
  const limit = typeof own.chunk_size === 'number' ? own.chunk_size : Number.POSITIVE_INFINITY;
  return {
    unit: offset_unit as OffsetUnit,
    /** Counts chunks over `chunk_size`, which chunkers leave where they keep a unit of the text whole. */
    countOversize(spans: readonly CountedSpan[]): void {
      timer.count({ oversize: spans.filter(({ token_count }) => token_count > limit).length });
    },
    async chunk(text: string, document: DocumentInfo): Promise<CountedSpan[]> {
      if (used.model !== undefined) report('embedding-model', used.model.name);
      const tools = { ...used, tokenizer, document, report, signal };
      return callPlugin(entry, () =>
        timer.time('chunk', manifest.name, () => chunkText({ manifest, chunker }, text, own, tools)),
      );
    },
  };
}

function refineStage(
  { entry, options, used }: OpenedPlugin,
  refinery: Refinery,
  { tools: { signal }, report, timer }: StageContext,
) {
  const { tokenizer: _, long_texts: __, ...own } = options;
  return {
    async refine(document: SourceDocument, before: DocumentChunks): Promise<DocumentChunks> {
      if (used.model !== undefined) report('embedding-model', used.model.name);
      const { unit } = before;
      const given = chunkObjects(document, before);
      const origins = before.refined?.origins ?? given.map((_, index) => ({ index, before: '', after: '' }));
      const source = unit === undefined ? undefined : { text: document.text, unit };
      const refining = startRefining(entry, given, origins, source);
      const context = { ...used, ...refining.tools, document: infoOf(document, unit), report, signal };
      const refine = () => refinery.refine(given, own as never, context as never);
      const chunks = await callPlugin(entry, () => timer.time('refine', entry.manifest.name, refine));
      const refined = await callPlugin(entry, () => refining.finish(chunks));
      return { ...before, spans: refined.spans ?? before.spans, refined };
    },
  };
}

/**
 * Runs one input through the stages; lists and streams are run input by input. A further chunk stage splits the
 * chunks of the previous stage, with offsets in the document. The parts inherit the fields that chunk stages set,
 * but not those that refine stages set.
 *
 * @throws ServiceError
 */
export async function runStages(stages: readonly Stage[], input: Input): Promise<DocumentChunks> {
  const document = 'chunks' in input ? NO_DOCUMENT : input;
  let chunks = 'chunks' in input ? givenChunks(input.chunks) : undefined;
  const lastChunker = stages.findLast((stage) => 'chunk' in stage);
  for (const stage of stages) {
    if ('refine' in stage) chunks = await stage.refine(document, chunks as DocumentChunks);
    else {
      const spans = await (chunks === undefined
        ? stage.chunk(document.text, infoOf(document))
        : splitFurther(stage, document, chunks.spans));
      if (stage === lastChunker) stage.countOversize(spans);
      chunks = placeChunks(document, spans, stage.unit);
    }
  }
  return chunks as DocumentChunks;
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
 * A part that a further chunk stage made of a chunk, as a stretch of the document. The part's own fields win over
 * those of the chunk. Contexts are joined; the chunk's located stretches are cut to the part.
 *
 * @param part with offsets in the text of the chunk
 */
function partOf(whole: CountedSpan, part: CountedSpan): CountedSpan {
  const start = part.start + whole.start;
  const end = part.end + whole.start;
  const context = [whole.context, part.context].filter((one) => one !== undefined && one !== '').join('\n');
  const lists = { ...clipped(whole.located, start, end), ...moved(part.located, whole.start) };
  return {
    start,
    end,
    token_count: part.token_count,
    context: context === '' ? undefined : context,
    extra: part.extra === undefined ? whole.extra : { ...whole.extra, ...part.extra },
    located: Object.keys(lists).length === 0 ? undefined : lists,
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
