import t from 'tap';
import { encode } from './support/encode.ts';
import { read } from './support/read.ts';

const latin1 = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));

t.test('files that are no text are refused, and say what they look like', async (t) => {
  for (const [start, what] of [
    ['%PDF-1.7\n', /looks like a PDF; choose a reader of this format/],
    ['{\\rtf1\\ansi hello}', /an RTF document/],
    ['PK\u0003\u0004\u0014\0', /a ZIP archive, as Office documents and e-books are/],
    ['\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1', /an older Office document/],
    ['\u0089PNG\r\n\u001a\n\0', /a PNG image/],
    ['\u00ff\u00d8\u00ff\u00e0', /a JPEG image/],
    ['GIF89a\u0001\0', /a GIF image/],
    ['\u001f\u008b\u0008', /a gzip archive/],
    ['some\0thing', /a binary file: it has NUL bytes/],
    ['\u00ef\u00bb\u00bfsome\0thing', /a binary file/],
  ] as const)
    await t.rejects(read(latin1(start)), { expose: true, statusCode: 400, message: what });
  await t.rejects(read('%PDF-1.7', { charset: 'utf-8', name: 'a.txt' }), { message: /PDF/, statusCode: 400 });
});

t.test('texts that begin as such files do are texts', async (t) => {
  for (const text of ['GIF89a is a format.', 'MZ is a mark.', 'RIFF', 'BZh', 'PK', 'ID3 tags'])
    t.same(await read(text), { text, encoding: 'utf-8' });
});

t.test('bytes that fit no encoding are refused with those that were tried, and the remedy', async (t) => {
  const bytes = Uint8Array.of(0x81, 0x8d, 0x8f, 0x90, 0x01, 0x02);
  await t.rejects(read(bytes), {
    expose: true,
    statusCode: 400,
    message:
      /fit no encoding that was tried \(utf-8.*name the encoding in the media type, as in "text\/plain; charset/,
  });
  t.match(await read(bytes, { charset: 'koi8-r' }), { encoding: 'koi8-r' });
});

t.test('bytes that its decoder reads as control characters are not valid', async (t) => {
  for (const charset of ['euc-kr', 'euc-jp'])
    await t.rejects(read(Uint8Array.of(0x8c, 0x63), { charset }), {
      statusCode: 400,
      message: /is not valid euc-/,
    });
  const bytes = encode(
    '모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. '.repeat(5),
    'euc-kr',
  );
  const withOther = Uint8Array.of(...bytes, 0x8c, 0x63);
  await t.rejects(
    read(withOther),
    { statusCode: 400, message: /\(utf-8, euc-kr/ },
    'no worse guess is taken',
  );
});

t.test('an empty file is an empty text', async (t) => {
  t.same(await read(''), { text: '', encoding: 'utf-8' });
  t.same(await read(Uint8Array.of(0xff, 0xfe)), { text: '', encoding: 'utf-16le' });
});

t.test('a view into a larger buffer is read alone', async (t) => {
  const all = encode('before é behind', 'windows-1252');
  t.same(await read(all.subarray(7, 8), { charset: 'latin1' }), { text: 'é', encoding: 'windows-1252' });
  t.same(await read(latin1('\u001b$B$3 a').subarray(3)), { text: '$3 a', encoding: 'utf-8' });
});
