import { execFileSync, spawnSync } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { selectFiles } from '../../../server/corpora/select-files.ts';
import type { Skip } from '../../../server/corpora/shard.ts';
import { temporaryFolder } from '../../support/server.ts';
import { byBytes, failureOf } from './memory-storage.ts';

async function selected(...given: Parameters<typeof selectFiles>): Promise<string[]> {
  const names: string[] = [];
  for await (const name of selectFiles(...given)) names.push(name);
  return names;
}

const FOLDERS = ['', 'a/', 'a/b/', 'build/', 'a/build/', 'a/b/c/'];
const FILES = ['x.md', 'y.log', 'build', 'keep.log', '.hidden', 'ä b.txt'];
const RULES = [
  ...['*.log', '!keep.log', 'build/', '/build', '!build/', 'a/b', '/a/*.md', '**/c', 'b/*', '!b/x.md'],
  ...['# no', '\\#x', '*.txt ', '.hidden', 'a/**/y.log', '?.md'],
];

const anyFolder = fc.constantFrom(...FOLDERS);
const anyFile = fc.tuple(anyFolder, fc.constantFrom(...FILES)).map(([folder, file]) => folder + file);
const anyRules = fc.array(fc.constantFrom(...RULES), { minLength: 1, maxLength: 4 });
const anyTree = fc.record({
  files: fc.uniqueArray(anyFile, { minLength: 4, maxLength: 20 }),
  rules: fc.array(fc.tuple(anyFolder, anyRules), { maxLength: 3 }),
});

/** What git lists of a folder, without names that begin with a dot. */
function listedByGit(root: string): string[] {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', HOME: root };
  execFileSync('git', ['init', '-q', root], { env });
  const listing = ['ls-files', '-z', '--others', '--cached', '--exclude-standard'];
  const args = ['-C', root, '-c', 'core.excludesFile=', ...listing];
  const names = execFileSync('git', args, { env }).toString().split('\0').slice(0, -1);
  return names.filter((name) => !/(^|\/)\./.test(name)).sort(byBytes);
}

t.test('the files of a folder are those that git would list', async (t) => {
  await fc.assert(
    fc.asyncProperty(anyTree, async ({ files, rules }) => {
      const kept = files.filter((file) => !files.some((other) => other.startsWith(`${file}/`)));
      const ignores = rules.map(([folder, lines]) => [`${folder}.gitignore`, lines.join('\n')] as const);
      const whole = Object.fromEntries([...kept.map((file) => [file, ''] as const), ...ignores]);
      const names = Object.keys(whole);
      fc.pre(names.every((name) => !names.some((other) => other.startsWith(`${name}/`))));
      const root = await temporaryFolder(t, whole);
      const expected = listedByGit(root);
      const found = await selected(root, ['.']);
      if (found.join('\n') !== expected.join('\n')) throw new Error(`${found} instead of ${expected}`);
    }),
    { numRuns: 25 },
  );
});

t.test('a folder that a nearer rule takes back is taken with what is in it', async (t) => {
  const rules = { '.gitignore': 'build/\n*.log\n', 'sub/.gitignore': '!build/\n!keep.log\n' };
  const names = 'sub/build/x.txt sub/build/deep/y.txt sub/keep.log sub/other.log build/z.txt'.split(' ');
  const files = Object.fromEntries(names.map((name) => [name, '']));
  const root = await temporaryFolder(t, { ...rules, ...files });
  const found = await selected(root, ['.']);
  t.same(found, listedByGit(root));
  t.ok(found.includes('sub/build/deep/y.txt'));
});

t.test('files, folders and globs are selected, each once and in order', async (t) => {
  const names = 'a/x.md a/y.log a/deep/z.md a/.hidden/h.md b.txt weird[1].md .git/config'.split(' ');
  const files = Object.fromEntries(names.map((name) => [name, '']));
  const root = await temporaryFolder(t, { '.gitignore': '*.log\n', ...files });
  const select = (...args: string[]) => selected(root, args);
  t.same(await select('b.txt', 'a', 'a/x.md', join(root, 'b.txt')), ['a/deep/z.md', 'a/x.md', 'b.txt']);
  t.same(await select('**/*.md'), ['a/deep/z.md', 'a/x.md', 'weird[1].md']);
  t.same(await select('a/*.{md,log}'), ['a/x.md'], 'a glob takes nothing that is ignored');
  t.same(await select('a/y.log'), ['a/y.log'], 'a file that is named is taken');
  t.same(await select('weird[1].md'), ['weird[1].md'], 'a path goes before a glob');
  t.same(await select('./a/deep/'), ['a/deep/z.md']);
  t.same(await select('.'), ['a/deep/z.md', 'a/x.md', 'b.txt', 'weird[1].md']);
  t.same(await select('a/.hidden'), ['a/.hidden/h.md']);
});

t.test('rules of folders above the one that is named apply', async (t) => {
  const root = await temporaryFolder(t, {
    '.gitignore': 'deep/out\n',
    'deep/.gitignore': '*.tmp\n',
    'deep/in/a.tmp': '',
    'deep/in/b': '',
    'deep/out/c': '',
  });
  t.same(await selected(root, ['deep/in']), ['deep/in/b']);
  t.same(await selected(root, ['deep']), ['deep/in/b']);
});

t.test('what is not there, or leads out of the root, is an error that names it', async (t) => {
  const base = await temporaryFolder(t, { 'root/a.md': '', 'other/b.md': '' });
  const root = join(base, 'root');
  await symlink(join(base, 'other'), join(root, 'out'));
  await symlink(join(base, 'other/b.md'), join(root, 'b.md'));
  await symlink('a.md', join(root, 'link.md'));
  const failure = (arg: string) => failureOf(selected(root, [arg]));
  const missing = await failure('no.md');
  t.equal(missing, 'source_unreadable: no.md cannot be read: there is no such file or folder.');
  t.equal(await failure('*.pdf'), 'source_unreadable: *.pdf cannot be read: no file matches.');
  for (const arg of ['..', '../other/b.md', '/etc/passwd', 'out', 'b.md', 'out/b.md', '../other/*.md']) {
    t.match(await failure(arg), /^path_outside: .* is outside /, arg);
  }
  t.same(await selected(root, ['.']), ['a.md', 'link.md']);
  t.same(await selected(root, ['*.md']), ['a.md']);
  t.same(await selected(root, ['link.md']), ['link.md']);
});

t.test('what cannot be read is left out with its reason, whatever its name', async (t) => {
  const base = await temporaryFolder(t, {
    'root/a\\b.md': '',
    'root/d/c.md': '',
    'root/.git/x': '',
    'other/b.md': '',
  });
  const root = join(base, 'root');
  const latin1 = Buffer.concat([Buffer.from(`${root}/caf`), Buffer.of(0xe9), Buffer.from('.md')]);
  await writeFile(latin1, '');
  await symlink(join(base, 'other/b.md'), join(root, 'out.md'));
  await symlink('nothing', join(root, 'dangling'));
  await symlink('d', join(root, 'linked'));
  spawnSync('mkfifo', [join(root, 'pipe')]);
  const skipped = new Map<string, string>();
  const options = { onSkipped: ({ place, brief }: Skip) => void skipped.set(place.source, brief) };
  t.same(await selected(root, ['.'], options), ['a\\b.md', 'd/c.md']);
  t.same(Object.fromEntries(skipped), {
    'caf\ufffd.md': 'have a name that is not UTF-8',
    'out.md': 'lead outside',
    dangling: 'link to nothing',
    linked: 'link to a folder',
    pipe: 'are neither file nor folder',
  });
  t.same(await selected(root, ['a\\b.md'], options), ['a\\b.md']);
  t.same(await selected(root, ['d', 'gone\ufffd.md'], options), ['d/c.md'], 'as a shell passes such a name');
  t.equal(skipped.get('gone\ufffd.md'), 'have a name that is not UTF-8');
  t.same(await selected(root, ['*.md']), ['a\\b.md'], 'a glob, too');
});
