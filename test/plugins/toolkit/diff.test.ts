import t from 'tap';
import { findDiffParts } from '../../../plugins/toolkit/diff.ts';

const HUNK = '@@ -1,2 +1,2 @@\n kept\n-old\n+new\n';
const SIDES = '--- a/x\n+++ b/x\n';

/** The paths of the files, and the lines before which there are cuts. */
function partsOf(text: string) {
  const { commits, files, hunks, lines } = findDiffParts(text);
  const lineAt = (at: number) => text.slice(at).split(/\r?\n/, 1)[0];
  return {
    paths: files.map(({ path }) => path),
    files: files.map(({ start }) => lineAt(start)),
    commits: commits.map(lineAt),
    hunks: hunks.map(lineAt),
    lines: lines.map(lineAt),
  };
}

const PATHS: readonly (readonly [name: string, text: string, ...paths: string[]])[] = [
  ['unified', `--- a/x.ts\n+++ b/x.ts\n${HUNK}`, 'x.ts'],
  [
    'with times',
    `--- old/x.c\t2026-01-02 03:04:05.0 +0000\n+++ new/x.c 2026-01-02 03:04:05\n${HUNK}`,
    'new/x.c',
  ],
  ['git', `diff --git a/x.ts b/x.ts\nindex 12..34 100644\n${SIDES}${HUNK}`, 'x'],
  ['added', `--- /dev/null\n+++ b/new.ts\n@@ -0,0 +1 @@\n+a\n`, 'new.ts'],
  ['deleted', `--- a/gone.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n`, 'gone.ts'],
  [
    'renamed',
    'diff --git a/x y.ts b/z.ts\nsimilarity index 100%\nrename from x y.ts\nrename to z.ts\n',
    'z.ts',
  ],
  [
    'modes',
    'diff --git a/x b/x\nold mode 100644\nnew mode 100755\ndiff --git a/y b/y\nold mode 100644\n',
    'x',
    'y',
  ],
  ['quoted', `--- "a/\\303\\244 \\"q\\".ts"\n+++ "b/\\303\\244 \\"q\\".ts"\n${HUNK}`, 'ä "q".ts'],
  ['combined', 'diff --cc x.ts\n--- a/x.ts\n+++ b/x.ts\n@@@ -1,2 -1,2 +1,2 @@@\n  a\n--b\n +c\n', 'x.ts'],
  [
    'Subversion',
    `Index: src/x.c\n${'='.repeat(67)}\n--- src/x.c\t(revision 7)\n+++ src/x.c\t(working copy)\n${HUNK}`,
    'src/x.c',
  ],
  ['quilt', `Index: pkg/x.c\n${'='.repeat(67)}\n--- pkg.orig/x.c\n+++ pkg/x.c\n${HUNK}`, 'pkg/x.c'],
  [
    'Bazaar',
    `=== modified file 'src/x.c'\n--- src/x.c\t2026-01-02 03:04:05 +0000\n+++ src/x.c\n${HUNK}`,
    'src/x.c',
  ],
  [
    'context',
    'diff -c a/x b/x\n*** a/x\tFri\n--- b/x\tFri\n***************\n*** 1,2 ****\n! a\n- b\n--- 1 ----\n! c\n',
    'x',
  ],
  ['normal', 'diff -r one/x two/x\n1,2c1\n< a\n< b\n---\n> c\n', 'two/x'],
  [
    'binary',
    'diff --git a/x.png b/x.png\nGIT binary patch\nliteral 3\nKcmZ`\n\nliteral 0\nHcmV\n\n',
    'x.png',
  ],
];

for (const [name, text, ...paths] of PATHS) {
  t.same(partsOf(text).paths, paths, name);
  t.same(partsOf(text.replaceAll('\n', '\r\n')).paths, paths, `${name}, with CRLF`);
  const several = partsOf(text.repeat(3)).files;
  t.equal(several.length, 3 * paths.length, `${name}: each file begins one`);
}

t.test('lines of a hunk are counted, so that those that look like headers are none', async (t) => {
  const body = ' a\n--- a/no.sql\n+++ b/no.sql\n-diff --git\n\n';
  const text = `${SIDES}@@ -1,4 +1,3 @@\n${body}@@ -9 +9 @@\n-b\n+c\n\\ No newline at end of file\n-- \n2.47.1\n`;
  const { paths, hunks, lines } = partsOf(text);
  t.same([paths, hunks], [['x'], ['@@ -9 +9 @@']]);
  t.same(lines.slice(0, 4), ['--- a/no.sql', '+++ b/no.sql', '-diff --git', '']);
});

t.test('the first hunk belongs to the header, and its first line to both', async (t) => {
  const { hunks, lines } = partsOf(`diff --git a/x b/x\nindex 1..2\n${SIDES}${HUNK}${HUNK}`);
  t.same(hunks, ['@@ -1,2 +1,2 @@']);
  t.same(lines, ['-old', '+new', '-old', '+new']);
  const context = partsOf(PATHS.find(([name]) => name === 'context')?.[1] ?? '');
  t.same(context.lines, ['! a', '- b', '--- 1 ----'].slice(1));
});

t.test('commits of logs and mails end the file before them', async (t) => {
  const hash = '0123456789abcdef0123456789abcdef01234567';
  const log = `commit ${hash}\nAuthor: Ada\n\n    Fix x.\n\n    commit ${hash}\n\ndiff --git a/x b/x\n${SIDES}${HUNK}\n`;
  const mail = `From ${hash} Mon Sep 17 00:00:00 2001\nSubject: x\n\ncommit ${hash} upstream.\n---\n x | 2 +-\n\n${SIDES}${HUNK}-- \n2.47.1\n\n`;
  const hg = `changeset:   12:0123456789ab\nsummary: x\n\n${SIDES}${HUNK}\n`;
  for (const one of [log, mail, hg, `${'-'.repeat(72)}\nr12 | ada | 2026\n\nFix x.\n\n${SIDES}${HUNK}\n`]) {
    const text = `${one}${one}`;
    const { commits, files } = findDiffParts(text);
    t.same(commits, [0, one.length]);
    t.same(
      files.map(({ end }) => end),
      [one.length, text.length],
    );
  }
});

t.test('a text in which something looks like a header keeps its lines', async (t) => {
  const prose = 'One line of prose.\n'.repeat(99);
  t.ok(partsOf(`diff -u is a command.\n${prose}`).lines.length > 70);
  for (const text of [
    '--- a\n+++ b\n\nNo hunk.\n',
    '---\n\n+++\n',
    '*** a\n--- b\n',
    'Index: a\n\n',
    '@@ a\n',
  ])
    t.same([partsOf(text).paths, partsOf(text).hunks], [[], []], text);
});

t.test('a path has a maximum length', async (t) => {
  const [path = ''] = partsOf(`--- a/${'x'.repeat(9999)}\n+++ b/${'x'.repeat(9999)}\n${HUNK}`).paths;
  t.equal(path.length, 200);
});

t.test('a byte order mark hides no file, hunk or commit of a diff', async (t) => {
  for (const text of [
    '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n',
    'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n',
    'commit 0123456789\nAuthor: Ada\n\n    Tea\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n',
    '@@ -1 +1 @@\n-a\n+b\n',
    'text\n',
  ]) {
    const shifted = (at: number) => (at === 0 ? 0 : at + 1);
    const { commits, files, hunks, lines } = findDiffParts(text);
    t.same(findDiffParts(`\ufeff${text}`), {
      commits: commits.map(shifted),
      files: files.map((file) => ({ ...file, start: shifted(file.start), end: file.end + 1 })),
      hunks: hunks.map(shifted),
      lines: lines.map(shifted),
    });
  }
});
