import t from 'tap';
import createReader from '../../../../plugins/readers/epub/index.ts';
import { placed, readWith } from '../reading.ts';
import { bookOf, HOSTILE_FILES, page } from './epub-files.ts';

const read = (bytes: Buffer) => readWith(createReader, bytes);
const NAV = '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>';
const navigation = (links: string): string => page(`<nav epub:type="toc"><ol>${links}</ol></nav>`);

t.test('chapters come in the order of the spine, each with its place and title', async (t) => {
  const file = await read(
    bookOf(['<h1>One</h1><p>a<br/>b &amp; c</p>', '<p>two</p>', '<p>notes</p>'], {
      items: NAV,
      spine: '<itemref idref="c2"/><itemref idref="c1"/><itemref idref="c3" linear="no"/>',
      more: { 'OEBPS/nav.xhtml': navigation('<li><a href="text/c1.xhtml#x">First <i>one</i></a></li>') },
    }),
  );
  t.equal(file.text, 'two\n\n# One\n\na\nb & c\n\nnotes');
  t.strictSame(placed(file), [
    ['two', { chapter: 1 }],
    ['# One\n\na\nb & c', { chapter: 2, chapter_title: 'First one' }],
    ['notes', { chapter: 3 }],
  ]);
  t.equal(file.leftOut, undefined);
});

t.test('titles of EPUB 2 are those of the NCX, which may have a document type', async (t) => {
  const ncx =
    '<?xml version="1.0"?><!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "http://www.daisy.org/z3986/2005/ncx-2005-1.dtd"><ncx><navMap><navPoint><navLabel><text>First</text></navLabel><content src="text/c%31.xhtml"/></navPoint></navMap></ncx>';
  const items = '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>';
  const file = await read(bookOf(['<p>a</p>'], { items, more: { 'OEBPS/toc.ncx': ncx } }));
  t.match(placed(file), [['a', { chapter: 1, chapter_title: 'First' }]]);
  const damaged = await read(bookOf(['<p>a</p>'], { items, more: { 'OEBPS/toc.ncx': '<ncx' } }));
  t.equal(damaged.text, 'a');
});

t.test('a table of contents in the spine is left out, marks of notes are exponents', async (t) => {
  const file = await read(
    bookOf(['<p>in 1850<a epub:type="noteref" href="#n1">1</a></p>'], {
      items: NAV,
      spine: '<itemref idref="nav"/><itemref idref="c1"/>',
      more: { 'OEBPS/nav.xhtml': navigation('<li><a href="text/c1.xhtml">First</a></li>') },
    }),
  );
  t.equal(file.text, 'in 1850^1');
  t.strictSame(file.leftOut, { navigation: 1 });
});

t.test('title and metadata have roles of EPUB 2 and refinements of EPUB 3', async (t) => {
  const metadata =
    '<dc:title id="s">Sub</dc:title><dc:title id="m">Main</dc:title><meta refines="#m" property="title-type">main</meta><dc:creator>Ada</dc:creator><dc:creator opf:role="trl">Bob</dc:creator><dc:creator id="c">Cy</dc:creator><meta refines="#c" property="role">ill</meta><dc:language>en</dc:language><dc:subject>x</dc:subject><dc:subject>y</dc:subject><meta property="dcterms:modified">2024-01-01T00:00:00Z</meta>';
  const { title, metadata: found } = await read(bookOf(['<p>a</p>'], { metadata }));
  t.equal(title, 'Main');
  t.strictSame(found, {
    authors: ['Ada'],
    keywords: 'x, y',
    language: 'en',
    modified: '2024-01-01T00:00:00Z',
  });
});

t.test('a protected book is refused, one with obfuscated fonts is read', async (t) => {
  const encryption = (algorithm: string, uri: string): string =>
    `<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><EncryptedData><EncryptionMethod Algorithm="${algorithm}"/><KeyInfo/><CipherData><CipherReference URI="${uri}"/></CipherData></EncryptedData></encryption>`;
  const book = (xml: string) => read(bookOf(['<p>a</p>'], { more: { 'META-INF/encryption.xml': xml } }));
  const aes = 'http://www.w3.org/2001/04/xmlenc#aes128-cbc';
  await t.rejects(book(encryption(aes, 'OEBPS/text/c1.xhtml')), { statusCode: 400, message: /DRM/ });
  t.equal((await book(encryption('http://www.idpf.org/2008/embedding', 'OEBPS/font.otf'))).text, 'a');
  t.equal((await book(encryption(aes, 'OEBPS/film.mp4'))).text, 'a');
});

t.test('missing documents are counted, a book without any is refused', async (t) => {
  const items = '<item id="gone" href="gone.xhtml"/>';
  const file = await read(
    bookOf(['<p>a</p>'], { items, spine: '<itemref idref="gone"/><itemref idref="c1"/>' }),
  );
  t.equal(file.text, 'a');
  t.strictSame(file.leftOut, { missing_document: 1 });
  await t.rejects(read(bookOf([], { items, spine: '<itemref idref="gone"/>' })), {
    statusCode: 400,
    message: /missing/,
  });
  await t.rejects(read(bookOf([])), { statusCode: 400, message: /lists no documents/ });
});

t.test('a document that many items name is read once', async (t) => {
  const make = HOSTILE_FILES['has a chapter under many names'] as () => Buffer;
  t.equal((await read(make())).places?.length, 1);
});
