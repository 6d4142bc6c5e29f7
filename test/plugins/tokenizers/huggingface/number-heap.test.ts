import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { popLeast, push } from '../../../../plugins/tokenizers/huggingface/models/number-heap.ts';

const TAKE = null;
const turns = fc.array(fc.oneof(fc.nat(50), fc.constant(TAKE)), { maxLength: 200 });

t.test('a heap gives the least key first, while keys come and go', async (t) => {
  fc.assert(
    fc.property(turns, (turns) => {
      const heap = new Float64Array(turns.length);
      const kept: number[] = [];
      const takeLeast = () => assert.equal(popLeast(heap, kept.length), kept.shift());
      for (const key of turns) {
        if (key === TAKE) {
          if (kept.length > 0) takeLeast();
          continue;
        }
        push(heap, kept.length, key);
        kept.push(key);
        kept.sort((a, b) => a - b);
      }
      while (kept.length > 0) takeLeast();
    }),
  );
  t.pass();
});
