import t from 'tap';
import { postFile, postForm } from '../../../support/files.ts';
import { send, startHost } from '../../../support/hosted-host.ts';
import { checkProblem } from '../../../support/problems.ts';
import { startServer } from '../../../support/server.ts';
import { setVariables } from '../../../support/variables.ts';
import { PDF, withPages } from './support/docling.ts';

const plugins = ['docling', 'token', 'character'];
const file = { bytes: PDF, name: 'report.pdf', type: 'application/pdf' };

t.test('a PDF is chunked, with the pages that its chunks stand on', async (t) => {
  const host = await startHost(t, withPages('# Tea\n\nOne.', 'Two 😀.'));
  setVariables(t, { DOCLING_URL: host.url });
  const client = await startServer(t, { plugins });
  const fields = [
    ['chunk_size', '8'],
    ['include', 'pages'],
  ] as const;
  const answer = await postForm(client, '/v1/chunk/token/file', file, fields);
  t.equal(answer.status, 200);
  t.match(answer.json(), [
    { text: '# Tea\n\nO', start_index: 0, first_page: 1, last_page: 1 },
    { text: 'ne.\n\nTwo', start_index: 8, first_page: 1, last_page: 2 },
    { text: ' 😀.', start_index: 16, end_index: 19, first_page: 2, last_page: 2 },
  ]);
  t.equal(answer.headers.get('x-source-encoding'), null, 'it was not decoded');
});

t.test('what the service says of a file reaches the caller, and a service that fails is a 500', async (t) => {
  const host = await startHost(t, (_, response, count) => {
    if (count === 1)
      send(response, 200, { status: 'failure', errors: [{ error_message: 'Incorrect password' }] });
    else send(response, 500, { detail: 'broken' });
  });
  setVariables(t, { DOCLING_URL: host.url });
  const client = await startServer(t, { plugins });
  const headers = { 'content-type': 'application/pdf' };
  checkProblem(
    t,
    await postFile(client, '/v1/chunk/token/file', PDF, headers),
    400,
    /failure; Incorrect password/,
  );
  checkProblem(
    t,
    await postFile(client, '/v1/chunk/token/file', PDF, headers),
    500,
    /"docling" failed: Docling answered 500: broken/,
  );
});

t.test('without its address the answer is 500 and names the variable', async (t) => {
  setVariables(t, { DOCLING_URL: undefined });
  const client = await startServer(t, { plugins });
  checkProblem(
    t,
    await postForm(client, '/v1/chunk/token/file', file),
    500,
    /set the environment variable DOCLING_URL/,
  );
});
