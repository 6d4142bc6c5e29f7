import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DOCUMENT, ROOT, served, TYPES, typesOf } from './openapi-types.ts';
import { formatted } from './processes/formatted.ts';

/** Writes the OpenAPI document of this checkout, and the types of the JavaScript client. */

const ends: (() => unknown)[] = [];
const { document, plugins } = await served({ teardown: (end) => ends.push(end) });
for (const [file, text] of [
  [DOCUMENT, JSON.stringify(document)],
  [TYPES, await typesOf(document, plugins)],
] as const) {
  await writeFile(join(ROOT, file), await formatted(text, file));
}
for (const end of ends.reverse()) await end();
