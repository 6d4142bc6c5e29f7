/**
 * Least processor time of several runs, in milliseconds: what other processes and the first run cost can only
 * add to it. What `prepare` does is not measured.
 */
export async function minTime(runs: number, prepare: () => () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const work = prepare();
    const start = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(start);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}
