import { dirname, join } from 'node:path';
import type { SinkChunk } from '../../../../core/contracts/sink.ts';
import { injectedKit } from '../../../../core/hosting/container.ts';
import type { PluginEntry } from '../../../../core/hosting/registry.ts';
import { importModule } from '../../../plugins/loader/modules.ts';
import { findModule } from '../../../plugins/loader/plugin-folders.ts';
import { BrokenContract } from '../../broken-contract.ts';

/** Storage for a sink while its promises are checked: a local database, or a substitute for one. */
export interface SinkStandIn {
  /** Variables by which the sink finds the storage. */
  readonly env: Readonly<Record<string, string>>;
  /** The sink's options for a collection. @param collection a name of lower-case letters */
  options(collection: string): Readonly<Record<string, unknown>>;
  /**
   * All stored chunks of a collection; empty if the collection does not exist. Parse stored JSON with the
   * toolkit's `parseExactJson`, which keeps every digit of a number.
   */
  chunks(collection: string): Promise<readonly SinkChunk[]>;
  /** For HTTP stand-ins: answers the next `calls` requests only with this status and these headers. */
  refuse?(calls: number, status: number, headers: Readonly<Record<string, string>>): void;
  /** Stops the stand-in; may be called again. */
  stop(): Promise<void>;
}

/**
 * The default export of the module `stand-in`. Starts a stand-in, or returns why it cannot run here.
 *
 * @param given.kit deprecated, see `injectedKit`
 */
export type StartStandIn = (given: { readonly kit: object }) => Promise<SinkStandIn | string>;

export const HAS_STAND_IN = 'it has a stand-in to be checked with';

/**
 * Starts the stand-in of a sink.
 *
 * @param others folder of further stand-ins, `<others>/<sink>/stand-in`, for sinks without one of their own
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
