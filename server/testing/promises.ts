import type { Manifest } from '../../core/contracts/manifest.ts';
import type { PluginEntry } from '../../core/hosting/registry.ts';
import { BrokenContract } from './broken-contract.ts';
import type { Harness } from './harness.ts';

/** Maps each promise to its remedy, by group. */
export type Promises = Readonly<Record<string, Readonly<Record<string, string>>>>;

export type PromiseOf<All extends Promises> = { [Group in keyof All]: keyof All[Group] & string }[keyof All];

/** `answers`: promises of plugins of every kind. `signal`: promises of plugins that get an AbortSignal. */
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

/** Maps each promise that a plugin need not keep to the reason. */
export type Exemptions = Readonly<Record<string, string>>;

export interface SuiteOptions {
  /** Number of generated cases; by default some hundreds, depending on the kind. */
  readonly runs?: number | undefined;
  /** Seed of the generated cases; by default random. Failures report the seed. */
  readonly seed?: number | undefined;
  /** Promises not to check; default none. */
  readonly exemptions?: Exemptions | undefined;
  /** Called with each case before the plugin gets it. */
  readonly onCase?: ((one: unknown) => void) | undefined;
}

export interface Suite {
  readonly promises: Promises;
  /** Groups of promises that do not apply to a plugin with this manifest, with the reasons; default none. */
  leftOut?(manifest: Manifest): Readonly<Record<string, string>>;
  /**
   * Checks the promises of a plugin's kind and manifest. Returns a description of the cases tried.
   *
   * @throws BrokenContract
   */
  run(harness: Harness, plugin: PluginEntry, options?: SuiteOptions): Promise<string>;
}

/**
 * Runs a suite repeatedly. Each run leaves out the promises that earlier runs have found broken.
 *
 * @returns each broken promise with its smallest case, and a description of the cases tried
 */
export async function findBroken(suite: Suite, harness: Harness, plugin: PluginEntry, options: SuiteOptions) {
  const broken: BrokenContract[] = [];
  let exemptions: Exemptions = options.exemptions ?? {};
  for (;;) {
    try {
      return { broken, tried: await suite.run(harness, plugin, { ...options, exemptions }) };
    } catch (error) {
      if (!(error instanceof BrokenContract)) throw error;
      // If a promise is reported again despite its exemption, the suite cannot check anything else.
      const isNew = error.broken.some(({ promise }) => exemptions[promise] === undefined);
      if (!isNew) return { broken, tried: 'nothing' };
      broken.push(error);
      if (error.broken.some(({ isLast }) => isLast)) return { broken, tried: 'not all' };
      const known = error.broken.map(({ promise }) => [promise, 'found already']);
      exemptions = { ...exemptions, ...Object.fromEntries(known) };
    }
  }
}
