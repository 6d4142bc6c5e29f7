import type { Manifest } from '../../core/contracts/manifest.ts';
import type { PluginEntry } from '../../core/hosting/registry.ts';
import { BrokenContract } from './broken-contract.ts';
import type { Harness } from './harness.ts';

/** Promises by group, as they are reported, each with its remedy. */
export type Promises = Readonly<Record<string, Readonly<Record<string, string>>>>;

export type PromiseOf<All extends Promises> = { [Group in keyof All]: keyof All[Group] & string }[keyof All];

/** Promises of plugins of every kind, and promises of all plugins that get a signal. */
export const COMMON = {
  answers: {
    'it does not throw': 'Handle such inputs; for a mistake of the caller, throw refusedError(message).',
    'its results match the contract of its kind':
      "Return what the authors' guide requires of this kind; the service answers 500 to anything else.",
    'it reports only what its manifest lists': 'Add the name to `reports` in the manifest, with its meaning.',
  },
  signal: {
    'it ends when the signal aborts':
      'Call signal.throwIfAborted() before the work, and regularly during it.',
  },
} as const satisfies Promises;

/** Promises that one plugin need not keep, each with the reason. */
export type Exemptions = Readonly<Record<string, string>>;

export interface SuiteOptions {
  /** Number of generated cases; some hundreds by default. */
  readonly runs?: number | undefined;
  /** The same seed generates the same cases; a failure reports its seed. */
  readonly seed?: number | undefined;
  /** Promises that the plugin need not keep, each with the reason. */
  readonly exemptions?: Exemptions | undefined;
  /** Called with each case before it is tried. */
  readonly onCase?: ((one: unknown) => void) | undefined;
}

export interface Suite {
  readonly promises: Promises;
  /** Groups of promises that do not apply to a plugin with this manifest, with reasons; default none. */
  leftOut?(manifest: Manifest): Readonly<Record<string, string>>;
  /**
   * Checks one plugin against the promises of its kind and its manifest; returns what was tried.
   *
   * @throws BrokenContract
   */
  run(harness: Harness, plugin: PluginEntry, options?: SuiteOptions): Promise<string>;
}

/**
 * Runs a suite repeatedly, each time without the promises already found broken.
 *
 * @returns each broken promise once, with its own smallest case; and what was tried
 */
export async function findBroken(suite: Suite, harness: Harness, plugin: PluginEntry, options: SuiteOptions) {
  const broken: BrokenContract[] = [];
  let exemptions: Exemptions = options.exemptions ?? {};
  for (;;) {
    try {
      return { broken, tried: await suite.run(harness, plugin, { ...options, exemptions }) };
    } catch (error) {
      if (!(error instanceof BrokenContract)) throw error;
      // A promise broken again despite its exemption keeps the suite from running at all.
      const isNew = error.broken.some(({ promise }) => exemptions[promise] === undefined);
      if (!isNew) return { broken, tried: 'nothing' };
      broken.push(error);
      if (error.broken.some(({ isLast }) => isLast)) return { broken, tried: 'not all' };
      const known = error.broken.map(({ promise }) => [promise, 'found already']);
      exemptions = { ...exemptions, ...Object.fromEntries(known) };
    }
  }
}
