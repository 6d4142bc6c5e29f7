import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { needs } from '../../support/here.ts';
import { COMMAND, DOCUMENT, pluginsOf, ROOT, type ServedDocument, served, TYPES } from './openapi-types.ts';

/** What the clients are made from is what is served; processes/openapi.test.ts has the types. */

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** A release changes the version alone, which is no drift. */
const released = (document: ServedDocument) =>
  JSON.parse(JSON.stringify({ ...document, info: { ...document.info, version: '0.0.0' } }));

t.test('the OpenAPI document is that of this checkout', needs(...pluginsOf(read(TYPES))), async (t) => {
  const { document } = await served(t);
  const remedy = `${DOCUMENT} has drifted: ${COMMAND} writes it`;
  t.strictSame(released(JSON.parse(read(DOCUMENT))), released(document), remedy);
});
