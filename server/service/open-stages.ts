import type { Report } from '../../core/contracts/chunk.ts';
import { openStage, type RunContext, type Stage, type StageRequest, type StageTools } from './stages.ts';
import type { Timer } from './timings.ts';

/** What a request gives to the stages that it opens. */
interface Opening {
  readonly requests: readonly StageRequest[];
  readonly tools: StageTools;
  readonly signal: AbortSignal;
  readonly timer: Timer;
  readonly report: Report;
}

/**
 * Opens stages, uses them, and releases what they hold.
 *
 * @throws ServiceError what `openStage` throws, or what `use` throws
 */
export async function withStages<T>(
  { requests, tools, signal, timer, report }: Opening,
  use: (stages: readonly Stage[]) => Promise<T>,
): Promise<T> {
  const leases: { release(): void }[] = [];
  const context: RunContext = { signal, timer, report, keep: (lease) => leases.push(lease) };
  try {
    const stages: Stage[] = [];
    for (const request of requests) stages.push(await openStage(request, tools, context));
    return await use(stages);
  } finally {
    for (const lease of leases) lease.release();
  }
}
