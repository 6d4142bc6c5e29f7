import t from 'tap';
import createReader from '../../../../plugins/readers/docling/index.ts';
import { postFile, postForm } from '../../../support/files.ts';
import { KEY, startHost } from '../../../support/hosted-host.ts';
import { checkProblem } from '../../../support/problems.ts';
import { openService } from '../../../support/service.ts';
import { setVariables } from '../../../support/variables.ts';
import { always, PDF, testRemoteReader } from '../remote-reader.ts';
import { converted, documentOf, formIn, startDocling } from './support/docling.ts';

t.test('a file is sent as a form, without its name, and its document is read', async (t) => {
  const { asked, read } = await startDocling(t, converted(documentOf('# A_title', '', 'Text.')));
  const text = '# A\\_title\n\nText.';
  const box = [0.1, 0.1, 0.5, 0.2];
  t.same(await read({ name: '../secret: names.PDF' }), {
    text,
    mediaType: 'text/markdown',
    title: 'A_title',
    places: [
      { start: 2, end: 10, page: 1, box },
      { start: 12, end: 17, page: 3, box },
    ],
  });
  const [request] = asked;
  if (request === undefined) return t.fail('nothing was asked');
  t.match(request, { method: 'POST', url: '/v1/convert/file', headers: { 'x-api-key': undefined } });
  const form = await formIn(request);
  const file = form.get('files') as File;
  t.same([file.name, file.type, await file.bytes()], ['document.pdf', 'application/pdf', PDF]);
  const wanted = { to_formats: 'json', image_export_mode: 'placeholder', include_images: 'false' };
  t.match(Object.fromEntries(form), { ...wanted, target_type: 'inbody' });
  t.notOk(request.bytes.includes('secret'));
});

t.test('the ending says the format, and else the media type', async (t) => {
  const { asked, read } = await startDocling(t, converted(documentOf('x')));
  const mediaType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
  t.match(await read({ name: undefined, mediaType }), { text: 'x', mediaType: 'text/markdown' });
  await read({ name: 'a.PPTX', mediaType: 'application/octet-stream' });
  await read({ name: 'a.unknown' });
  const names = await Promise.all(asked.map(async (one) => ((await formIn(one)).get('files') as File).name));
  t.same(names, ['document.docx', 'document.pptx', 'document']);
});

t.test('the key has a header of its own', async (t) => {
  const env = { DOCLING_API_KEY: KEY };
  const { asked, read } = await startDocling(t, converted(documentOf('x')), env);
  await read();
  t.match(asked, [{ authorization: '', headers: { 'x-api-key': KEY } }]);
});

const errors = [{ component_type: 'document_backend', error_message: 'Incorrect password' }];
const document = { filename: 'a', json_content: null };

testRemoteReader(t, 'docling', 'DOCLING_URL', createReader, {
  title: 'Docling',
  reply: converted(documentOf('# Title', 'Two 😀.')),
  refused: [
    [converted(null, { document, status: 'failure', errors }), /Docling says: failure; Incorrect password$/],
    [converted(documentOf('Page 1'), { status: 'partial_success', errors }), /partial success; Incorrect/],
    [converted(null, { document, status: 'skipped', errors: null }), /says: skipped$/],
    [always(404, { detail: 'Task result not found. Please wait.' }), /404: Task result not found/],
    [always(413, { detail: 'too large' }), /413: too large/],
    [always(422, { detail: [{ msg: 'bad' }] }), /422: \[{"msg":"bad"}\]/],
  ],
  failed: [
    [always(401, { detail: null }), /Docling answered 401.*check DOCLING_API_KEY/],
    [always(404, { detail: 'Not Found' }), /404: Not Found; check DOCLING_URL/],
    [always(500, { detail: 'Internal' }), /500: Internal/],
    [always(504, { detail: 'DOCLING_SERVE_MAX_SYNC_WAIT=120' }), /504: DOCLING_SERVE_MAX/],
    [(_, response) => response.end('<html>'), /did not return a document/],
    [always(200), /did not return a document: it has no status/],
    [converted(null, { document: null }), /it has no document as JSON/],
  ],
});

const config = { plugins: ['docling', 'token', 'character'] };

t.test('a PDF is chunked, with the pages and boxes that its chunks come from', async (t) => {
  const host = await startHost(t, converted(documentOf('# Tea', 'Two 😀.')));
  setVariables(t, { DOCLING_URL: host.url });
  const fields = [
    ['chunk_size', '8'],
    ['include', 'pages'],
    ['include', 'places'],
  ] as const;
  const file = { bytes: PDF, name: 'report.pdf', type: 'application/pdf' };
  const answer = await postForm(await openService(t, config), '/v1/chunk/token/file', file, fields);
  const box = [0.1, 0.1, 0.5, 0.2];
  const [one, two] = [1, 2].map((page) => ({ page, box }));
  t.match(answer.json(), [
    { text: '# Tea\n\nT', start_index: 0, first_page: 1, last_page: 2, places: [one, two] },
    { text: 'wo 😀.', start_index: 8, end_index: 13, first_page: 2, last_page: 2, places: [two] },
  ]);
  t.equal(answer.headers.get('x-source-encoding'), null, 'it was not decoded');
});

t.test('what the service says of a file reaches the caller, and a service that fails is a 500', async (t) => {
  const failure = { status: 'failure', errors: [{ error_message: 'Incorrect password' }] };
  for (const [reply, status, detail] of [
    [always(200, failure), 400, /failure; Incorrect password/],
    [always(500, { detail: 'broken' }), 500, /docling.* failed: Docling answered 500: broken/],
  ] as const) {
    setVariables(t, { DOCLING_URL: (await startHost(t, reply)).url });
    const headers = { 'content-type': 'application/pdf' };
    const answer = await postFile(await openService(t, config), '/v1/chunk/token/file', PDF, headers);
    checkProblem(t, answer, status, detail);
  }
});
