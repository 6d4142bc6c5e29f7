import { Session } from 'node:inspector/promises';
import { setFlagsFromString } from 'node:v8';
import type { Cleanup } from './server.ts';

/** Counts how many blocks of JavaScript run: the same for the same work, on every machine. */
export type BlockCounter = Awaited<ReturnType<typeof startBlockCounter>>;

/** What is tested; what tests and the server do around it may have run before. */
const COUNTED = /^(core|plugins)\/.*(?<!manifest)\.ts$/;
const ROOT = new URL('../../', import.meta.url).href;

/** What sets the fields of a class, which V8 may compile without counters at any time. */
const FIELDS = '<instance_members_initializer>';

/**
 * Begins to count. A loop counts each time that it goes round, so work that grows with the square of a text shows
 * on short texts already; what runs within one built-in function counts as nothing. Only code that is compiled from
 * here on is counted in full, so this comes first in a process of its own.
 */
export async function startBlockCounter(t: Cleanup) {
  // V8 would forget the counts of code that it throws away.
  setFlagsFromString('--no-flush-bytecode');
  const session = new Session();
  session.connect();
  t.teardown(() => session.disconnect());
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

  /** Blocks since the last time. */
  const take = async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const compiledBefore: string[] = [];
    let blocks = 0;
    for (const { url, functions } of result) {
      if (!url.startsWith('file:')) continue;
      const file = url.replace(ROOT, '');
      for (const { functionName, isBlockCoverage, ranges } of functions) {
        for (const { count } of ranges) blocks += count;
        const isOurs = COUNTED.test(file) && functionName !== FIELDS;
        if (isOurs && !isBlockCoverage && (ranges[0]?.count ?? 0) > 0)
          compiledBefore.push(`${functionName} in ${file}`);
      }
    }
    return { blocks, compiledBefore };
  };

  return {
    /**
     * Blocks that ran during the work, in files of ours and of packages.
     *
     * @throws where code of ours was compiled before the counter started: its loops would count as nothing
     */
    async count(work: () => unknown) {
      await take();
      await work();
      const { blocks, compiledBefore } = await take();
      if (compiledBefore.length > 0)
        throw new Error(`compiled before the counter started: ${compiledBefore.join(', ')}`);
      if (blocks === 0) throw new Error('nothing ran that is counted');
      return blocks;
    },
    stop: () => session.disconnect(),
  };
}
