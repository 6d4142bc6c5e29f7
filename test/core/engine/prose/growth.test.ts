import t from 'tap';
import { cutAtSentences } from '../../../../core/engine/prose/cut-at-sentences.ts';
import { startBlockCounter } from '../../../support/executed-blocks.ts';

// Before anything runs: a function that is compiled already has no counters of its blocks.
const counter = await startBlockCounter();
t.teardown(() => counter.stop());

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

const SMALL = 4000;
const FACTOR = 16;
const MOST_GROWTH = FACTOR * 1.5;

t.test('work is linear in the text', async (t) => {
  const find = cutAtSentences('en');
  const growths: [name: string, growth: number][] = [];
  for (const [name, piece] of Object.entries(HOSTILE)) {
    const workOf = async (length: number) => {
      const text = piece.repeat(length / piece.length);
      const work = () => find(text, 0, text.length);
      return Math.min(await counter.count(work), await counter.count(work), await counter.count(work));
    };
    const small = await workOf(SMALL);
    growths.push([name, (await workOf(SMALL * FACTOR)) / small]);
  }
  // Asserted at the end, because what tap does with an assertion would be counted too.
  for (const [name, growth] of growths)
    t.ok(
      growth > FACTOR / 2 && growth < MOST_GROWTH,
      `${name}: ${growth.toFixed(1)} times the work for ${FACTOR} times the text`,
    );
});
