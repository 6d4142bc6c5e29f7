import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { KINDS, manifestSchema } from '../../core/contracts/manifest.ts';
import * as fields from '../../core/fields.ts';
import * as kit from '../../core/kit.ts';
import * as options from '../../core/options.ts';
import * as toolkit from '../../plugins/toolkit/index.ts';
import * as headingOptions from '../../plugins/toolkit/numbered/options.ts';
import * as sentenceOptions from '../../plugins/toolkit/prose/options.ts';
import { collaborators } from '../../server/testing/collaborators.ts';
import { EXAMPLES, withExamples } from '../tools/readme-table.ts';

const PLUGINS = join(import.meta.dirname, '../../plugins');
const guide = readFileSync(join(PLUGINS, 'AUTHORS.md'), 'utf8');

/** The names in backticks in the first column of the first table behind a heading. */
function firstColumn(heading: string): string[] {
  const behind = guide.slice(guide.indexOf(heading));
  const [table = ''] = /^\|(?:.*\n\|)*.*$/m.exec(behind) ?? [];
  const cells = table.split('\n').map((row) => row.split(' | ')[0] ?? '');
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}

t.test('the table of the manifest in the guide for authors names every field, and no other', async (t) => {
  t.same(firstColumn('## The manifest').sort(), Object.keys(manifestSchema.properties).sort());
});

/** What a door exports besides schemas and the version of the contract. */
function functionsOf(door: object): string[] {
  const others = {
    ...fields,
    ...options,
    ...headingOptions,
    ...sentenceOptions,
    PLUGIN_CONTRACT_VERSION: '',
  };
  return Object.keys(door).filter((name) => !(name in others));
}

t.test('its tables of arguments, the kit and the toolkit name all', async (t) => {
  const named = firstColumn('## The factory').filter((name) => !name.includes('/'));
  t.same(named.sort(), Object.keys(collaborators()).sort());
  t.same(firstColumn('## The kit').sort(), functionsOf(kit).sort());
  t.same(firstColumn('### The toolkit').sort(), functionsOf(toolkit).sort());
});

t.test('the examples are what `plugin new` makes', async (t) => {
  const pages = EXAMPLES.map((file) => readFileSync(file, 'utf8'));
  t.same(pages.map(withExamples), pages, 'npm run readme writes them');
  const shown = [...pages.join('').matchAll(/^`my-plugins\/\w+\/(manifest|index)\.js`$/gm)];
  t.equal(shown.length, 2 * KINDS.length, 'one of each kind, whole');
});

t.test('the guide has a section for each kind', async (t) => {
  for (const kind of KINDS) t.match(guide, new RegExp(`^## An? ${kind}\\b`, 'm'), kind);
});
