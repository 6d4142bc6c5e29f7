import { basename } from 'node:path';
import type { OffsetUnit } from '../../core/contracts/chunk.ts';
import { ServiceError } from '../../core/errors.ts';
import type { PluginHost } from '../../core/hosting/container.ts';
import { callPlugin } from '../../core/hosting/plugin-error.ts';
import type { PluginEntry, Registry } from '../../core/hosting/registry.ts';
import { readerOf } from '../service/readers.ts';
import { offsetsIn } from '../wire/text-offsets.ts';
import type { Decode } from './read-shard.ts';

/** Makes a `Decode`. @param unit in which places are counted */
export type Decoder = (unit: OffsetUnit, signal: AbortSignal) => Decode;

/**
 * Has the readers of the service read files that are not UTF-8. A file that no reader takes by its name, and that is no
 * text, is binary: it is skipped.
 */
export function decoderOf(registry: Registry, host: PluginHost): Decoder {
  return (unit, signal) =>
    async ({ bytes, name }) => {
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
        if (isBinary(error, reader, file.name)) return undefined;
        throw error;
      }
    };
}

function isBinary(error: unknown, reader: PluginEntry | undefined, name: string): boolean {
  if (!(error instanceof ServiceError)) return false;
  if (reader === undefined) return error.code === 'unread_format';
  const { extensions = [] } = reader.manifest.formats ?? {};
  const isNamed = extensions.some((extension) => name.toLowerCase().endsWith(extension));
  return error.code === 'invalid_parameters' && !isNamed;
}
