import { SUITES } from 'chunksmith/testing';
import t from 'tap';
import createReader from '../../../../plugins/readers/docling/index.ts';
import { checkPluginUrls } from '../../../../server/cli/plugin-urls.ts';
import { collaborators } from '../../../../server/testing/collaborators.ts';
import { KEY, type Reply, send, startHost } from '../../../support/hosted-host.ts';
import { composeQuietly } from '../../../support/service.ts';
import { setVariables } from '../../../support/variables.ts';
import { openWorkbench } from '../../../support/workbench.ts';
import { convert, formIn, PDF, startDocling, withPages } from './support/docling.ts';

t.test('a file is sent as a form, without its name, and its Markdown is the text', async (t) => {
  const { asked, read } = await startDocling(t, (_, response) =>
    convert(response, '# A \\_title\\_ &amp; more\n\nText.\n'),
  );
  t.same(await read({ name: '../secret: names.PDF' }), {
    text: '# A \\_title\\_ &amp; more\n\nText.\n',
    mediaType: 'text/markdown',
    title: 'A _title_ & more',
    pages: [0],
  });
  const [request] = asked;
  if (request === undefined) return t.fail('nothing was asked');
  t.match(request, { method: 'POST', url: '/v1/convert/file', headers: { 'x-api-key': undefined } });
  const form = await formIn(request);
  const file = form.get('files') as File;
  t.same([file.name, file.type, await file.bytes()], ['document.pdf', 'application/pdf', PDF]);
  t.match(Object.fromEntries(form), {
    to_formats: 'md',
    image_export_mode: 'placeholder',
    target_type: 'inbody',
    md_page_break_placeholder: /^<!-- page [0-9a-f-]{36} -->$/,
  });
  t.notOk(request.bytes.includes('secret'));
});

t.test('the ending says the format, and else the media type', async (t) => {
  const { asked, read } = await startDocling(t, (_, response) => convert(response, 'x'));
  const mediaType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
  t.same(await read({ name: undefined, mediaType }), {
    text: 'x',
    mediaType: 'text/markdown',
    title: undefined,
  });
  await read({ name: 'a.PPTX', mediaType: 'application/octet-stream' });
  await read({ name: 'a.unknown' });
  const names = await Promise.all(asked.map(async (one) => ((await formIn(one)).get('files') as File).name));
  t.same(names, ['document.docx', 'document.pptx', 'document']);
});

t.test('pages begin where the marks stood, and nothing else is lost', async (t) => {
  for (const [pages, text, starts] of [
    [['One.', 'Two.', 'Three.'], 'One.\n\nTwo.\n\nThree.', [0, 6, 12]],
    [['# One\n\n\n', '', '\n\n\nThree.'], '# One\n\n\n\n\nThree.', [0, 10, 10]],
    [['One.', '\n\nTwo.', 'Three.'], 'One.\n\n\n\nTwo.\n\nThree.', [0, 8, 14]],
    [['', 'Two 😀'], '\n\nTwo 😀', [0, 2]],
    [['One.', ''], 'One.\n\n', [0, 6]],
  ] as const) {
    const { read } = await startDocling(t, withPages(...pages));
    t.match(await read(), { text, pages: starts }, text);
  }
  const inline: Reply = async (asked, response) =>
    convert(response, `a ${(await formIn(asked)).get('md_page_break_placeholder')} b <!-- page 1 -->`);
  const { read } = await startDocling(t, inline);
  t.match(await read(), { text: 'a  b <!-- page 1 -->', pages: [0, 2] });
});

t.test('the key has a header of its own', async (t) => {
  const { asked, read } = await startDocling(t, (_, response) => convert(response, 'x'), {
    DOCLING_API_KEY: KEY,
  });
  await read();
  t.match(asked, [{ authorization: '', headers: { 'x-api-key': KEY } }]);
});

t.test('a file that it cannot convert is a mistake of the caller, with its reason', async (t) => {
  const errors = [
    { component_type: 'document_backend', module_name: 'x', error_message: 'Incorrect password' },
  ];
  const document = { filename: 'a', md_content: null };
  for (const [reply, message] of [
    [
      (_, response) => convert(response, '', { document, status: 'failure', errors }),
      /Docling says: failure; Incorrect password$/,
    ],
    [
      (_, response) => convert(response, 'Page 1', { status: 'partial_success', errors }),
      /partial success; Incorrect/,
    ],
    [(_, response) => convert(response, '', { document, status: 'skipped', errors: null }), /says: skipped$/],
    [
      (_, response) =>
        send(response, 404, { detail: 'Task result not found. Please wait for a completion status.' }),
      /404: Task result not found/,
    ],
    [(_, response) => send(response, 413, { detail: 'too large' }), /413: too large/],
    [(_, response) => send(response, 422, { detail: [{ msg: 'bad' }] }), /422: \[{"msg":"bad"}\]/],
  ] as const satisfies readonly (readonly [Reply, RegExp])[]) {
    const { asked, read } = await startDocling(t, reply);
    await t.rejects(read(), { expose: true, statusCode: 400, message });
    t.equal(asked.length, 1);
  }
  const { asked, read } = await startDocling(t, () => {});
  await t.rejects(read({ bytes: new Uint8Array() }), { statusCode: 400, message: /it is empty/ });
  t.equal(asked.length, 0);
});

t.test('a service that is down, or that is another one, is no mistake of the caller', async (t) => {
  for (const [reply, message, tries] of [
    [
      (_, response) => send(response, 401, { detail: null }),
      /Docling answered 401.*check DOCLING_API_KEY/,
      1,
    ],
    [(_, response) => send(response, 404, { detail: 'Not Found' }), /404: Not Found; check DOCLING_URL/, 1],
    [(_, response) => send(response, 503, {}), /Docling answered 503/, 3],
    [(_, response) => send(response, 500, { detail: 'Internal' }), /500: Internal/, 1],
    [
      (_, response) => send(response, 504, { detail: 'DOCLING_SERVE_MAX_SYNC_WAIT=120' }),
      /504: DOCLING_SERVE_MAX/,
      1,
    ],
    [(_, response) => response.destroy(), /Docling: the connection failed/, 3],
    [(_, response) => response.end('<html>'), /something else than a document/, 1],
    [(_, response) => send(response, 200, {}), /something else than a document: it has no status/, 1],
    [(_, response) => convert(response, '', { document: null }), /it has no Markdown/, 1],
    [
      (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      /connection failed/,
      3,
    ],
  ] as const satisfies readonly (readonly [Reply, RegExp, number])[]) {
    const { asked, read } = await startDocling(t, reply);
    await t.rejects(read(), { expose: true, statusCode: undefined, message });
    t.equal(asked.length, tries, String(message));
  }
});

t.test('it waits while the service is busy', async (t) => {
  const { asked, read } = await startDocling(t, (_, response, count) => {
    if (count === 1) send(response, 429, {}, { 'retry-after': '0.01' });
    else if (count === 2) send(response, 503, { detail: 'Server is busy' }, { 'retry-after': '0' });
    else setTimeout(() => convert(response, 'x'), 20);
  });
  t.match(await read(), { text: 'x' });
  t.equal(asked.length, 3);
});

t.test('a caller that goes away ends the call', { timeout: 5000 }, async (t) => {
  const gone = new AbortController();
  const closed = Promise.withResolvers<void>();
  const { asked, read } = await startDocling(t, (_, response) => {
    response.once('close', closed.resolve);
    gone.abort(new Error('gone'));
  });
  await t.rejects(read({}, gone.signal), { message: 'gone' });
  await closed.promise;
  t.equal(asked.length, 1);
});

t.test('it needs its address, which is checked at the start', async (t) => {
  setVariables(t, { DOCLING_URL: undefined });
  const { registry } = await composeQuietly();
  const message = /"docling" cannot run here: set the environment variable DOCLING_URL/;
  t.throws(() => registry.require('reader', 'docling'), { status: 500, message });
  t.throws(() => checkPluginUrls(registry, { DOCLING_URL: 'localhost:5001' }), /DOCLING_URL: expected/);
  checkPluginUrls(registry, { DOCLING_URL: 'http://localhost:5001' });
  t.throws(
    () => createReader(collaborators({ env: { DOCLING_URL: 'file:///etc' } })),
    /DOCLING_URL is not an http/,
  );
});

t.test('it keeps the promises of readers', async (t) => {
  const host = await startHost(t, withPages('# Title\n\nOne.', 'Two 😀.'));
  setVariables(t, { DOCLING_URL: host.url });
  const bench = await openWorkbench({ plugins: ['docling'] });
  const [entry] = bench.plugins('reader');
  if (entry === undefined) return t.fail('it is not found');
  t.match(await SUITES.reader.run(bench, entry, { runs: 30 }), /30 files/);
});
