import t from 'tap';
import createReader from '../../../../plugins/readers/docling/index.ts';
import { postFile, postForm } from '../../../support/files.ts';
import { KEY, startHost } from '../../../support/hosted-host.ts';
import { checkProblem } from '../../../support/problems.ts';
import { openService } from '../../../support/service.ts';
import { setVariables } from '../../../support/variables.ts';
import { always, PDF, testRemoteReader } from '../remote-reader.ts';
import { converted, formIn, startDocling, withMark, withPages } from './support/docling.ts';

t.test('a file is sent as a form, without its name, and its Markdown is the text', async (t) => {
  const text = '# A \\_title\\_ &amp; more\n\nText.\n';
  const { asked, read } = await startDocling(t, converted(text));
  const expected = {
    text,
    mediaType: 'text/markdown',
    title: 'A _title_ & more',
    places: [{ start: 0, end: text.length, page: 1 }],
  };
  t.same(await read({ name: '../secret: names.PDF' }), expected);
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
  const { asked, read } = await startDocling(t, converted('x'));
  const mediaType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
  const expected = { text: 'x', mediaType: 'text/markdown', title: undefined };
  t.same(await read({ name: undefined, mediaType }), expected);
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
    t.match(await read(), { text, places: starts.map((start) => ({ start })) }, text);
  }
  const { read } = await startDocling(
    t,
    withMark((mark) => `a ${mark} b <!-- page 1 -->`),
  );
  t.match(await read(), { text: 'a  b <!-- page 1 -->', places: [{ start: 0 }, { start: 2 }] });
});

t.test('the key has a header of its own', async (t) => {
  const env = { DOCLING_API_KEY: KEY };
  const { asked, read } = await startDocling(t, converted('x'), env);
  await read();
  t.match(asked, [{ authorization: '', headers: { 'x-api-key': KEY } }]);
});

const errors = [{ component_type: 'document_backend', error_message: 'Incorrect password' }];
const document = { filename: 'a', md_content: null };

testRemoteReader(t, 'docling', 'DOCLING_URL', createReader, {
  title: 'Docling',
  reply: withPages('# Title\n\nOne.', 'Two 😀.'),
  refused: [
    [converted('', { document, status: 'failure', errors }), /Docling says: failure; Incorrect password$/],
    [converted('Page 1', { status: 'partial_success', errors }), /partial success; Incorrect/],
    [converted('', { document, status: 'skipped', errors: null }), /says: skipped$/],
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
    [converted('', { document: null }), /it has no Markdown/],
  ],
});

const config = { plugins: ['docling', 'token', 'character'] };

t.test('a PDF is chunked, with the pages that its chunks stand on', async (t) => {
  const host = await startHost(t, withPages('# Tea\n\nOne.', 'Two 😀.'));
  setVariables(t, { DOCLING_URL: host.url });
  const fields = Object.entries({ chunk_size: '8', include: 'pages' });
  const file = { bytes: PDF, name: 'report.pdf', type: 'application/pdf' };
  const answer = await postForm(await openService(t, config), '/v1/chunk/token/file', file, fields);
  t.match(answer.json(), [
    { text: '# Tea\n\nO', start_index: 0, first_page: 1, last_page: 1 },
    { text: 'ne.\n\nTwo', start_index: 8, first_page: 1, last_page: 2 },
    { text: ' 😀.', start_index: 16, end_index: 19, first_page: 2, last_page: 2 },
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
