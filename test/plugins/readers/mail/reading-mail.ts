import type { SourceFile } from '../../../../core/contracts/reader.ts';
import createReader from '../../../../plugins/readers/mail/index.ts';
import { factoryOf, needs } from '../../../support/here.ts';
import { readWith } from '../reading.ts';

/** The reader gives bodies to the readers of HTML, RTF and text. */
export const HERE = needs('reader/html', 'reader/rtf', 'reader/text');

/** Reads a message whose characters are its bytes. */
export async function read(source: string | Uint8Array, more: Partial<SourceFile> = {}) {
  const reports = new Map<string, string>();
  const bytes = typeof source === 'string' ? Buffer.from(source, 'latin1') : source;
  const file = await readWith(
    async (given) =>
      createReader({
        ...given,
        'reader/html': await (await factoryOf('reader', 'html'))(given),
        'reader/rtf': await (await factoryOf('reader', 'rtf'))(given),
        'reader/text': await (await factoryOf('reader', 'text'))(given),
      }),
    bytes,
    more,
    {},
    (name, value) => void reports.set(name, value),
  );
  return { ...file, reports };
}

export interface Part {
  /** Fields, one in a line. */
  readonly head?: string;
  readonly body: string;
}

/** Writes a multipart with its field and its parts. */
export function multipart(kind: string, parts: readonly Part[], boundary: string = kind): string {
  const written = parts.map(
    ({ head = '', body }) => `--${boundary}\n${head}${head === '' ? '' : '\n'}\n${body}\n`,
  );
  return `Content-Type: multipart/${kind}; boundary="${boundary}"\n\n${written.join('')}--${boundary}--\n`;
}
