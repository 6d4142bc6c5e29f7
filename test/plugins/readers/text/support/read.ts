import type { SourceFile } from '../../../../../core/contracts/reader.ts';
import createReader from '../../../../../plugins/readers/text/index.ts';
import { collaborators } from '../../../../../server/testing/collaborators.ts';

const reader = await createReader(collaborators());
const context = { report() {}, signal: new AbortController().signal };

/** Reads bytes, or a text in UTF-8, as a file of which nothing else is known. */
export async function read(content: Uint8Array | string, more: Partial<SourceFile> = {}) {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return reader.read({ bytes, name: undefined, mediaType: undefined, charset: undefined, ...more }, context);
}
