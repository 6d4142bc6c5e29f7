import type { OffsetUnit } from '../../core/contracts/chunk.ts';
import type { PipelineStep } from '../store/contract.ts';
import type { Included } from './document-schemas.ts';
import type { Input } from './execution.ts';
import type { StageList } from './stages.ts';

/** What is done with each input of a request, read and checked. Plain data. */
export interface Plan extends StageList {
  /** The steps, if a stored pipeline is executed: its chunks have ids, `context` and `embedding`. */
  readonly pipeline?: readonly PipelineStep[];
  /** The further fields of chunks that are asked for. */
  readonly include: readonly Included[];
  /** The namespace of the chunks' ids. */
  readonly namespace: string;
}

/** A request for chunks: inputs, stages, output. */
export interface StagesRequest extends Plan {
  readonly run: 'chunk' | 'execute' | 'refine';
  readonly inputs: readonly Input[];
  /** Whether the answer is a list of lists. */
  readonly isBatch: boolean;
  /** Seconds that it took to read the request. */
  readonly parseSeconds: number;
}

/** The unit of the offsets of an answer: that of the last chunker. */
export function unitOf({ stages }: Plan): OffsetUnit {
  return stages.findLast(({ kind }) => kind === 'chunker')?.options.offset_unit as OffsetUnit;
}
