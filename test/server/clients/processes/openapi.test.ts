import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { needs } from '../../../support/here.ts';
import { COMMAND, pluginsOf, ROOT, served, TYPES, typesOf } from '../openapi-types.ts';
import { formatted } from './formatted.ts';

/** The types of the JavaScript client are made from what is served, as the formatter writes them. */

const types = readFileSync(join(ROOT, TYPES), 'utf8');

t.test('the types are those of this checkout', needs(...pluginsOf(types)), async (t) => {
  const { document, plugins } = await served(t);
  const made = await formatted(await typesOf(document, plugins), TYPES);
  t.equal(types, made, `${TYPES} has drifted: ${COMMAND} writes it`);
});
