import { removeCutsInClusters } from '../../../core/kit.ts';

/** Units before an offset in which flags are counted. */
const MAX_FLAGS = 256;

/** Whether an offset between two code points is within a grapheme cluster; CR and LF are one. */
export function splitsCluster(text: string, offset: number): boolean {
  if (offset <= 0 || offset >= text.length) return false;
  const floor = Math.max(offset - MAX_FLAGS, 0);
  return removeCutsInClusters([offset], text, { start: floor, end: floor }, true).length === 0;
}
