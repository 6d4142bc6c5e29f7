import t from 'tap';
import { startBlockCounter } from '../../../support/executed-blocks.ts';
import { checkLinearWork, repeated } from '../../../support/linear-work.ts';

/** Lines that begin headers, hunks or entries, and many of what lines begin with. */
const HOSTILE = repeated(
  ...[
    '@@ -1 +1 @@\n',
    '@@\n',
    '@@@ -1 -1 +1 @@@\n',
    '--- a\n',
    '--- a\n+++ b\n',
    '--- a\n+++ b\n@@ -1 +1 @@\n',
  ],
  ...[
    'diff --git a/x b/x\n',
    'diff --git a b/',
    ' b/',
    'Index: x\n====\n',
    '=',
    '-',
    '*',
    '***************\n*** 1 ****\n',
  ],
  ...[
    'commit 0123456789\nAuthor: a\n',
    '1c1\n< a\n',
    'GIT binary patch\n',
    '--- a\n+++ b\n@@ -1,999999 +1,999999 @@\n a\n',
  ],
  ...[
    '2026-11-27 22:50:39 a\n',
    'Nov ',
    'INFO: ',
    'INFO INFO INFO INFO INFO\n',
    '[',
    'a=',
    '1',
    ' ',
    'a ',
    '\n',
    '\r\n',
  ],
);

t.test('work is linear in the text', async (t) => {
  const counter = await startBlockCounter(t);
  const { findDiffParts } = await import('../../../../plugins/toolkit/diff.ts');
  const { findLogEntries } = await import('../../../../plugins/toolkit/log.ts');
  const run = async (text: string) => [findDiffParts(text), findLogEntries(text)];
  await checkLinearWork(t, HOSTILE, [{}], run, counter);
});
