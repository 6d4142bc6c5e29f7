import type { ShardThreads } from '../jobs/shard-threads.ts';
import { isForOneThread } from '../range-task.ts';
import type { ShardRange } from '../shard.ts';
import { type RangeTools, ThreadChoice } from './thread-choice.ts';

/** Chunks shards in this thread until threads are expected to save time, and until the first of them works. */
export function chosenThreads(
  threads: ShardThreads,
  tools: RangeTools,
  total: number | undefined,
): Pick<ShardThreads, 'chunk'> {
  const choice = new ThreadChoice(tools, total);
  const inline = choice.measuring(tools.inline);
  const fed = choice.measuring(tools.fed(() => choice.pays));
  let asked = 0;
  let hasThread = tools.isForced;
  let working: Promise<unknown> | undefined;
  /** Whether this thread should do a shard itself: threads do not pay, or all of them are still starting. */
  const isNeeded = () => !choice.pays || (!hasThread && asked >= tools.workers && working === undefined);
  return {
    async chunk(claim, signal, onTally, here) {
      if (!isForOneThread(claim.range as ShardRange)) return here(fed);
      while (isNeeded()) {
        if (working === undefined) {
          const work = here(inline).finally(() => {
            working = undefined;
          });
          working = work;
          return work;
        }
        await working.catch(() => undefined);
      }
      asked++;
      const noteThread = () => {
        hasThread = true;
      };
      return threads
        .chunk(
          claim,
          signal,
          (tally) => {
            noteThread();
            onTally(tally);
          },
          (chunking = fed) => here(chunking),
        )
        .finally(noteThread);
    },
  };
}
