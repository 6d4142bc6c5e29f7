import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import type { Chunk } from '../../../../core/contracts/chunk.ts';
import type { Tokenizer } from '../../../../core/contracts/tokenizer.ts';
import { windowsOf } from '../../../../plugins/refineries/summary/windows.ts';
import { joinChunks, LENGTHS } from '../../../../server/service/chunk-parts.ts';
import { anyText } from '../../../../server/testing/cases/texts.ts';
import { isHere } from '../../../support/here.ts';
import { never } from '../../../support/hosted-host.ts';
import { composeQuietly } from '../../../support/service.ts';
import { chunksOf } from './support/chat.ts';

const { openers } = await composeQuietly();
const character = await openers.tokenizer('character');
const other = isHere('tokenizer/tiktoken') ? await openers.tokenizer('cl100k_base') : character;

const join = (chunks: readonly Chunk[], fields = {}) => joinChunks(chunks, fields, [LENGTHS.utf16]);
const countOf = (tokenizer: Tokenizer, text: string) => tokenizer.tokenize(text).count(0, text.length);

for (const tokenizer of new Set([character, other])) {
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
    );
  });
}

t.test('windows are made once for neighbours, in time linear in the document', async (t) => {
  const chunks = chunksOf(Array.from({ length: 50_000 }, (_, index) => `<${index}>`.padEnd(10, '.')));
  let read = 0;
  const tokenizer: Tokenizer = {
    name: 'watched',
    tokenize(text) {
      read += text.length;
      return character.tokenize(text);
    },
  };
  for (const most of [100, 10_000, 499_999]) {
    read = 0;
    const windowOf = windowsOf(chunks, most, { tokenizer, join, signal: never });
    const windows = new Set(chunks.map((_, index) => windowOf(index)));
    t.ok(windows.size <= 1_000_000 / most, `${windows.size} windows of ${most}`);
    t.ok(read <= 5 * 500_000, `read ${read / 500_000} times`);
  }
});
