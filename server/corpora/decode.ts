import { basename } from 'node:path';
import type { OffsetUnit } from '../../core/contracts/chunk.ts';
import { ServiceError } from '../../core/errors.ts';
import type { PluginHost } from '../../core/hosting/container.ts';
import { callPlugin } from '../../core/hosting/plugin-error.ts';
import type { PluginEntry, Registry } from '../../core/hosting/registry.ts';
import { offsetsIn } from '../engine/answer/offsets.ts';
import { readerOf } from '../engine/read/readers.ts';
import type { Decode } from './formats/reading.ts';
import type { SkipNote } from './shard.ts';

/** The plugins, some of which read files. */
export interface Readers {
  readonly registry: Registry;
  readonly host: PluginHost;
}

/**
 * Has the service's readers read files that are not UTF-8. A file is skipped if the readers for it cannot run here,
 * or if no reader matches its name and it is not text.
 *
 * @param unit of the offsets
 */
export function decodeWith({ registry, host }: Readers, unit: OffsetUnit, signal: AbortSignal): Decode {
  return async ({ bytes, name }) => {
    const file = { bytes, name: basename(name), mediaType: undefined, charset: undefined };
    let reader: PluginEntry | undefined;
    try {
      reader = readerOf(file, undefined, registry);
      const { manifest } = reader;
      const read = await callPlugin(reader, async () => {
        const plugin = await host.get('reader', manifest.name);
        return plugin.read(file, { report() {}, signal });
      });
      const { text, pages } = read;
      return pages === undefined
        ? read
        : { ...read, pages: [...offsetsIn(text, Uint32Array.from(pages), unit)] };
    } catch (error) {
      const skip = skipOf(error, reader, file.name);
      if (skip === undefined) throw error;
      return skip;
    }
  };
}

/** Why a file is skipped after this error; undefined if it is not. */
function skipOf(error: unknown, reader: PluginEntry | undefined, name: string): SkipNote | undefined {
  if (!(error instanceof ServiceError)) return undefined;
  const { code, detail, values } = error;
  if (reader !== undefined) {
    const { extensions = [] } = reader.manifest.formats ?? {};
    const isNamed = extensions.some((extension) => name.toLowerCase().endsWith(extension));
    if (code !== 'invalid_parameters' || isNamed) return undefined;
    return { skipped: 'binary', detail, brief: 'are binary' };
  }
  if (code === 'unread_format') return { skipped: 'no_reader', detail, brief: 'have no reader' };
  if (code !== 'missing_capability') return undefined;
  return { skipped: 'no_reader', detail, brief: `need ${values.needs}` };
}
