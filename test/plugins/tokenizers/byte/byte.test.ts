import t from 'tap';
import create from '../../../../plugins/tokenizers/byte/index.ts';
import { testPlainTokenizer } from '../plain.ts';

/** All bytes of a code point end where it ends. */
const bytesOf = (text: string) =>
  Array.from(text).flatMap((point) => [point, ...Array(Buffer.byteLength(point) - 1).fill('')]);

const tokenize = await testPlainTokenizer(t, create, 'byte', bytesOf);

t.test('a byte ends where its code point ends', async (t) => {
  t.same([...tokenize('aé漢👍').ends()], [1, 2, 2, 3, 3, 3, 5, 5, 5, 5]);
  t.same([...tokenize('\udc4d\ud83d').ends()], [1, 1, 1, 2, 2, 2]);
});
