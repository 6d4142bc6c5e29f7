import { setFlagsFromString } from 'node:v8';
import type { PluginEntry } from '../../core/hosting/registry.ts';

/** Minimum bytes of memory with which V8 may optimise large WebAssembly functions. */
const MEMORY_TO_OPTIMISE = 16e9;

/**
 * Turns off the optimisation of all WebAssembly, which makes it slower, if memory is short and an available
 * plugin has large functions: V8 needs over 1 GB to optimise a function of megabytes. V8's switches apply to
 * the whole process: call this before the first thread starts, and never in an app that mounts the service.
 */
export function setSwitchesFor(plugins: readonly PluginEntry[], memoryBytes: number): void {
  const isLarge = plugins.some(
    ({ manifest, missing }) => manifest.largeWebAssembly === true && missing.length === 0,
  );
  if (!isLarge || memoryBytes >= MEMORY_TO_OPTIMISE) return;
  setFlagsFromString('--no-wasm-dynamic-tiering');
  setFlagsFromString('--no-wasm-tier-up');
}

/**
 * Keeps V8's young generation small during `start`. Otherwise the garbage of the start would enlarge the
 * young generation, and the process would keep that memory.
 */
export async function withSmallYoungGeneration<T>(start: () => Promise<T>): Promise<T> {
  setFlagsFromString('--semi-space-growth-factor=1');
  try {
    return await start();
  } finally {
    setFlagsFromString('--semi-space-growth-factor=2');
  }
}
