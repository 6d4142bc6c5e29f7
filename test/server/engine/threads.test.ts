import t from 'tap';
import type { ServiceError } from '../../../core/errors.ts';
import { configOf } from '../../../server/config/config.ts';
import { createServerContainer, disposeInOrder } from '../../../server/container.ts';
import { metadataOf } from '../../../server/engine/answer/response-metadata.ts';
import { INCLUDED } from '../../../server/engine/read/document-schemas.ts';
import type { Task } from '../../../server/engine/tasks.ts';
import { quietLog } from '../../../server/testing/collaborators.ts';
import { LETTERS, requestAbout } from '../../support/evaluation.ts';
import { chunker, FIXTURES, plugin, pluginsFolder } from '../../support/plugins.ts';
import { withStandIns } from '../../support/server.ts';
import { chunkStep, openService, refineStep } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { longDocument, TEXTS } from './documents.ts';

/** One request of each kind to worker threads, whose answers are those of this thread, byte for byte. */

const WAITS = `await new Promise((done) => setTimeout(done, 30));
  context.report('thread', String(process.getBuiltinModule('node:worker_threads').threadId));
  return [{ start: 0, end: text.length, extra: { told: context.document.title } }];`;
const pluginsDir = [
  FIXTURES,
  await pluginsFolder(
    t,
    LETTERS,
    chunker('waits', WAITS, { reports: { thread: 'The thread.' } }),
    chunker('broken', "throw new Error('a secret');"),
    plugin(
      { kind: 'reader', name: 'odd', formats: { extensions: ['.odd'] } },
      `export default () => ({ read: async ({ bytes }) => {
        const text = Buffer.from(bytes).toString('latin1');
        return { text, encoding: 'latin1', title: 'Odd', metadata: { a: 1 } };
      } });`,
    ),
  ),
];
const here = await openService(t, { pluginsDir });
const config = configOf(withStandIns({ pluginsDir, workers: 2, inlineBytes: 0 }));
const container = await createServerContainer(config, quietLog);
t.teardown(() => disposeInOrder(container));
const { runner } = container.cradle;

const bytesOf = (body: unknown) => Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));

/** What a worker answers, or the status and message of its error. */
async function there(task: Task, body: unknown) {
  const run = runner.run(task, bytesOf(body), new AbortController());
  try {
    const { bytes, reported } = await run;
    return { status: 200, said: Buffer.from(bytes).toString(), headers: metadataOf(reported) };
  } catch (error) {
    const { status, detail } = error as ServiceError;
    return { status, said: JSON.stringify({ detail }), headers: {} };
  }
}

const text = `${Object.values(TEXTS).join('\n')}\n${longDocument(2000)}`;
const documents = [
  { id: 'a', title: 'T', text, pages: [0, 0, 3] },
  { text: '' },
  { text: TEXTS.loneSurrogates, id: 'b' },
];
const METADATA = '{ "n":[1e400,-0,1152921504606846976,1.10] ,"\\u0061":"\\/\\ud800","a":1,"__proto__":[]}';
const withMetadata = (of: string) => `{"documents":[{"text":${JSON.stringify(of)},"metadata":${METADATA}}]}`;
const chunks = [{ text: 'abc', start_index: 0, end_index: 3, token_count: 3, more: [1e300] }];
const steps = [chunkStep('token', { chunk_size: 9, offset_unit: 'utf16' }), refineStep('shout')];
const chunk = (name: string): Task => ({ run: 'chunk', name });
const first = { chunk_size: 5 };
const lines = [{ id: 'x', text: 'one two three' }, { txt: 5 }, { text: '' }].map((one) =>
  JSON.stringify(one),
);
const plan = here.service.readStreamPlan({ run: 'chunk', name: 'token' }, bytesOf(first));
const evaluated = requestAbout('one two', { one: 'two' }, [{ chunker: 'broken' }, { chunker: 'token' }]);

const KINDS: readonly [what: string, task: Task, body: unknown][] = [
  ['a text', chunk('token'), { text, chunk_size: 20 }],
  ['a batch of texts', chunk('paragraph'), { text: [text, '', 'a'], offset_unit: 'byte' }],
  ['documents with all fields', chunk('token'), { documents, namespace: 'n', include: INCLUDED }],
  ['metadata that change if they are parsed', chunk('lines'), withMetadata(text)],
  ['chunks to refine', { run: 'refine', name: 'shout' }, { chunks: [chunks, []] }],
  ['a pipeline', { run: 'execute', steps }, { documents, include: INCLUDED }],
  ['texts to embed', { run: 'embed' }, { text: ['abc', ''], embedding_model: 'letters', encoding: 'base64' }],
  ['texts to tokenize', { run: 'tokenize' }, { text: [text], include: ['offsets', 'tokens'] }],
  ['an evaluation', { run: 'evaluate', pipelines: new Map([['p', { name: 'p', steps }]]) }, evaluated],
  [
    'lines of a stream',
    { run: 'lines', plan, first: 3, lengths: lines.map(({ length }) => length) },
    lines.join(''),
  ],
  [
    'a file',
    { run: 'file', of: chunk('token') as never, contentType: 'a/b', query: { filename: ['a.odd'] } },
    'Zw\xf6lf',
  ],
  ['a mistake in the body', chunk('token'), { text: 5, chunk_sise: 5, padding: text }],
  ['what is not JSON', chunk('token'), '{'],
  ['an unknown tokenizer', chunk('token'), { text, tokenizer: 'no/such' }],
  ['a plugin that fails', chunk('broken'), { text }],
];

for (const [what, task, body] of KINDS) {
  t.test(`${what}: the answer of a worker is that of this thread`, async (t) => {
    const { status, bytes, headers } = await here.post(task, bytesOf(body));
    const answer = await there(task, body);
    t.same([answer.status, answer.said], [status, bytes.toString()]);
    for (const [name, value] of Object.entries(answer.headers)) t.equal(headers.get(`x-${name}`), value);
    const expected = [...headers.keys()].filter((name) => /^x-/.test(name));
    t.equal(Object.keys(answer.headers).length, expected.length);
  });
}

t.test('the first request goes to the thread that starts, and the next thread starts after it', async (t) => {
  const container = await createServerContainer(config, quietLog);
  t.teardown(() => disposeInOrder(container));
  const { pool, runner } = container.cradle;
  const started = pool?.startThread();
  const answer = runner.run(chunk('waits'), bytesOf({ text }), new AbortController());
  await started;
  t.equal(pool?.threads, 1);
  await answer;
  await until(() => pool?.threads === 2);
});

t.test('a batch that takes long goes to several workers, and the answer is the same', async (t) => {
  const documents = Array.from({ length: 20 }, (_, at) => ({ title: `${at}`, text: longDocument(4000) }));
  const expected = (await here.post(chunk('waits'), { documents })).bytes.toString();
  const threads = async () => {
    const { said, headers } = await there(chunk('waits'), { documents });
    t.equal(said, expected);
    return new Set(headers.thread?.split(', ')).size;
  };
  t.equal(await threads(), 1, 'it is not known yet');
  // On a busy machine the first thread may be done before the next one has started.
  t.ok(await until(async () => (await threads()) > 1));
});
