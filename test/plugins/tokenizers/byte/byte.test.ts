import t from 'tap';
import create from '../../../../plugins/tokenizers/byte/index.ts';
import { testPlainTokenizer } from '../plain.ts';

/** All bytes of a code point end where it ends. */
const bytesOf = (text: string) =>
  Array.from(text).flatMap((point) => [point, ...Array(Buffer.byteLength(point) - 1).fill('')]);

await testPlainTokenizer(t, create, 'byte', bytesOf);
