import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Frees the memory of an array at once, unless it is shared; the array must not be used afterwards. Large arrays left
 * to the garbage collector make V8 collect the whole heap every few requests.
 */
export function release(bytes: Uint8Array): void {
  const isAlone = bytes.byteLength > Buffer.poolSize && bytes.buffer instanceof ArrayBuffer;
  if (isAlone && !bytes.buffer.detached) bytes.buffer.transfer(0);
}

/** Heap growth of a thread in bytes after large work that is worth a pause for garbage collection. */
const LARGE_GROWTH = 50_000_000;

let collect: (() => void) | undefined;
/** Bytes of the heap when it was last collected here. */
let before = 0;

/**
 * Frees memory after large work. V8 does not collect in an idle thread, so an idle server would keep what its largest
 * requests took.
 */
export function giveMemoryBack(): void {
  if (heapBytes() - before < LARGE_GROWTH) return;
  collect ??= findCollector();
  collect();
  before = heapBytes();
}

const heapBytes = () => getHeapStatistics().total_heap_size;

/** V8's own function, available in contexts created after the flag is set. */
function findCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
