import type { CountedSpan } from './chunking.ts';
import type { Chunk, Span } from './contracts.ts';
import { ServiceError } from './errors.ts';
import { extrasOf, locate, type OffsetUnit } from './json-chunks.ts';
import type { Source } from './json-objects.ts';
import type { JsonText } from './json-text.ts';
import { isBlank } from './text.ts';

/**
 * A step of a stored pipeline. The configuration takes the fields of the plugin's own endpoint. What is
 * missing or unknown here is refused when the pipeline is executed, not when it is stored.
 */
export interface PipelineStep {
  readonly type: 'chunk' | 'refine';
  /** Name of the chunker of a chunk step. */
  readonly chunker: string | null;
  /** Name of the refinery of a refine step. */
  readonly refinery: string | null;
  readonly config: Readonly<Record<string, unknown>>;
}

/** A step that is ready to run. */
export type Stage =
  | { readonly unit: OffsetUnit; chunk(text: string): Promise<CountedSpan[]> }
  | { refine(chunks: readonly Chunk[]): Promise<Chunk[]> };

/** A chunk on its way through a pipeline, and the stretch of the document that it stands for. */
export interface PlacedChunk {
  readonly span: CountedSpan;
  readonly source: Source;
  readonly chunk: Chunk;
}

/**
 * Refuses steps that cannot be executed in this order.
 *
 * @throws ServiceError `invalid_parameters` with all problems
 */
export function checkOrder(steps: readonly PipelineStep[]): void {
  const problems: string[] = [];
  if (steps.length === 0) problems.push('steps: the pipeline has none; add at least one chunk step with PUT');
  steps.forEach(({ type, chunker, refinery }, index) => {
    if (type === 'chunk' && !chunker)
      problems.push(`steps[${index}].chunker: missing, expected the name of a chunker`);
    if (type === 'refine' && !refinery)
      problems.push(`steps[${index}].refinery: missing, expected the name of a refinery`);
  });
  const firstChunk = steps.findIndex(({ type }) => type === 'chunk');
  const firstRefine = steps.findIndex(({ type }) => type === 'refine');
  if (firstRefine !== -1 && (firstChunk === -1 || firstRefine < firstChunk)) {
    problems.push(`steps[${firstRefine}]: a refine step needs chunks; put a chunk step before it`);
  }
  if (problems.length > 0)
    throw new ServiceError('invalid_parameters', { problems: `${problems.join('; ')}.` });
}

/**
 * Runs a document through the stages of a pipeline. A chunk stage splits the stretch of the document that
 * each chunk stands for, so that offsets stay those of the document; what refine stages added before is
 * dropped with the chunks that it described.
 */
export async function runStages(
  stages: readonly Stage[],
  text: string,
  json: JsonText,
): Promise<PlacedChunk[]> {
  let placed: PlacedChunk[] = [];
  let isFirst = true;
  for (const stage of stages) {
    if ('refine' in stage) {
      const chunks = await stage.refine(placed.map(({ chunk }) => chunk));
      placed = placed.map(({ span, source }, index) => ({ span, source, chunk: chunks[index] as Chunk }));
      continue;
    }
    const spans = isFirst
      ? await stage.chunk(text)
      : await splitFurther(
          stage.chunk,
          text,
          placed.map(({ span }) => span),
        );
    placed = placeChunks(text, json, spans, stage.unit);
    isFirst = false;
  }
  return placed;
}

async function splitFurther(
  chunk: (text: string) => Promise<CountedSpan[]>,
  text: string,
  spans: readonly CountedSpan[],
): Promise<CountedSpan[]> {
  const split: CountedSpan[] = [];
  for (const span of spans) {
    const own = text.slice(span.start, span.end);
    const parts = isBlank(own) ? [] : await chunk(own);
    if (parts.length === 0) split.push(span);
    for (const part of parts) split.push(moved(part, span.start));
  }
  return split;
}

function moved(span: CountedSpan, by: number): CountedSpan {
  const move = <T extends Stretch>(one: T): T => ({ ...one, start: one.start + by, end: one.end + by });
  if (span.located === undefined) return move(span);
  const lists = Object.entries(span.located).map(([field, list]) => [field, list.map(move)]);
  return { ...move(span), located: Object.fromEntries(lists) };
}

type Stretch = Pick<Span, 'start' | 'end'>;

function placeChunks(
  text: string,
  json: JsonText,
  spans: readonly CountedSpan[],
  unit: OffsetUnit,
): PlacedChunk[] {
  const { from, to, start, end } = locate(json, spans, unit);
  const extras = extrasOf(json, spans, unit);
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  return spans.map((span, index) => {
    const own = bytes.subarray(from[index], to[index]);
    const source = { text: asciiText(own, span) ?? text.slice(span.start, span.end), json: own };
    return {
      span,
      source,
      chunk: {
        text: source.text,
        start_index: start[index] as number,
        end_index: end[index] as number,
        token_count: span.token_count,
        ...extras?.[index],
      },
    };
  });
}

/**
 * The text of a span from its JSON, if that is all ASCII and free of escapes: a string of one byte per
 * letter, which every later step reads faster than a slice of a document with wider letters.
 */
function asciiText(json: Buffer, { start, end }: Span): string | undefined {
  return json.length === end - start ? json.toString('latin1') : undefined;
}
