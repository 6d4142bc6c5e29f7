import type { SourceFile } from '../../../../core/contracts/reader.ts';
import createReader from '../../../../plugins/readers/subtitles/index.ts';
import { factoryOf, needs } from '../../../support/here.ts';
import { readWith } from '../reading.ts';

/** The reader decodes files as the reader of texts does. */
export const HERE = needs('reader/text');

/** Reads a file of subtitles. */
export function read(source: string | Uint8Array, more: Partial<SourceFile> = {}) {
  return readWith(
    async (given) =>
      createReader({ ...given, 'reader/text': await (await factoryOf('reader', 'text'))(given) }),
    source,
    more,
  );
}

/** What the reader has left out, by name. */
export async function leftOutOf(source: string) {
  return (await read(source)).leftOut;
}
