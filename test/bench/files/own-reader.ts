import { composeQuietly } from '../../support/service.ts';
import { signal } from '../race/ours.ts';
import { type FileKind, type FileReader, KINDS } from './peers.ts';

/** Our readers, called as their guarded thread calls them. */
export async function ownReader(): Promise<FileReader> {
  const { host } = await composeQuietly({});
  return {
    name: 'chunksmith',
    kinds: Object.keys(KINDS) as FileKind[],
    hasBoxes: true,
    async read(bytes, name, kind) {
      const reader = await host.get('reader', kind);
      const file = { bytes, name, mediaType: KINDS[kind], charset: undefined };
      const { text, places = [] } = await reader.read(file, { report() {}, signal, options: {} });
      return { text, pages: places.at(-1)?.page ?? 0 };
    },
  };
}
