import t from 'tap';
import { findDiffParts } from '../../../plugins/toolkit/diff.ts';

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
