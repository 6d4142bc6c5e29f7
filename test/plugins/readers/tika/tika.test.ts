import { SUITES } from 'chunksmith/testing';
import t from 'tap';
import createReader from '../../../../plugins/readers/tika/index.ts';
import { checkPluginUrls } from '../../../../server/cli/plugin-urls.ts';
import { collaborators } from '../../../../server/testing/collaborators.ts';
import { type Reply, send, startHost } from '../../../support/hosted-host.ts';
import { composeQuietly } from '../../../support/service.ts';
import { setVariables } from '../../../support/variables.ts';
import { openWorkbench } from '../../../support/workbench.ts';
import { PDF, parsed, startTika, xhtml } from './support/tika.ts';

t.test('a file is sent as bytes, with the ending of its name alone', async (t) => {
  const { asked, read } = await startTika(t, (_, response) => parsed(response, '<p>Text.</p>\n'));
  t.same(await read({ name: '../secret "name".PDF' }), {
    text: 'Text.',
    mediaType: 'text/markdown',
    title: undefined,
    metadata: {},
  });
  await read({ name: undefined, mediaType: 'application/msword' });
  await read({ name: 'a.unknown' });
  t.match(asked[0], {
    method: 'PUT',
    url: '/rmeta/xml',
    bytes: Buffer.from(PDF),
    headers: {
      accept: 'application/json',
      'content-type': 'application/octet-stream',
      authorization: undefined,
    },
  });
  t.same(
    asked.map(({ headers }) => headers['content-disposition']),
    ['document.pdf', 'document.doc', 'document'].map((name) => `attachment; filename="${name}"`),
  );
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
  const three = await startTika(t, (_, response) => parsed(response, '<p>x</p>', values));
  t.match(await three.read(), { text: 'x', title: 'A title', metadata });
  const four = await startTika(t, (_, response) =>
    send(response, 200, [{ ...values, 'tk:content': xhtml('<p>x</p>') }]),
  );
  t.match(await four.read(), { text: 'x', title: 'A title', metadata });
});

t.test('files within the file stand behind it, and those that cannot be read are counted', async (t) => {
  const { read, reports } = await startTika(t, (_, response) =>
    parsed(
      response,
      '<div class="page"><p>One.</p></div>',
      {},
      { 'X-TIKA:content': xhtml('<h1>Sheet</h1>') },
      { 'X-TIKA:EXCEPTION:embedded_exception': ['org.apache.tika.exception.TikaException: no'] },
      { 'tk:exception:embedded-exception': 'no', 'tk:content': xhtml('<p>a part</p>') },
      { 'Content-Type': 'image/png' },
    ),
  );
  t.match(await read(), { text: 'One.\n\n# Sheet\n\na part', pages: [0] });
  t.same(reports, [['unread-attachments', '2']]);
});

t.test('a file that it cannot read is a mistake of the caller, with its reason', async (t) => {
  const exception =
    'org.apache.tika.exception.EncryptedDocumentException: Unable to process: document is encrypted\n\tat org.apache.tika.A.parse(A.java:1)\n';
  for (const [reply, message] of [
    [
      (_, response) => parsed(response, '', { 'X-TIKA:EXCEPTION:container_exception': exception }),
      /Tika says: EncryptedDocumentException: Unable to process: document is encrypted$/,
    ],
    [
      (_, response) => send(response, 200, [{ 'tk:exception:container-exception': exception }]),
      /Tika says: Encrypted/,
    ],
    [
      (_, response) => parsed(response, 'x', { 'tk:exception:write-limit-reached': 'true' }),
      /a limit of the server/,
    ],
    [
      (_, response) => response.writeHead(422).end('org.apache.tika.exception.TikaException: broken'),
      /422: .*broken/,
    ],
    [(_, response) => response.writeHead(415).end(), /Tika answered 415/],
    [(_, response) => response.writeHead(413).end(), /Tika answered 413/],
  ] as const satisfies readonly (readonly [Reply, RegExp])[]) {
    const { asked, read } = await startTika(t, reply);
    await t.rejects(read(), { expose: true, statusCode: 400, message });
    t.equal(asked.length, 1);
  }
  const { asked, read } = await startTika(t, () => {});
  await t.rejects(read({ bytes: new Uint8Array() }), { statusCode: 400, message: /it is empty/ });
  t.equal(asked.length, 0);
});

t.test('a service that is down, or that is another one, is no mistake of the caller', async (t) => {
  for (const [reply, message, tries] of [
    [(_, response) => send(response, 404, {}), /Tika answered 404.*check TIKA_URL/, 1],
    [(_, response) => send(response, 405, {}), /Tika answered 405/, 1],
    [(_, response) => send(response, 503, { status: 'OOM' }), /Tika answered 503/, 3],
    [(_, response) => send(response, 500, {}), /Tika answered 500/, 1],
    [(_, response) => response.destroy(), /Tika: the connection failed/, 3],
    [(_, response) => response.end('<html>'), /something else than the text of a file/, 1],
    [(_, response) => send(response, 200, {}), /it is no list/, 1],
    [(_, response) => send(response, 200, []), /it is empty/, 1],
  ] as const satisfies readonly (readonly [Reply, RegExp, number])[]) {
    const { asked, read } = await startTika(t, reply);
    await t.rejects(read(), { expose: true, statusCode: undefined, message });
    t.equal(asked.length, tries, String(message));
  }
});

t.test('it waits while the service is busy', async (t) => {
  const { asked, read } = await startTika(t, (_, response, count) => {
    if (count === 1) send(response, 429, {}, { 'retry-after': '0.01' });
    else if (count === 2) send(response, 503, {});
    else setTimeout(() => parsed(response, '<p>x</p>'), 20);
  });
  t.match(await read(), { text: 'x' });
  t.equal(asked.length, 3);
});

t.test('a caller that goes away ends the call', { timeout: 5000 }, async (t) => {
  const gone = new AbortController();
  const closed = Promise.withResolvers<void>();
  const { read } = await startTika(t, (_, response) => {
    response.once('close', closed.resolve);
    gone.abort(new Error('gone'));
  });
  await t.rejects(read({}, gone.signal), { message: 'gone' });
  await closed.promise;
});

t.test('it needs its address, which is checked at the start', async (t) => {
  setVariables(t, { TIKA_URL: undefined });
  const { registry } = await composeQuietly();
  const message = /"tika" cannot run here: set the environment variable TIKA_URL/;
  t.throws(() => registry.require('reader', 'tika'), { status: 500, message });
  t.throws(() => checkPluginUrls(registry, { TIKA_URL: 'localhost:9998' }), /TIKA_URL: expected/);
  t.throws(
    () => createReader(collaborators({ env: { TIKA_URL: 'file:///etc' } })),
    /TIKA_URL is not an http/,
  );
});

t.test('it keeps the promises of readers', async (t) => {
  const host = await startHost(t, (_, response) =>
    parsed(response, '<div class="page"><p>One.</p></div><div class="page"><p>😀</p></div>', {
      'dc:creator': 'Ada',
    }),
  );
  setVariables(t, { TIKA_URL: host.url });
  const bench = await openWorkbench({ plugins: ['tika'] });
  const [entry] = bench.plugins('reader');
  if (entry === undefined) return t.fail('it is not found');
  t.match(await SUITES.reader.run(bench, entry, { runs: 30 }), /30 files/);
});
