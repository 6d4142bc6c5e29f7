import { Session } from 'node:inspector/promises';

/** Counts how many blocks of JavaScript run: the same for the same work, on every machine. */
export interface BlockCounter {
  /** Blocks that ran during the work, in files of ours and of packages. */
  count(work: () => unknown): Promise<number>;
  stop(): Promise<void>;
}

/**
 * Begins to count. A loop counts each time that it goes round, so work that grows with the square of a text shows
 * on short texts already; what runs within one built-in function counts as nothing.
 */
export async function startBlockCounter(): Promise<BlockCounter> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

  /** Blocks since the last time. */
  const take = async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    let blocks = 0;
    for (const { url, functions } of result) {
      if (!url.startsWith('file:')) continue;
      for (const { ranges } of functions) for (const { count } of ranges) blocks += count;
    }
    return blocks;
  };

  return {
    async count(work) {
      await take();
      await work();
      return take();
    },
    async stop() {
      await session.post('Profiler.stopPreciseCoverage');
      session.disconnect();
    },
  };
}
