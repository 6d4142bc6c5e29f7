import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { isOfMissingPlugin } from '../support/here.ts';
import { ROOT } from './sources.ts';

const ROOMS = ['core', 'plugins', 'server'];
const MAX_LINES = 20;

/** What every folder of a plugin has; it stands in none of these folders itself. */
const OF_EACH_PLUGIN = ['plugins/manifest.ts', 'plugins/index.ts'];

const DIAGRAM = /^```mermaid\n([\s\S]*?)^```\n/m;

/** The paths in backticks: what ends like a folder or a file of the project. */
function pathsIn(markdown: string): string[] {
  const quoted = [...markdown.matchAll(/`([^`\s]+)`/g)].map(([, text = '']) => text);
  return quoted.filter((text) => /^[\w.-][\w./-]*(\/|\.(ts|js|json|md|yaml))$/.test(text));
}

/** Paths that lead nowhere, neither from the README's folder, nor from a folder in it, nor from the root. */
function missingIn(room: string, markdown: string): string[] {
  const inner = pathsIn(markdown).filter((path) => path.endsWith('/'));
  const from = [room, '.', ...inner.map((path) => join(room, path))];
  return pathsIn(markdown).filter(
    (path) =>
      !OF_EACH_PLUGIN.includes(`${room}/${path}`) &&
      !isOfMissingPlugin(join(room, path)) &&
      !from.some((folder) => existsSync(join(ROOT, folder, path))),
  );
}

for (const room of ROOMS) {
  const markdown = readFileSync(join(ROOT, room, 'README.md'), 'utf8');

  t.test(`${room}/README.md is short, and names only what is there`, async (t) => {
    t.ok(pathsIn(markdown).length > 5, 'it names what is in which room');
    t.same(missingIn(room, markdown), []);
    t.ok(markdown.replace(DIAGRAM, '').trimEnd().split('\n').length <= MAX_LINES);
  });
}

for (const page of ['server/README.md', 'server/CORPORA.md']) {
  t.test(`the boxes of the diagram in ${page} are folders and files`, async (t) => {
    const diagram = DIAGRAM.exec(readFileSync(join(ROOT, page), 'utf8'))?.[1] ?? '';
    const paths = diagram.match(/(?<![\w/.-])[\w.-]+\/[\w./-]*|[\w-]+\.ts/g) ?? [];
    t.ok(paths.length > 5, paths.join(', '));
    for (const path of paths) {
      const isThere = existsSync(join(ROOT, 'server', path)) || existsSync(join(ROOT, path));
      const isTrimmed = path.startsWith('corpora/') && !existsSync(join(ROOT, 'server/corpora'));
      t.ok(isThere || isTrimmed, path);
    }
  });
}

t.test('each defence in SECURITY.md names tests that attack it', async (t) => {
  const rows = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8').match(/^\| (?!Attack|---).*$/gm) ?? [];
  t.ok(rows.length > 10, `${rows.length} rows`);
  const hasJobs = existsSync(join(ROOT, 'server/corpora'));
  for (const row of rows) {
    t.ok(
      pathsIn(row).some((path) => path.startsWith('test/')),
      row,
    );
    const missing = missingIn('.', row).filter((path) => hasJobs || !path.startsWith('test/server/corpora/'));
    t.same(missing, [], row);
  }
});

t.test('the rule sees what is missing', async (t) => {
  const markdown = '`engine/`, `chunking.ts`, `gone.ts`, `gone/`, `npm test`, `server/app.ts`';
  t.same(missingIn('core', markdown), ['gone.ts', 'gone/']);
});
