import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PipelineStep } from '../../../../core/contracts/pipeline.ts';
import type { Registry } from '../../../../core/hosting/registry.ts';
import type { CorpusDocument } from './read-corpus.ts';

/** A way to chunk. */
export interface Chunking {
  readonly name: string;
  /** Without those that embed. */
  readonly steps: readonly PipelineStep[];
  /** Those that embed, after the others. */
  readonly embedding: readonly PipelineStep[];
  /** What distinguishes it from others, by the name of the factor. */
  readonly factors: Readonly<Record<string, string>>;
}

/** What is tried for a kind of files, besides the preset of the same name. */
interface Kind {
  readonly extensions: readonly string[];
  readonly chunk_sizes: readonly number[];
  readonly chunkers: readonly Pick<PipelineStep, 'chunker' | 'config'>[];
}

const KINDS = JSON.parse(readFileSync(join(import.meta.dirname, 'grid.json'), 'utf8')) as Record<
  string,
  Kind
>;
const [CODE] = Object.values(KINDS);

const hasOne = ({ extensions }: Kind, name: string) =>
  extensions.includes(name.toLowerCase().split('.').at(-1) ?? '');

/** Whether a file is source code. */
export function isCode(name: string): boolean {
  return hasOne(CODE as Kind, name);
}

/** The kind of at least half of the documents, else the last one: the name of a preset. */
export function kindOf(documents: readonly CorpusDocument[]): string {
  const names = Object.keys(KINDS);
  const isMost = (kind: Kind) =>
    2 * documents.filter(({ filename }) => hasOne(kind, filename)).length >= documents.length;
  return names.find((name) => isMost(KINDS[name] as Kind)) ?? (names.at(-1) as string);
}

/** How many of the sizes, and how many chunkers in these sizes, are looked at more closely. */
const BEST = 2;

/** Everything that may be tried: each chunker in each size, with and without the refineries of the preset. */
export interface Grid {
  readonly chunkers: readonly PipelineStep[];
  readonly sizes: readonly number[];
  readonly refined: readonly PipelineStep[];
  readonly embedding: readonly PipelineStep[];
}

/** @param preset for this kind */
export function gridOf(kind: string, { steps, embedding }: Chunking, registry: Registry): Grid {
  const { chunk_sizes: sizes, chunkers } = KINDS[kind] as Kind;
  const [own, ...refined] = steps as [PipelineStep, ...PipelineStep[]];
  const { tokenizer } = own.config;
  const others = chunkers.filter(
    ({ chunker }) => chunker !== own.chunker && isReady(chunker ?? '', registry),
  );
  const made = others.map(({ chunker, config }) => ({ ...own, chunker, config: { ...config, tokenizer } }));
  return { chunkers: [own, ...made], sizes, refined, embedding };
}

function isReady(chunker: string, registry: Registry): boolean {
  return registry.find('chunker', chunker)?.missing.length === 0;
}

/** How many chunkings a grid has. */
export function sizeOf({ chunkers, sizes, refined }: Grid): number {
  return chunkers.length * sizes.length * (refined.length > 0 ? 2 : 1);
}

/**
 * The chunkings worth trying, in stages: the sizes with the preset's chunker, the other chunkers in the best sizes, and
 * the best ones without their refineries.
 *
 * @param score of a chunking of an earlier stage
 */
export function* stagesOf(
  { chunkers, sizes, refined, embedding }: Grid,
  score: (chunking: Chunking) => number,
): Generator<readonly Chunking[]> {
  const [own, ...others] = chunkers as [PipelineStep, ...PipelineStep[]];
  const bestOf = (some: readonly Cell[]) => some.toSorted((a, b) => score(b) - score(a)).slice(0, BEST);
  const cellOf = (chunk: PipelineStep, size: number, after = refined) => ({
    ...cell(chunk, size, after),
    embedding,
  });
  const first = sizes.map((size) => cellOf(own, size));
  yield first;
  const second = bestOf(first).flatMap(({ size }) => others.map((one) => cellOf(one, size)));
  yield second;
  if (refined.length === 0) return;
  yield bestOf([...first, ...second]).map(({ chunk, size }) => cellOf(chunk, size, []));
}

interface Cell extends Chunking {
  readonly chunk: PipelineStep;
  readonly size: number;
}

function cell(chunk: PipelineStep, size: number, refined: readonly PipelineStep[]): Omit<Cell, 'embedding'> {
  const config = { ...chunk.config, chunk_size: size };
  const context = refined.length > 0 ? 'with' : 'without';
  const chunker = String(chunk.chunker);
  return {
    name: `${chunker} ${size}${refined.length > 0 ? ' with context' : ''}`,
    steps: [{ ...chunk, config }, ...refined],
    factors: { chunker, 'chunk size': String(size), context },
    chunk,
    size,
  };
}
