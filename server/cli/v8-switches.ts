import { setFlagsFromString } from 'node:v8';
import type { PluginEntry } from '../../core/hosting/registry.ts';

/** Minimum bytes of memory for letting V8 optimise large WebAssembly functions. */
const MEMORY_TO_OPTIMISE = 16e9;

/**
 * Turns off WebAssembly optimisation if memory is short and a plugin that can run compiles large functions: V8 needs
 * over a gigabyte to optimise a function of megabytes. All WebAssembly is slower then. V8's switches apply to the
 * whole process, including its worker threads, so only the start of the server or of a command may call this, before
 * the first thread starts, and never an app that mounts the service.
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
 * A start creates much short-lived garbage. If V8's young generation grew with it, the process would keep that
 * memory.
 */
export async function withSmallYoungGeneration<T>(start: () => Promise<T>): Promise<T> {
  setFlagsFromString('--semi-space-growth-factor=1');
  try {
    return await start();
  } finally {
    setFlagsFromString('--semi-space-growth-factor=2');
  }
}
