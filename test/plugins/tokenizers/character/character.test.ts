import t from 'tap';
import create from '../../../../plugins/tokenizers/character/index.ts';
import { testPlainTokenizer } from '../plain.ts';

const tokenize = await testPlainTokenizer(t, create, 'character', Array.from);

t.test('takes half a pair for a code point of its own', async (t) => {
  const tokens = tokenize('👍👍');
  t.same([tokens.count(0, 1), tokens.count(1, 2), tokens.count(1, 3), tokens.count(2, 2)], [1, 1, 2, 0]);
  t.same([...tokenize('\udc4d\ud83d').ends()], [1, 2]);
  t.same([...tokenize('a👍b').ends()], [1, 3, 4]);
});
