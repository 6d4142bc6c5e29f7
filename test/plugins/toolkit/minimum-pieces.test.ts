import t from 'tap';
import { cutAtDelimiters } from '../../../core/engine/cuts/delimiters.ts';
import { withMinimumPiece } from '../../../plugins/toolkit/minimum-pieces.ts';

t.test('short pieces go with the one behind, at the end with the one before', async (t) => {
  const find = withMinimumPiece(cutAtDelimiters(['.']), 3);
  t.same(find('a.bb.ccc.d.', 0, 11), [5, 9].slice(0, 1), 'the last two are too short to stand alone');
  t.same(find('😀😀.xyz', 0, 8), [5], 'characters are code points');
});
