import t from 'tap';
import createReader from '../../../../plugins/readers/mhtml/index.ts';
import { factoryOf, needs } from '../../../support/here.ts';
import { readWith } from '../reading.ts';

const HERE = needs('reader/html');
const read = (source: string) =>
  readWith(
    async (given) =>
      createReader({ ...given, 'reader/html': await (await factoryOf('reader', 'html'))(given) }),
    Buffer.from(source, 'latin1'),
  );

const HEAD = 'From: <Saved by Blink>\nSubject: Saved\nDate: Fri, 28 Nov 2025 10:00:00 +0000\n';
const archive = (parts: readonly string[], more = '') =>
  `${HEAD}${more}Content-Type: multipart/related; type="text/html"; boundary="b"\n\n${parts.map((part) => `--b\n${part}\n`).join('')}--b--\n`;
const page = (body: string, more = '') => `Content-Type: text/html${more}\n\n${body}`;

t.test('the page is read, and its resources are counted', HERE, async (t) => {
  const { text, title, metadata, leftOut, encoding } = await read(
    archive(
      [
        page(
          '<title>Tea</title><h1>Tea</h1><p>caf=C3=A9',
          '; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\nContent-Location: https://example.org/tea',
        ),
        'Content-Type: text/css\n\nx',
        'Content-Type: image/png\nContent-Transfer-Encoding: base64\n\nAAAA',
        page('<p>advertisement', '\nContent-Location: cid:frame'),
      ],
      'Snapshot-Content-Location: https://example.org/tea\n',
    ),
  );
  t.equal(text, '# Tea\n\ncaf\u00e9');
  t.equal(title, 'Tea');
  t.equal(encoding, 'utf-8');
  t.same(metadata, { url: 'https://example.org/tea', saved: '2025-11-28T10:00:00Z' });
  t.same(leftOut, { frame: 1, resource: 2 });
});

t.test('the page is the part that the archive names', HERE, async (t) => {
  const frame = page('<p>frame', '\nContent-ID: <1>');
  const main = page('<p>main', '\nContent-ID: <2>\nContent-Location: https://example.org/');
  t.equal(
    (await read(archive([frame, main], 'Snapshot-Content-Location: https://example.org/\n'))).text,
    'main',
  );
  t.equal((await read(archive([frame, main]))).text, 'frame');
  t.equal((await read(archive([frame, main]).replace('type="text/html"', 'start="<2>"'))).text, 'main');
  t.equal((await read(`${HEAD}${page('<p>alone')}`)).title, 'Saved');
});

t.test('frames are read if the page has no text', HERE, async (t) => {
  const { text, leftOut } = await read(archive([page('<frameset>'), page('<p>one'), page('<p>two')]));
  t.equal(text, 'one\n\ntwo');
  t.same(leftOut, {});
});

t.test('an encoding that does not fit is not believed', HERE, async (t) => {
  const utf8 = Buffer.from('<p>caf\u00e9').toString('latin1');
  for (const charset of ['; charset=us-ascii', '; charset=iso-8859-1', '; charset=x-user-defined', ''])
    t.equal((await read(archive([page(utf8, charset)]))).text, 'caf\u00e9', charset);
});

t.test('what is not an archive is refused', HERE, async (t) => {
  for (const source of ['', '<p>page', archive(['Content-Type: image/png\n\nx'])])
    await t.rejects(read(source), { message: /not a web archive with a page/, statusCode: 400 });
});
