import { dirname, join } from 'node:path';
import type { SinkChunk } from '../../../../core/contracts/sink.ts';
import { injectedKit } from '../../../../core/hosting/container.ts';
import type { PluginEntry } from '../../../../core/hosting/registry.ts';
import { importModule } from '../../../plugins/loader/modules.ts';
import { findModule } from '../../../plugins/loader/plugin-folders.ts';
import { BrokenContract } from '../../broken-contract.ts';

/** Storage for a sink while its promises are checked: a local database of its kind, or a substitute. */
export interface SinkStandIn {
  /** Variables by which the sink finds the storage. */
  readonly env: Readonly<Record<string, string>>;
  /** Options of the sink for a collection, whose name has only lower-case letters. */
  options(collection: string): Readonly<Record<string, unknown>>;
  /**
   * All chunks of a collection, as they were given; empty if it does not exist. Stored JSON is read with
   * `parseExactJson` of the toolkit, which keeps every digit of a number.
   */
  chunks(collection: string): Promise<readonly SinkChunk[]>;
  /** For HTTP stand-ins: gives this answer to the next calls, and does nothing else for them. */
  refuse?(calls: number, status: number, headers: Readonly<Record<string, string>>): void;
  /** Stops the stand-in; may be called again. */
  stop(): Promise<void>;
}

/**
 * The default export of `stand-in`: starts a stand-in, or says why it cannot run on this machine.
 *
 * @param given.kit deprecated, see `injected-kit.ts`
 */
export type StartStandIn = (given: { readonly kit: object }) => Promise<SinkStandIn | string>;

export const HAS_STAND_IN = 'it has a stand-in to be checked with';

/**
 * Starts the stand-in of a sink.
 *
 * @param others a folder with a folder for each sink without a stand-in beside its manifest
 * @throws BrokenContract if the sink has no stand-in
 */
export async function startStandIn(
  { manifest, file }: PluginEntry,
  others: string | undefined,
): Promise<SinkStandIn | string> {
  const own = dirname(file);
  const folders = others === undefined ? [own] : [own, join(others, manifest.name)];
  const [found] = folders.flatMap((folder) => findModule(folder, 'stand-in') ?? []);
  if (found === undefined)
    throw new BrokenContract([
      { promise: HAS_STAND_IN, where: `stand-in.js is missing in ${own}`, isUnanswered: true },
    ]);
  const { default: start } = (await importModule(found)) as { readonly default: StartStandIn };
  return start({ kit: injectedKit });
}
