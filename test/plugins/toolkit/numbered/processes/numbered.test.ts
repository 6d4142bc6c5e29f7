import t from 'tap';
import { startBlockCounter } from '../../../../support/executed-blocks.ts';
import { checkLinearWork, repeated } from '../../../../support/linear-work.ts';

/** Lines that begin sequences, break them, or look like neither. */
const HOSTILE = repeated(
  ...[
    'Article 1\n\na\n\n',
    'Article 1\n\na\n\nArticle 2\n\na\n\n',
    'Chapter 1\n\na\n\nChapter 2\n\nb\n\n',
    '§ 9\n\na\n\n§ 3\n\na\n\n',
  ],
  ...[
    '1. a',
    '1. A\n',
    '1. A\n\n',
    '1.1. A\n\na\n\n',
    'I.\n',
    '(a) A\n\n',
    '第一条 ',
    'Article ',
    'Article 1 ... ',
    '1.',
    ' ',
    '\n',
    '\r\n',
    'Annex\n\n',
    'Chapter I\nChapter II\nArticle 1\na\n',
    'Article 1 A\nArticle 1\n',
    '附則\n第一条\n',
    '1. A\n2. B\n— \n',
  ],
);

/** Sections without text of their own, each with an article. */
const empty = (size: number) => {
  const known = 'Title I\n\na\n\nSection 1\n\na\n\nSection 2\n\na\n\n';
  return (
    known +
    Array.from({ length: size }, (_, at) => `Section 1\n\nSection 2\n\nArticle ${at + 1}\n\nText.\n\n`).join(
      '',
    )
  );
};

t.test('work is linear in the text', async (t) => {
  const counter = await startBlockCounter(t);
  const { findNumberedHeadings } = await import('../../../../../plugins/toolkit/numbered/index.ts');
  const run = async (text: string) => findNumberedHeadings(text);
  await checkLinearWork(t, HOSTILE, [{}], run, counter);
  await checkLinearWork(t, { empty: (size) => empty(size / 50) }, [{}], run, counter);
  const rising = (size: number) =>
    Array.from({ length: size }, (_, at) => `Article ${at + 1}\n\nText.\n\n`).join('');
  t.equal((await run(rising(2000))).length, 2000);
});
