import t from 'tap';
import { FIXTURES } from '../../support/plugins.ts';
import { openService } from '../../support/service.ts';
import { linesIn } from '../../support/streams.ts';
import { TEXTS } from './documents.ts';

/** Lines of a stream: each is answered as a request of its own. What fails is tested in `test/server/http/streams.test.ts`. */

const pluginsDir = [FIXTURES];
const opened = await openService(t, { pluginsDir });
const TOKEN = { run: 'chunk', name: 'token' } as const;

t.test('the answer to a line is that to a request with its document alone', async (t) => {
  const include = ['id', 'metadata', 'lines'];
  const options = { chunk_size: 9, offset_unit: 'byte', include, namespace: 'n' };
  const documents = Object.entries(TEXTS).map(([id, text]) => ({ id, text, metadata: { id } }));
  const lines = linesIn((await opened.stream(TOKEN, options, documents)).bytes);
  for (const [index, document] of documents.entries()) {
    const [chunks] = await opened.chunkAll('token', { documents: [document], ...options } as never);
    t.same(lines[index], { index, id: document.id, chunks });
  }
});

t.test('lists of chunks are refined line by line, and metadata come back byte for byte', async (t) => {
  const metadata = '{ "n":[1e400,-0] ,"a":1,"a":2}';
  const chunk = `{"text":"a","start_index":0,"end_index":1,"token_count":1,"metadata":${metadata}}`;
  const lines = [`{"id":"x","chunks":[${chunk},${chunk}]}`, '{"id":7,"chunks":[]}', '{"chunks":5}'];
  const { bytes } = await opened.stream({ run: 'refine', name: 'shout' }, {}, lines);
  t.equal(bytes.toString().split(`"metadata":${metadata}`).length - 1, 2);
  t.match(linesIn(bytes), [
    { index: 0, id: 'x', chunks: [{ shout: 'A' }, { shout: 'A' }] },
    { index: 1, id: '7', chunks: [] },
    { index: 2, error: { status: 400, detail: /^chunks: expected a list/ } },
  ]);
});

t.test('a line whose answer is too large leaves nothing of it behind', async (t) => {
  const { stream } = await openService(t, { pluginsDir, maxAnswerBytes: 2000 });
  const lines = ['short', 'long '.repeat(200), 'short'].map((text) => ({ text }));
  const answers = linesIn((await stream(TOKEN, { chunk_size: 5 }, lines)).bytes);
  t.match(answers, [
    { index: 0, chunks: [{ text: 'short' }] },
    { index: 1, error: { status: 400, detail: /^The answer would take/ } },
    { index: 2, chunks: [{ text: 'short' }] },
  ]);
});
