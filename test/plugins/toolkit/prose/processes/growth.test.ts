import t from 'tap';
import { startBlockCounter } from '../../../../support/executed-blocks.ts';
import { checkLinearWork, repeated } from '../../../../support/linear-work.ts';

/** Texts that make careless rules look at everything again and again. */
const HOSTILE = repeated(
  ...[
    '.',
    '. ',
    '(',
    '. (',
    'Dr. ',
    'J. ',
    '5 p.m. A ',
    '"',
    '。"と',
    ' »',
    'a',
    '\n',
    'a\n',
    'A b\n',
    '```\n',
  ],
  ...['1. a\n', ' 1. a', '• a ', 'ก ', 'a\n===\n', '.[1]', ' '],
);

t.test('work is linear in the text', async (t) => {
  const counter = await startBlockCounter(t);
  const { findSentences } = await import('../../../../../plugins/toolkit/prose/find-sentences.ts');
  const run = async (text: string) => findSentences(text, 'en');
  await checkLinearWork(t, HOSTILE, [{}], run, counter);
});
