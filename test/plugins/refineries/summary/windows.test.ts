import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { windowsOf } from '../../../../plugins/refineries/summary/windows.ts';
import { anyText } from '../../../../server/testing/cases/texts.ts';
import { never } from '../../../support/hosted-host.ts';
import { character, chunksOf, countOf, join, TOKENIZERS, watch } from '../refining.ts';

for (const tokenizer of TOKENIZERS) {
  t.test(`${tokenizer.name}: a window is within the limit and has its chunk`, async () => {
    const anyChunks = fc.array(anyText, { maxLength: 20 }).map((texts) => chunksOf(texts));
    fc.assert(
      fc.property(anyChunks, fc.integer({ min: 1, max: 300 }), (chunks, most) => {
        const windowOf = windowsOf(chunks, most, { tokenizer, join, signal: never });
        const whole = chunks.map(({ text }) => text).join('');
        for (const [index, { text }] of chunks.entries()) {
          const window = windowOf(index);
          assert.deepEqual(windowOf(index), window);
          if (countOf(tokenizer, whole) <= most) assert.equal(window.text, whole);
          assert.ok(whole.includes(window.text), 'it is a stretch of the document');
          if (tokenizer !== character) continue;
          assert.ok(countOf(tokenizer, window.text) <= most);
          const isLarge = countOf(tokenizer, text) > most;
          assert.ok(isLarge ? text.startsWith(window.text) : window.text.includes(text));
        }
      }),
      { numRuns: tokenizer === character ? 100 : 40 },
    );
  });
}

t.test('windows are made once for neighbours, in time linear in the document', async (t) => {
  const chunks = chunksOf(Array.from({ length: 10_000 }, (_, index) => `<${index}>`.padEnd(10, '.')));
  for (const most of [100, 5000, 99_999]) {
    const { watched, seen } = watch(character);
    const windowOf = windowsOf(chunks, most, { tokenizer: watched, join, signal: never });
    const windows = new Set(chunks.map((_, index) => windowOf(index)));
    t.ok(windows.size <= 200_000 / most, `${windows.size} windows of ${most}`);
    t.ok(seen.opened <= 5 * 100_000, `opened ${seen.opened / 100_000} times`);
  }
});
