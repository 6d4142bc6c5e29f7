import { setFlagsFromString } from 'node:v8';
import type { PluginEntry } from '../../core/hosting/registry.ts';

/** Minimum bytes of memory for V8 to optimise large WebAssembly functions. */
const MEMORY_TO_OPTIMISE = 16e9;

/**
 * Turns off WebAssembly optimisation if memory is short and an available plugin compiles large functions: V8
 * needs over a gigabyte to optimise a function of megabytes. All WebAssembly is slower then. Call it only at
 * the start of the server or of a command, before the first thread, because V8's switches apply to the whole
 * process. Never call it in an app that mounts the service.
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
 * Keeps V8's young generation small during a start. The garbage of a start would enlarge it, and the process
 * would keep that memory.
 */
export async function withSmallYoungGeneration<T>(start: () => Promise<T>): Promise<T> {
  setFlagsFromString('--semi-space-growth-factor=1');
  try {
    return await start();
  } finally {
    setFlagsFromString('--semi-space-growth-factor=2');
  }
}
