import { ServiceError } from '../../core/errors.ts';
import type { PluginEntry } from '../../core/hosting/registry.ts';
import type { Workbench } from './workbench.ts';

/** Promises that one plugin need not keep, each with the reason. */
export type Exemptions = Readonly<Record<string, string>>;

export interface SuiteOptions {
  /** How many generated cases are tried. */
  readonly runs?: number;
  readonly exemptions?: Exemptions;
}

/**
 * Holds one plugin to what its kind and its manifest promise, and says what it tried.
 *
 * @throws Error that names the broken promises and the smallest case that breaks them
 */
export type Suite = (bench: Workbench, plugin: PluginEntry, options?: SuiteOptions) => Promise<string>;

/** Notes which promises a case breaks. */
export class Ledger {
  readonly #broken = new Set<string>();
  readonly #exemptions: Exemptions;

  constructor(exemptions: Exemptions = {}) {
    this.#exemptions = exemptions;
  }

  expect(holds: boolean, promise: string): void {
    if (!holds && this.#exemptions[promise] === undefined) this.#broken.add(promise);
  }

  /** @throws Error if a promise was broken */
  close(): void {
    if (this.#broken.size > 0) throw new Error(`broken: ${[...this.#broken].join('; ')}`);
  }
}

/** Waits for work, and calls back where a plugin refuses what it was given as a mistake of the caller. */
export async function unlessRefused<T>(
  work: Promise<T>,
  onRefusal: (error: ServiceError) => void = () => {},
): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'invalid_parameters')) throw error;
    onRefusal(error);
    return undefined;
  }
}

/** The message of an error and those of its causes: fast-check puts the case that breaks a promise first. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}\n${reasonOf(error.cause)}`;
}
