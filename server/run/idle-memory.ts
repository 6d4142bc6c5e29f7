import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes by which large work has a thread's heap grow: worth a pause to give them back. */
const LARGE_GROWTH = 50_000_000;

let collect: (() => void) | undefined;
/** Bytes of the heap when it was last collected here. */
let before = 0;

/**
 * Gives memory back that large work has left. In a thread that has nothing to do V8 does not collect, so that an idle server
 * would keep for good what its largest requests took.
 */
export function giveMemoryBack(): void {
  if (heapBytes() - before < LARGE_GROWTH) return;
  collect ??= findCollector();
  collect();
  before = heapBytes();
}

const heapBytes = () => getHeapStatistics().total_heap_size;

/** V8's own function, which is there for contexts that are made once the flag is set. */
function findCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
