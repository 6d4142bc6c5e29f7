import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import t from 'tap';
import { isOfMissingPlugin } from '../support/here.ts';
import { ROOT } from './sources.ts';

/** Pages are short, their links lead somewhere, and a newcomer finds each of them from the README. */

const MAX_LINES = 400;
const MAX_LINES_OF_README = 200;
const MAX_CLICKS = 2;

const NOT_PAGES = ['**/node_modules', 'build', 'data', 'test/fixtures', 'server/cli/templates', '.changeset'];
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const PAGES: ReadonlyMap<string, string> = new Map(
  globSync('**/*.md', { cwd: ROOT, exclude: NOT_PAGES })
    .sort()
    .map((file) => [file, read(file)]),
);

/** A page without what its code says. */
const proseOf = (page: string) =>
  page.replaceAll(/^\s*```[\s\S]*?^\s*```/gm, '').replaceAll(/`[^`\n]*`/g, '');

interface Link {
  /** The path from the root; the page itself if it is empty. */
  readonly path: string;
  readonly anchor: string | undefined;
}

/** The links and pictures of a page that lead to files of the project. */
function linksOf(file: string, page: string): Link[] {
  const targets = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)|\b(?:src|srcset|href)="([^"]+)"/g)];
  return targets
    .map(([, link, source]) => link ?? source ?? '')
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = '', anchor] = target.split('#');
      return { path: path === '' ? file : normalize(join(dirname(file), path)), anchor };
    });
}

/** The anchors that GitHub gives the headings of a page, and those that it sets itself. */
function anchorsOf(page: string): Set<string> {
  const anchors = new Set(Array.from(page.matchAll(/<a id="([^"]+)">/g), ([, id = '']) => id));
  for (const [, title = ''] of page.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#{1,6} (.*)$/gm)) {
    const text = title.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = text.replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '').replaceAll(' ', '-');
    let count = 0;
    while (anchors.has(count === 0 ? anchor : `${anchor}-${count}`)) count++;
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`);
  }
  return anchors;
}

/** The links of pages that lead nowhere. */
function brokenIn(pages: ReadonlyMap<string, string>): string[] {
  return [...pages].flatMap(([file, page]) =>
    linksOf(file, page).flatMap(({ path, anchor }) => {
      if (isOfMissingPlugin(path)) return [];
      if (!pages.has(path) && !existsSync(join(ROOT, path))) return [`${file}: ${path} does not exist`];
      const target = pages.get(path) ?? '';
      return anchor === undefined || anchorsOf(target).has(anchor)
        ? []
        : [`${file}: no #${anchor} in ${path}`];
    }),
  );
}

/** The pages that so many clicks from a page do not find. */
function unfoundIn(pages: ReadonlyMap<string, string>, from: string, clicks: number): string[] {
  const found = new Set([from]);
  for (let click = 0; click < clicks; click++) {
    for (const file of [...found])
      for (const { path } of linksOf(file, pages.get(file) ?? '')) found.add(path);
  }
  return [...pages.keys()].filter((file) => !found.has(file));
}

t.test('pages are short', async (t) => {
  const linesOf = (page: string) => page.trimEnd().split('\n').length;
  t.ok(PAGES.size > 20, `${PAGES.size} pages`);
  t.ok(linesOf(read('README.md')) <= MAX_LINES_OF_README);
  t.same(
    [...PAGES].filter(([, page]) => linesOf(page) > MAX_LINES).map(([file]) => file),
    [],
  );
});

t.test('their links lead to files and headings', async (t) => t.same(brokenIn(PAGES), []));

/** Pages of a plugin's tests go with the plugin, so no other page names them. */
const WITH_PLUGINS = /^test\/plugins\//;

t.test('the README leads to each in two clicks', async (t) => {
  const unfound = unfoundIn(PAGES, 'README.md', MAX_CLICKS);
  t.same(
    unfound.filter((file) => !WITH_PLUGINS.test(file)),
    [],
  );
});

/** Where the package is installed, its command has its own name. */
const INSTALLED = ['chunksmith serve --port 9000', '- run: npx chunksmith plugin check my-plugins/section'];
/** Calls of the command line that are not `npm run -s chunksmith --`, in code. */
const OTHER_CALL =
  /server\/cli\/(?:main|bin)|npx chunksmith|npm run chunksmith|(?:^|[|&;$`] ?)chunksmith (?:chunk|plugin|serve|tune|evaluate|jobs|pipelines|models)\b/;

/** Lines of pages that call the command line in another way than all others. */
function otherCallsIn(pages: ReadonlyMap<string, string>): string[] {
  return [...pages].flatMap(([file, page]) =>
    page
      .split('\n')
      .filter((line) => OTHER_CALL.test(line) && !INSTALLED.some((known) => line.startsWith(known)))
      .map((line) => `${file}: ${line}`),
  );
}

t.test('pages call the command line in one way', async (t) => {
  const forUsers = [...PAGES].filter(
    ([file]) => !/^(test\/|CHANGELOG|CONTRIBUTING)|^server\/README/.test(file),
  );
  t.same(otherCallsIn(new Map(forUsers)), []);
});

t.test('each rule sees its breaches', async (t) => {
  const links = '[a](b.md#two-words-1) [own](#top) <img src="c.webp">';
  const pages = new Map([
    ['a.md', `# Top\n\n${links}`],
    ['b.md', '# Two *words*\n\n```sh\n# Not one\n```\n\n## `Two` words\n\n[on](d/e.md)'],
    ['d/e.md', '[back](../b.md#not-one) [up](../gone.md)'],
  ]);
  t.same(brokenIn(pages), [
    'a.md: c.webp does not exist',
    'd/e.md: no #not-one in b.md',
    'd/e.md: gone.md does not exist',
  ]);
  t.same(unfoundIn(pages, 'a.md', 1), ['d/e.md']);
  t.same(unfoundIn(pages, 'a.md', 2), []);
  for (const call of ['$ chunksmith chunk a', 'Run `chunksmith jobs list`.', 'cat a | chunksmith chunk -'])
    t.equal(otherCallsIn(new Map([['a.md', call]])).length, 1, call);
  for (const call of [
    '$ npx chunksmith chunk a',
    'node server/cli/main.ts chunk',
    'npm run chunksmith -- tune a',
  ])
    t.equal(otherCallsIn(new Map([['a.md', call]])).length, 1, call);
  t.same(otherCallsIn(new Map([['a.md', 'npm run -s chunksmith -- chunk a and chunksmith itself']])), []);
});
