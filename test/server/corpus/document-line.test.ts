import fc from 'fast-check';
import t from 'tap';
import { quotedUtf8 } from '../../../server/corpus/formats/document-line.ts';

t.test('the JSON of bytes is that of their text', async () => {
  const texts = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary-ascii' }));
  fc.assert(
    fc.property(texts, (text) => quotedUtf8(Buffer.from(text)).equals(Buffer.from(JSON.stringify(text)))),
  );
});

t.test('each character of ASCII, and the first beyond, is escaped as JSON.stringify does', async (t) => {
  const text = String.fromCharCode(...Array.from({ length: 0xa1 }, (_, code) => code), 0x2028, 0x2029);
  t.equal(quotedUtf8(Buffer.from(text)).toString(), JSON.stringify(text));
});
