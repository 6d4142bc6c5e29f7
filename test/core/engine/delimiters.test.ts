import fc from 'fast-check';
import t from 'tap';
import { cutAtDelimiters, type DelimiterSide } from '../../../core/engine/delimiters.ts';
import { splitsCodePoint } from '../../../core/engine/text.ts';

/** What the documentation says, one place after the other. */
function cutsByDefinition(text: string, delimiters: readonly string[], side: DelimiterSide, start: number) {
  const cuts: number[] = [];
  const longestFirst = delimiters
    .filter((delimiter) => delimiter !== '')
    .sort((one, other) => other.length - one.length);
  for (let at = start; at < text.length; ) {
    const found = longestFirst.find((delimiter) => text.startsWith(delimiter, at));
    const end = at + (found?.length ?? 1);
    const cut = side === 'prev' ? end : at;
    if (found !== undefined && cut > start && cut < text.length && !splitsCodePoint(text, cut))
      cuts.push(cut);
    at = end;
  }
  return cuts;
}

const LETTERS = ['a', 'b', '.', ' ', '\n', '。', '、', '漢', 'é', '😀', '\ud83d', '\ude00', 'Ａ'];
const words = (letters: string[], maxLength: number) =>
  fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength }).map((list) => list.join(''));

t.test('delimiters are found as defined, where they are rare and where they are dense', async () => {
  const text = fc
    .tuple(words(LETTERS, 60), fc.constantFrom(1, 100, 1000), words(LETTERS, 20), fc.constantFrom(1, 700))
    .map(([one, times, other, more]) => one.repeat(times) + other.repeat(more));
  const delimiters = fc.array(words(LETTERS, 3), { maxLength: 5 });
  const side = fc.constantFrom('prev' as const, 'next' as const);
  fc.assert(
    fc.property(text, delimiters, side, fc.nat({ max: 20 }), (text, delimiters, side, start) => {
      const from = Math.min(start, text.length);
      const found = cutAtDelimiters(delimiters, side)(text, from, text.length);
      return String(found) === String(cutsByDefinition(text, delimiters, side, from));
    }),
    { numRuns: 300 },
  );
});

t.test('a delimiter may lie across two blocks, and finders do not disturb each other', async (t) => {
  const dense = '甲。'.repeat(300);
  for (const filling of [16_383, 16_384, 16_385]) {
    const text = `${dense}${'甲'.repeat(filling - dense.length)}<br>乙`;
    const [stops, breaks] = [cutAtDelimiters(['。', '<br>']), cutAtDelimiters(['乙', '甲。'], 'next')];
    t.equal(stops(text, 0, text.length).at(-1), filling + 4);
    t.equal(breaks(text, 0, text.length).at(-1), filling + 4);
    t.same(stops(text, 0, text.length), cutsByDefinition(text, ['。', '<br>'], 'prev', 0));
  }
});
