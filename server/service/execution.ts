import type { Chunk, Located } from '../../core/contracts/chunk.ts';
import type { CountedSpan } from '../../core/engine/chunking.ts';
import { isBlank } from '../../core/engine/text.ts';
import { chunkObjects, type DocumentChunks, givenChunks, placeChunks } from './document-chunks.ts';
import { infoOf, type SourceDocument } from './documents.ts';
import type { ChunkStage, Stage } from './stages.ts';

/** What goes through the stages: a document, or a list of chunks of a request. */
export type Input = SourceDocument | GivenChunks;

export interface GivenChunks {
  readonly chunks: readonly Chunk[];
  /** The JSON of the `metadata` of each chunk, as it came; undefined if none has any. */
  readonly metadata?: readonly (Uint8Array | undefined)[] | undefined;
}

/**
 * Runs one input through the stages; whoever has a list or a stream of them runs one after the other. A chunk
 * stage after others splits the stretches of the document that the chunks before it cover, so that offsets stay
 * those of the document. What the chunk stages before it said of a chunk holds for its parts; fields that refine stages
 * added are dropped.
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
 * A part of a chunk that a further chunk stage has made, as a stretch of the document. It keeps what was said of the
 * whole: its own fields come above those, its own context behind that, and of located stretches it has its share.
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
