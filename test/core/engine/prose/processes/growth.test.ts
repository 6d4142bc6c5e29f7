import t from 'tap';
import { startBlockCounter } from '../../../../support/executed-blocks.ts';
import { checkLinearWork } from '../../../../support/linear-work.ts';

/** Texts that make careless rules look at everything again and again. */
const HOSTILE: Readonly<Record<string, string>> = {
  'full stops': '.',
  'spaced full stops': '. ',
  brackets: '(',
  'marks and brackets': '. (',
  abbreviations: 'Dr. ',
  initials: 'J. ',
  'times of day': '5 p.m. A ',
  quotes: '"',
  'marks and quotes': '。"と',
  'French quotes': ' »',
  'one letter': 'a',
  'line breaks': '\n',
  'lines of one letter': 'a\n',
  'one line that is never forced': 'A b\n',
  fences: '```\n',
  items: '1. a\n',
  'items in a line': ' 1. a',
  bullets: '• a ',
  'Thai spaces': 'ก ',
  underlines: 'a\n===\n',
  references: '.[1]',
  'white space': ' ',
};

t.test('work is linear in the text', async (t) => {
  const counter = await startBlockCounter();
  t.teardown(() => counter.stop());
  const { findSentences } = await import('../../../../../core/engine/prose/find-sentences.ts');
  const shapes = Object.entries(HOSTILE).map(
    ([name, piece]) => [name, (length: number) => piece.repeat(length / piece.length)] as const,
  );
  const run = async (text: string) => findSentences(text, 'en');
  await checkLinearWork(t, Object.fromEntries(shapes), [{}], run, counter);
});
