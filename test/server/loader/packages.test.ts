import { rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { plugin, pluginsFolder } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { startServer, temporaryFolder } from '../../support/server.ts';
import { find } from './listed-plugins.ts';

/** A package of the checkout, which no folder elsewhere sees. */
const OURS = 'fastest-levenshtein';

const sections = (name: string) =>
  plugin(
    { kind: 'chunker', name, needs: { packages: [name] } },
    `import end from '${name}';
    export default () => ({ chunk: (text) => [{ start: 0, end: end(text) }] });`,
  );

const packageFiles = (folder: string, name: string) => ({
  [`${folder}/node_modules/${name}/package.json`]: JSON.stringify({
    name,
    type: 'module',
    exports: './main.js',
  }),
  [`${folder}/node_modules/${name}/main.js`]: 'export default (text) => text.length;',
});

t.test('a package is found where the import of the plugin finds it, and nowhere else', async (t) => {
  const folder = await pluginsFolder(
    t,
    sections('beside'),
    sections('above'),
    sections(OURS),
    packageFiles('beside', 'beside'),
    packageFiles('.', 'above'),
  );
  const client = await startServer(t, { pluginsDir: [folder] });
  for (const name of ['beside', 'above']) {
    t.equal((await find(client, name)).available, true, name);
    t.equal((await client.chunk(name, { text: 'abc' })).length, 1, name);
  }
  const remedy = `a package is not installed: run "npm install ${OURS}" in the plugin's folder and start the server again`;
  t.same((await find(client, OURS)).missing, [remedy]);
  checkProblem(
    t,
    await client.post(`/v1/chunk/${OURS}`, { text: 'a' }),
    500,
    /cannot run here: a package is not/,
  );
});

t.test('of a plugin that is linked, packages are looked for where the link leads', async (t) => {
  const elsewhere = await pluginsFolder(t, sections('linked'));
  const folder = await temporaryFolder(t, { ...packageFiles('.', 'linked'), 'notes/a.txt': '' });
  await symlink(join(elsewhere, 'linked'), join(folder, 'linked'));
  t.equal((await find(await startServer(t, { pluginsDir: [folder] }), 'linked')).available, false);
  await rename(join(folder, 'node_modules'), join(elsewhere, 'node_modules'));
  const client = await startServer(t, { pluginsDir: [folder] });
  t.equal((await find(client, 'linked')).available, true);
  t.equal((await client.chunk('linked', { text: 'abc' })).length, 1);
});
