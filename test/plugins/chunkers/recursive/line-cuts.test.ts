import t from 'tap';
import { cutAfterBlankLines, cutAtLineStarts } from '../../../../plugins/chunkers/recursive/levels.ts';

t.test('cuts before lines that begin with a string', async (t) => {
  const starts = cutAtLineStarts(['# ']);
  t.same(starts('# a\n# b\r\n# c #', 0, 15), [4, 9]);
});

t.test('a stretch is cut behind two blank lines first, whatever white space they hold', async (t) => {
  const find = cutAfterBlankLines(2);
  for (const [text, ...cuts] of [
    ['a\n\nb\n\n\nc', 7],
    ['a\r\n\r\n\r\nb', 7],
    ['a\n \t\n\u3000\n  b', 7],
    ['\n\n\na\n\n\n'],
    [''],
  ] as const)
    t.same(find(text, 0, text.length), cuts, JSON.stringify(text));
  const long = `a\n${' \n'.repeat(300_000)}b${'\n'.repeat(300_000)}`;
  t.equal(find(long, 0, long.length).length, 1);
});
