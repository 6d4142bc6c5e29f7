import type { Report } from '../../../core/contracts/chunk.ts';
import type { Collaborators } from '../../../core/contracts/plugin.ts';
import type { Reader, ReadFile, SourceFile } from '../../../core/contracts/reader.ts';
import { collaborators } from '../../../server/testing/collaborators.ts';
import { never } from '../../support/hosted-host.ts';

/** Reads a file with a reader that parses it itself. */
export async function readWith(
  create: (given: Collaborators) => Reader | Promise<Reader>,
  bytes: Uint8Array | string,
  more: Partial<SourceFile> = {},
  options: Readonly<Record<string, unknown>> = {},
  report: Report = () => {},
): Promise<ReadFile> {
  const file = {
    bytes: Buffer.from(bytes),
    name: undefined,
    mediaType: undefined,
    charset: undefined,
    ...more,
  };
  return (await create(collaborators())).read(file, { report, signal: never, options });
}

/** Each place with the text that comes from it. */
export function placed({ text, places = [] }: ReadFile): readonly (readonly [text: string, place: object])[] {
  return places.map(({ start, end, ...place }) => [text.slice(start, end), place]);
}
