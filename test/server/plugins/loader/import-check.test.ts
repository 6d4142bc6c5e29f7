import { join } from 'node:path';
import t from 'tap';
import { listPlugins } from '../../../../server/engine/stages/listings.ts';
import { createImportCheck } from '../../../../server/plugins/loader/import-check.ts';
import { loadRegistry } from '../../../../server/plugins/loader/loader.ts';
import { chunker, plugin, pluginsFolder, WHOLE_TEXT } from '../../../support/plugins.ts';

t.test('a plugin is available if its factory has been imported, and nothing less', async (t) => {
  const folder = await pluginsFolder(
    t,
    plugin({ kind: 'chunker', name: 'broken' }, 'const a = 1;\nconst b = = 2;\n'),
    chunker('user', WHOLE_TEXT, { uses: ['chunker/broken'] }),
    chunker('user-of-user', WHOLE_TEXT, { uses: ['chunker/user'] }),
    chunker('good', WHOLE_TEXT),
  );
  const registry = await loadRegistry({ folders: [folder], only: [], env: {} });
  const listed = listPlugins(registry, await createImportCheck({ registry }).failures());
  t.match(
    listed.map(({ name, available, missing }) => [name, available, ...missing]),
    [
      [
        'broken',
        false,
        "it cannot be imported: its import fails with SyntaxError (index.js:2); see the server's log or --check",
      ],
      ['good', true],
      ['user', false, 'it cannot be imported: it uses chunker/broken, which cannot be imported'],
      ['user-of-user', false, 'it cannot be imported: it uses chunker/user, which cannot be imported'],
    ],
  );
});

t.test('no import holds up the others, or is left running when the server closes', async (t) => {
  const folder = await pluginsFolder(t, plugin({ kind: 'chunker', name: 'endless' }, 'for (;;);\n'));
  const registry = await loadRegistry({ folders: [folder], only: [], env: {} });
  const check = createImportCheck({ registry });
  const failures = check.failures();
  await check.close();
  t.equal((await failures).size, 0, 'nothing is said of what was not tried to its end');
  t.equal(await check.failures(), await failures, 'checked once');
  t.equal(registry.all[0]?.file, join(folder, 'endless/manifest.js'));
});
