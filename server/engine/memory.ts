import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Frees the memory of an array at once, unless the memory is shared. The array must not be used afterwards.
 * Unless freed, large arrays make V8 collect the whole heap every few requests.
 */
export function release(bytes: Uint8Array): void {
  const isAlone = bytes.byteLength > Buffer.poolSize && bytes.buffer instanceof ArrayBuffer;
  if (isAlone && !bytes.buffer.detached) bytes.buffer.transfer(0);
}

/** Minimum growth of the heap and of external memory, in bytes, that causes a garbage collection after large work. */
const LARGE_GROWTH = 50_000_000;

let collect: (() => void) | undefined;
let before = 0;

/** Frees memory after large work, because V8 does not collect garbage in an idle thread. */
export function giveMemoryBack(): void {
  if (heapBytes() - before < LARGE_GROWTH) return;
  collect ??= findCollector();
  collect();
  before = heapBytes();
}

function heapBytes(): number {
  const { total_heap_size, external_memory } = getHeapStatistics();
  return total_heap_size + external_memory;
}

/** V8's function for garbage collection. Only contexts created after the flag is set have it. */
function findCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
