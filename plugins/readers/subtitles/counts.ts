/** How many things of each name were left out. */
export type Counts = Map<string, number>;

export function count(counts: Counts, name: string, times = 1): void {
  if (times > 0) counts.set(name, (counts.get(name) ?? 0) + times);
}

/** `identifier 3; note 1`, or `none`. */
export function countsInWords(counts: Counts): string {
  const sorted = [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([name, times]) => `${name} ${times}`).join('; ') || 'none';
}
