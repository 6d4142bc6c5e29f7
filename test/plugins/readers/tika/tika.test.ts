import t from 'tap';
import createReader from '../../../../plugins/readers/tika/index.ts';
import { always, PDF, testRemoteReader } from '../remote-reader.ts';
import { parsed, startTika, xhtml } from './support/tika.ts';

t.test('a file is sent as bytes, with the ending of its name alone', async (t) => {
  const { asked, read } = await startTika(t, parsed('<p>Text.</p>\n'));
  const expected = { text: 'Text.', mediaType: 'text/markdown', title: undefined, metadata: {} };
  t.same(await read({ name: '../secret "name".PDF' }), expected);
  await read({ name: undefined, mediaType: 'application/msword' });
  await read({ name: 'a.unknown' });
  const types = { accept: 'application/json', 'content-type': 'application/octet-stream' };
  const headers = { ...types, authorization: undefined };
  t.match(asked[0], { method: 'PUT', url: '/rmeta/xml', bytes: Buffer.from(PDF), headers });
  const names = asked.map(({ headers }) => headers['content-disposition']);
  const sent = ['document.pdf', 'document.doc', 'document'].map((name) => `attachment; filename="${name}"`);
  t.same(names, sent);
});

t.test('what a file says of itself is the title and the metadata, of either version of Tika', async (t) => {
  const values = {
    'dc:title': ' A title ',
    'dc:creator': ['Ada', 'Grace'],
    'dc:language': 'en',
    'dcterms:created': '2024-05-01T10:00:00Z',
    'dcterms:modified': ['2024-05-02T10:00:00Z'],
    'dc:subject': ['tea', 'water'],
    'xmpTPg:NPages': '2',
    'pdf:docinfo:producer': 'x',
  };
  const metadata = {
    authors: ['Ada', 'Grace'],
    subject: 'tea, water',
    language: 'en',
    created: '2024-05-01T10:00:00Z',
    modified: '2024-05-02T10:00:00Z',
    page_count: 2,
  };
  const three = await startTika(t, parsed('<p>x</p>', values));
  t.match(await three.read(), { text: 'x', title: 'A title', metadata });
  const four = await startTika(t, always(200, [{ ...values, 'tk:content': xhtml('<p>x</p>') }]));
  t.match(await four.read(), { text: 'x', title: 'A title', metadata });
});

t.test('files within the file stand behind it, and those that cannot be read are counted', async (t) => {
  const { read, reports } = await startTika(
    t,
    parsed(
      '<div class="page"><p>One.</p></div>',
      {},
      { 'X-TIKA:content': xhtml('<h1>Sheet</h1>') },
      { 'X-TIKA:EXCEPTION:embedded_exception': ['org.apache.tika.exception.TikaException: no'] },
      { 'tk:exception:embedded-exception': 'no', 'tk:content': xhtml('<p>a part</p>') },
      { 'Content-Type': 'image/png' },
    ),
  );
  t.match(await read(), { text: 'One.\n\n# Sheet\n\na part', places: [{ start: 0, end: 21, page: 1 }] });
  t.same(reports, [['unread-attachments', '2']]);
});

const exception =
  'org.apache.tika.exception.EncryptedDocumentException: Unable to process: document is encrypted\n\tat org.apache.tika.A.parse(A.java:1)\n';

testRemoteReader(t, 'tika', 'TIKA_URL', createReader, {
  title: 'Tika',
  reply: parsed('<div class="page"><p>One.</p></div><div class="page"><p>😀</p></div>', {
    'dc:creator': 'Ada',
  }),
  refused: [
    [
      parsed('', { 'X-TIKA:EXCEPTION:container_exception': exception }),
      /Tika says: EncryptedDocumentException: Unable to process: document is encrypted$/,
    ],
    [always(200, [{ 'tk:exception:container-exception': exception }]), /Tika says: Encrypted/],
    [parsed('x', { 'tk:exception:write-limit-reached': 'true' }), /a limit of the server/],
    [
      (_, response) => response.writeHead(422).end('org.apache.tika.exception.TikaException: broken'),
      /422: .*broken/,
    ],
    [always(415), /Tika answered 415/],
    [always(413), /Tika answered 413/],
  ],
  failed: [
    [always(404), /Tika answered 404.*check TIKA_URL/],
    [always(405), /Tika answered 405/],
    [always(500), /Tika answered 500/],
    [(_, response) => response.end('<html>'), /did not return the text of a file/],
    [always(200), /it is not a list/],
    [always(200, []), /it is empty/],
  ],
});
