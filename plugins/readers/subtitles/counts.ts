/** How many things of each name were left out. */
export type Counts = Map<string, number>;

export function count(counts: Counts, name: string, times = 1): void {
  if (times > 0) counts.set(name, (counts.get(name) ?? 0) + times);
}
