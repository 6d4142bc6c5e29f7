import { basename } from 'node:path';
import { ServiceError } from '../../core/errors.ts';
import type { PluginHost } from '../../core/hosting/container.ts';
import { callPlugin } from '../../core/hosting/plugin-error.ts';
import type { PluginEntry, Registry } from '../../core/hosting/registry.ts';
import { readerOf } from '../service/readers.ts';
import type { Decode } from './read-shard.ts';

/**
 * Has the readers of the service read files that are not UTF-8. A file that no reader takes by its name, and that is no
 * text, is binary: it is skipped.
 */
export function decoderOf(registry: Registry, host: PluginHost): (signal: AbortSignal) => Decode {
  return (signal) =>
    async ({ bytes, name }) => {
      const file = { bytes, name: basename(name), mediaType: undefined, charset: undefined };
      let reader: PluginEntry | undefined;
      try {
        reader = readerOf(file, undefined, registry);
        const { manifest } = reader;
        return await callPlugin(reader, async () => {
          const plugin = await host.get('reader', manifest.name);
          return plugin.read(file, { report() {}, signal });
        });
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
