import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { needs } from '../../support/here.ts';
import {
  COMMAND,
  DOCUMENT,
  formatted,
  pluginsOf,
  ROOT,
  type ServedDocument,
  served,
  TYPES,
  typesOf,
} from '../../support/openapi-types.ts';

/** What the clients are made from is what is served. */

const types = readFileSync(join(ROOT, TYPES), 'utf8');
const committed = readFileSync(join(ROOT, DOCUMENT), 'utf8');

/** A release changes the version alone, which is no drift. */
const released = (document: ServedDocument) =>
  JSON.parse(JSON.stringify({ ...document, info: { ...document.info, version: '0.0.0' } }));

t.test(
  'the OpenAPI document and the types are those of this checkout',
  needs(...pluginsOf(types)),
  async (t) => {
    const { document, plugins } = await served(t);
    const remedy = `${COMMAND} writes it`;
    t.strictSame(released(JSON.parse(committed)), released(document), `${DOCUMENT} has drifted: ${remedy}`);
    const made = await formatted(await typesOf(document, plugins), TYPES);
    t.equal(types, made, `${TYPES} has drifted: ${remedy}`);
  },
);
