import t from 'tap';
import { type AnswerChunk, openChunkers } from '../../../support/service.ts';
import { testCuts } from '../cuts.ts';

const chunk = await openChunkers();

const FILE = 'diff --git a/tea.ts b/tea.ts\n--- a/tea.ts\n+++ b/tea.ts\n';
const hunk = (at: number, lines: number) =>
  `@@ -${at},${lines + 1} +${at},${lines + 1} @@ boil()\n${`-  // old ${at}:\n+  // new ${at}:\n`.repeat(lines)} // ${at}\n`;
/** A file with small hunks, one with a hunk that is too large, and one that is moved. */
const DIFF = [
  `${FILE}${[1, 20, 40, 60].map((at) => hunk(at, 2)).join('')}`,
  `${FILE.replaceAll('tea', 'cup')}${hunk(1, 30)}${hunk(99, 1)}`,
  'diff --git a/pot.ts b/lib/pot.ts\nsimilarity index 100%\nrename from pot.ts\nrename to lib/pot.ts\n',
].join('');
const MAIL = `From 0123456789abcdef Mon Sep 17 00:00:00 2001\nFrom: Ada <ada@example.org>\nSubject: [PATCH] Tea\n\nBoil it:\n---\n tea.ts | 2 +-\n\n`;

interface DiffChunk extends AnswerChunk {
  readonly heading_path: readonly string[];
}

const cutDiff = (text: string, options: object) =>
  chunk('recursive', { text, recipe: 'diff', ...options }) as Promise<DiffChunk[]>;

t.test('a diff is cut before files and hunks, and a hunk that is too large before lines', async (t) => {
  for (const text of [DIFF, `${MAIL}${DIFF}-- \n2.47.1\n\n${MAIL}${DIFF}`])
    for (const chunk_size of [180, 260, 400, 900]) {
      const chunks = await cutDiff(text, { chunk_size });
      t.equal(chunks.map((one) => one.text).join(''), text);
      t.ok(chunks.every((one) => one.token_count <= chunk_size));
      for (const one of chunks) {
        t.match(
          one.text,
          /^(?:From |diff |@@ |[-+] {2}\/\/ \w+ 1:| \/\/ 1\n|[a-z])/,
          'how each chunk begins',
        );
        t.notMatch(
          one.text,
          /(?:^|\n)(?:diff --git .*|--- a.*|\+\+\+ b.*|@@ .*)\n$/,
          'a header is not its end',
        );
      }
    }
});

t.test('small hunks of a file share a chunk, and each chunk has the path of its file', async (t) => {
  const chunks = await cutDiff(DIFF, { chunk_size: 260 });
  t.same(
    chunks.map((one) => [one.heading_path.join(), one.text.match(/^@@/gm)?.length ?? 0]),
    [
      ['tea.ts', 2],
      ['tea.ts', 2],
      ['cup.ts', 1],
      ['cup.ts', 0],
      ['cup.ts', 0],
      ['cup.ts', 0],
      ['cup.ts', 1],
      ['lib/pot.ts', 0],
    ],
  );
  const [whole] = await cutDiff(DIFF, { chunk_size: 9999 });
  t.same(whole?.heading_path, [], 'several files');
  const [mail] = await cutDiff(`${MAIL}${DIFF}`, { chunk_size: 260 });
  t.same(mail?.heading_path, [], 'the message of a commit is in no file');
  const log = await cutDiff(`${FILE}${hunk(1, 2)}${MAIL}${DIFF}`, { chunk_size: 260 });
  t.same(
    log.slice(0, 3).map(({ heading_path }) => heading_path.join()),
    ['tea.ts', '', 'tea.ts'],
  );
  t.same((await cutDiff('No diff.', {}))[0]?.heading_path, []);
});

t.test('an overlap repeats whole hunks', async (t) => {
  const chunks = await cutDiff(DIFF, { chunk_size: 360, chunk_overlap: 100 });
  t.match(chunks[1]?.text, /^@@ -/);
  t.ok((chunks[0]?.end_index ?? 0) > (chunks[1]?.start_index ?? 0));
  t.ok(chunks.every((one) => one.token_count <= 360));
});

const LOG = { recipe: 'log', min_characters_per_chunk: 1 };
await testCuts(t, 'recursive', LOG, {
  'a log is cut before entries, and a stack trace stays with its entry': [
    [
      '2026-11-27 22:50:39 INFO a\n‖2026-11-27 22:50:40 ERROR b:\nTraceback (most recent call last):\n  File "tea.py", line 7\n\nValueError: 7\n‖2026-11-27 22:50:41 INFO c\n',
      { chunk_size: 120 },
    ],
    [
      '192.0.2.7 - - [27/Nov/2026:22:50:39 +0000] "GET /" 200\n192.0.2.7 - - [27/Nov/2026:22:50:40 +0000] "GET /" 200\n‖192.0.2.7 - - [27/Nov/2026:22:50:41 +0000] "GET /" 200\n',
      { chunk_size: 128 },
    ],
  ],
  'an entry that is too large is cut before causes, then at lines': [
    [
      'I1127 22:50:39.123456 7 tea.go:1] a\n‖E1127 22:50:40.123456 7 tea.go:2] b\n\tat a.B(B.java)\n‖Caused by: c\n\tat a.B(B.java)\n\tat c.D(D.java)\n‖\tat e.F(F.java)\n‖I1127 22:50:41.123456 7 tea.go:3] d\n',
      { chunk_size: 55 },
    ],
  ],
  'an entry that ends in a colon is no introduction': [
    [
      'Nov 27 22:50:39 host tea: one\nNov 27 22:50:40 host tea: list:\n‖Nov 27 22:50:41 host tea: two\n',
      { chunk_size: 75 },
    ],
  ],
});
