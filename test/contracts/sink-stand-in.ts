import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SinkChunk } from '../../core/contracts/sink.ts';
import type { PluginEntry } from '../../core/hosting/registry.ts';

/** What a sink stores in while its promises are checked: a database of its kind on this machine, or one that stands in. */
export interface SinkStandIn {
  /** The variables by which the sink finds it. */
  readonly env: Readonly<Record<string, string>>;
  /** The options of a sink for a collection; names are of small letters. */
  options(collection: string): Readonly<Record<string, unknown>>;
  /** All chunks of a collection, as they were given; none if there is no such collection. */
  chunks(collection: string): Promise<readonly SinkChunk[]>;
  /** Of one that speaks HTTP: answers the next calls so, and does nothing else for them. */
  refuse?(calls: number, status: number, headers: Readonly<Record<string, string>>): void;
  /** Ends it; may be called again. */
  stop(): Promise<void>;
}

/** The default export of `stand-in`: starts one, or says why it cannot run on this machine. */
export type StartStandIn = () => Promise<SinkStandIn | string>;

const TESTS = join(import.meta.dirname, '../plugins/sinks');

/**
 * Starts the stand-in of a sink, from the folder of its tests or from its own.
 *
 * @throws Error if it has none
 */
export async function startStandIn({ manifest, file }: PluginEntry): Promise<SinkStandIn | string> {
  const folders = [dirname(file), join(TESTS, manifest.name)];
  const files = folders.flatMap((folder) =>
    ['ts', 'js', 'mjs'].map((ending) => join(folder, `stand-in.${ending}`)),
  );
  const found = files.find((path) => existsSync(path));
  if (found === undefined) throw new Error(`it has no stand-in to be checked with: write ${files[1]}`);
  const { default: start } = (await import(pathToFileURL(found).href)) as { default: StartStandIn };
  return start();
}
