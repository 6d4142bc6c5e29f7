import t from 'tap';
import { tokenWindows } from '../../../core/engine/windows.ts';

t.test('a token without text of its own at the start of a text makes no empty window', async (t) => {
  t.same(tokenWindows(Uint32Array.of(0, 2, 5), 1), [
    { start: 0, end: 2, token_count: 1 },
    { start: 2, end: 5, token_count: 1 },
  ]);
  t.same(tokenWindows(Uint32Array.of(0, 0, 2, 5), 3, 2), [
    { start: 0, end: 2, token_count: 3 },
    { start: 2, end: 5, token_count: 1 },
  ]);
});
