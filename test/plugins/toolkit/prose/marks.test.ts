import fc from 'fast-check';
import t from 'tap';
import { cutAtDelimiters } from '../../../../core/engine/cuts/delimiters.ts';
import { cutAtClauseEnds, cutAtSentenceEnds } from '../../../../plugins/toolkit/prose/cut-at-marks.ts';
import { delimiters } from '../../../../plugins/toolkit/prose/options.ts';
import {
  ALL_SENTENCE_MARKS,
  CLAUSE_MARKS,
  SENTENCE_MARKS,
} from '../../../../plugins/toolkit/prose/sentence-marks.ts';

const OTHERS = ['༎', '༏', '༐', '༑', '།', '\u037e', '\u055d'];

t.test('the marks are those of Unicode, beyond ASCII, each once', async (t) => {
  const all = [...ALL_SENTENCE_MARKS, ...CLAUSE_MARKS];
  t.equal(new Set(all).size, all.length);
  for (const mark of ALL_SENTENCE_MARKS)
    t.ok(/\p{Sentence_Terminal}/u.test(mark) || OTHERS.includes(mark), mark);
  for (const mark of CLAUSE_MARKS)
    t.ok(/\p{Terminal_Punctuation}/u.test(mark) || OTHERS.includes(mark), mark);
  const known = new Set(all);
  for (let point = 0x80; point < 0x11200; point++) {
    const one = String.fromCodePoint(point);
    if (/\p{Sentence_Terminal}/u.test(one)) t.ok(known.has(one), point.toString(16));
  }
});

t.test('the default of delim shows the whole list', async (t) => {
  t.same(delimiters.default, ['\n', '. ', '! ', '? ', ...SENTENCE_MARKS]);
});

const CUTS: Readonly<Record<string, readonly string[]>> = {
  'marks in a row, brackets and spaces stay with their sentence': [
    'है।। ‖नहीं। ‖अ',
    '**यह।** ‖"वह।" ‖है।‖*अब* है',
    'သည်။။ ‖နောက်',
    'حقا؟! ‖نعم',
    '「はい。」‖「いいえ！」‖と',
    'མིན།  །‖ཡིན',
    'Really‼️ ‖Yes‽ ‖No',
    '好。\n‖好',
  ],
  'a mark between digits is part of a number': ['３．１４です．‖次', '是１．‖二'],
  'marks of the second plane count': ['𑄇𑅁 ‖𑄇𑅁‖𑄇'],
};

for (const [name, marked] of Object.entries(CUTS)) {
  t.test(name, async (t) => {
    const find = cutAtSentenceEnds(['\n', '. ', '! ', '? ']);
    for (const one of marked) t.equal(shown(one.replaceAll('‖', ''), find), one);
  });
}

t.test('clauses end at the commas of all scripts', async (t) => {
  const find = cutAtClauseEnds([', ']);
  for (const one of ['نعم، ‖لا؛ ‖ثم', 'ቤት፣ ‖መንገድ፤ ‖ሰው', 'ကလေး၊ ‖အိမ်', 'a, ‖b', '١،٥'])
    t.equal(shown(one.replaceAll('‖', ''), find), one);
});

function shown(
  text: string,
  find: typeof cutAtSentenceEnds extends (...given: never[]) => infer F ? F : never,
) {
  const edges = [0, ...find(text, 0, text.length), text.length];
  return edges
    .slice(1)
    .map((end, index) => text.slice(edges[index], end))
    .join('‖');
}

t.test('many rare delimiters are found as a few are', async () => {
  const units = ['a', 'b', ' ', '.', '。', '।', '؟', '။', '—', '\u{11141}', '\ud804', '漢'];
  const text = fc
    .tuple(fc.array(fc.constantFrom(...units), { maxLength: 30 }), fc.constantFrom(1, 40, 600))
    .map(([pieces, times]) => `${pieces.join('')}x`.repeat(times));
  const many = ['. ', '— ', ...ALL_SENTENCE_MARKS];
  const few = many.filter((one) => units.some((unit) => one.startsWith(unit)));
  const [all, some] = [cutAtDelimiters(many), few.map((one) => cutAtDelimiters([one]))];
  const holds = fc.property(text, fc.nat({ max: 9 }), (text, start) => {
    const from = Math.min(start, text.length);
    const found = all(text, from, text.length);
    const each = [...new Set(some.flatMap((find) => find(text, from, text.length)))].sort((a, b) => a - b);
    if (found.join() !== each.join()) throw new Error(`${found}, not ${each}`);
  });
  fc.assert(holds, { numRuns: 500 });
});
