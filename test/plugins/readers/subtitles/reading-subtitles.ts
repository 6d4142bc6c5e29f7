import type { SourceFile } from '../../../../core/contracts/reader.ts';
import createReader from '../../../../plugins/readers/subtitles/index.ts';
import { factoryOf, needs } from '../../../support/here.ts';
import { readWith } from '../reading.ts';

/** The reader decodes files as the reader of texts does. */
export const HERE = needs('reader/text');

/** Reads a file of subtitles. @param reports gets what the reader reports, by name */
export function read(
  source: string | Uint8Array,
  more: Partial<SourceFile> = {},
  reports = new Map<string, string>(),
) {
  return readWith(
    async (given) =>
      createReader({ ...given, 'reader/text': await (await factoryOf('reader', 'text'))(given) }),
    source,
    more,
    {},
    (name, value) => void reports.set(name, value),
  );
}

/** What the reader reports to have left out. */
export async function leftOutOf(source: string): Promise<string | undefined> {
  const reports = new Map<string, string>();
  await read(source, {}, reports);
  return reports.get('subtitles-left-out');
}
