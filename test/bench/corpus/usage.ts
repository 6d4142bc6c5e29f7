import { writeFileSync } from 'node:fs';
import { env } from 'node:process';
import { isMainThread } from 'node:worker_threads';

/** What a process and its threads have used. */
export interface Usage {
  /** Seconds of processor time. */
  readonly cpu: number;
  /** The most memory that it had at a time, in bytes. */
  readonly peak: number;
}

/** With `--import usage.ts` a process writes what it has used into the file that BENCH_USAGE names. */
if (isMainThread && env.BENCH_USAGE !== undefined) {
  const file = env.BENCH_USAGE;
  process.on('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    const usage: Usage = { cpu: (userCPUTime + systemCPUTime) / 1e6, peak: maxRSS * 1024 };
    writeFileSync(file, JSON.stringify(usage));
  });
}
