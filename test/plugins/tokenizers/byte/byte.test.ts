import fc from 'fast-check';
import t from 'tap';
import type { Collaborators } from '../../../../core/contracts/plugin.ts';
import type { TokenizedText, Tokenizer } from '../../../../core/contracts/tokenizer.ts';
import createByteTokenizers from '../../../../plugins/tokenizers/byte/index.ts';
import { startBlockCounter } from '../../../support/executed-blocks.ts';
import { isHere } from '../../../support/here.ts';
import { openChunkers } from '../../../support/service.ts';

const provider = await createByteTokenizers({} as Collaborators & Record<string, unknown>);
const byte = (await provider.open('byte')) as Tokenizer;
const tokenize = (text: string): TokenizedText => byte.tokenize(text);

/** Code points of one to four bytes and halves of pairs, over several checkpoints. */
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc
    .array(fc.constantFrom('a', 'é', '漢', '👍', '\ud83d', '\udc4d', '\0', '\r\n'), { maxLength: 300 })
    .map((units) => units.join('')),
);

t.test('answers to its name only', async (t) => {
  t.same(await provider.names(), ['byte']);
  t.equal(byte.name, 'byte');
  t.equal(await provider.open('bytes'), undefined);
});

t.test('counts the bytes of UTF-8 of every span', async () => {
  fc.assert(
    fc.property(texts, fc.nat(), fc.nat(), (text, one, other) => {
      const start = one % (text.length + 1);
      const end = start + (other % (text.length - start + 1));
      return tokenize(text).count(start, end) === Buffer.byteLength(text.slice(start, end));
    }),
  );
});

t.test('a byte ends where its code point ends', async (t) => {
  t.same([...tokenize('aé漢👍').ends()], [1, 2, 2, 3, 3, 3, 5, 5, 5, 5]);
  t.same([...tokenize('\udc4d\ud83d').ends()], [1, 1, 1, 2, 2, 2]);
  t.same([...tokenize('').ends()], []);
  fc.assert(
    fc.property(texts, (text) => {
      const ends = tokenize(text).ends();
      const inside = ends.filter((end) => text.charCodeAt(end - 1) >= 0xd800 && isPair(text, end - 1));
      return ends.length === Buffer.byteLength(text) && inside.length === 0;
    }),
  );
});

t.test('no chunk has more bytes than chunk_size, and no character is cut', async (t) => {
  const chunk = await openChunkers();
  const text = 'naïve 漢字かな交じり文 👍🏽👩‍👩‍👧‍👦. A second sentence, größer. '.repeat(20);
  for (const name of ['token', ...(isHere('chunker/recursive') ? ['recursive'] : [])]) {
    for (const chunk_size of [4, 5, 17, 100]) {
      const chunks = await chunk(name, { text, tokenizer: 'byte', chunk_size });
      t.equal(chunks.map((one) => one.text).join(''), text);
      t.ok(chunks.every((one) => Buffer.byteLength(one.text) <= chunk_size));
      t.ok(chunks.every((one) => one.text.isWellFormed()));
    }
  }
});

t.test('counting all spans of a text does work linear in their number', async (t) => {
  const counter = await startBlockCounter();
  t.teardown(() => counter.stop());
  const workOf = (length: number) =>
    counter.count(() => {
      const tokens = tokenize('aé漢👍'.repeat(length / 5));
      for (let start = 0; start < length; start += 5) tokens.count(start, length);
    });
  // The first run may load something, and other work of the process can only add to a count.
  const leastOf = async (length: number) => Math.min(await workOf(length), await workOf(length));
  const small = await leastOf(5000);
  t.ok((await leastOf(80_000)) / small < 24, 'sixteen times the text');
});

function isPair(text: string, at: number): boolean {
  return (text.codePointAt(at) as number) > 0xffff;
}
