import { availableParallelism, totalmem } from 'node:os';

/** What of the machine decides about defaults. */
export interface Machine {
  readonly cores: number;
  /** Bytes of memory of the machine, or of the container if that has less. */
  readonly memoryBytes: number;
}

export function readMachine(): Machine {
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return { cores: availableParallelism(), memoryBytes: Math.min(limit, totalmem()) };
}
