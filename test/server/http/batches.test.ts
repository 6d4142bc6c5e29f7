import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { longDocument, TEXTS } from '../../support/documents.ts';
import { chunker, plugin, pluginsFolder } from '../../support/plugins.ts';
import { until } from '../../support/process.ts';
import { type Answer, type Client, startServer, temporaryFolder } from '../../support/server.ts';

/** Batches that several threads work on, against one thread that has all of it. */

/** Work that hears that it is stopped writes here. */
const STOPPED = join(await temporaryFolder(t, { stopped: '' }), 'stopped');
/** Longer than a batch is worth dividing for. */
const WORKS = 'await new Promise((done) => setTimeout(done, 5));';
/** Enough for several parts, if it did not take less than dividing a large text. */
const WORKS_LITTLE = 'await new Promise((done) => setTimeout(done, 6));';
const LINES = `${WORKS} const cuts = [...text.matchAll(/\\n/g)].map(({ index }) => index + 1);
  const ends = [...cuts.filter((cut) => cut < text.length), text.length];
  return ends.map((end, at) => ({ start: ends[at - 1] ?? 0, end }));`;
const THREAD = `context.report('thread', String(process.getBuiltinModule('node:worker_threads').threadId));`;
const TELLS_THREAD = `${THREAD} ${LINES}`;
const TELLS_FIRST = `context.report('first', text.slice(0, 3).replace(/[^a-z]/gi, '?'));
  if (text.includes('no number')) return [{ start: 0, end: text.length + 1 }];
  ${LINES}`;
const STOPS = `if (text.startsWith('ends')) { ${LINES} }
  if (text.startsWith('fails')) { await new Promise((done) => setTimeout(done, 300)); throw new Error('fails'); }
  const { appendFileSync } = await import('node:fs');
  await new Promise((_, fail) => context.signal.addEventListener('abort', () => {
    appendFileSync(${JSON.stringify(STOPPED)}, 'stopped ');
    fail(context.signal.reason);
  }));`;

const folder = await pluginsFolder(
  t,
  chunker('quick', `${THREAD} ${WORKS_LITTLE} return [{ start: 0, end: text.length }];`, {
    reports: { thread: 'The thread.' },
  }),
  chunker('threads', TELLS_THREAD, { reports: { thread: 'The thread.' } }),
  chunker('lines', TELLS_FIRST, { reports: { first: 'How it begins.' } }),
  chunker('stops', STOPS),
  plugin(
    { kind: 'refinery', name: 'counts' },
    `export default () => ({ async refine(chunks) {
      ${WORKS} return chunks.map((chunk, at) => ({ ...chunk, at })); } });`,
  ),
);
const settings = { pluginsDir: [folder], store: 'memory' } as const;
const together = await startServer(t, { ...settings, workers: 3 });
const alone = await startServer(t, settings);

/** What an answer says, without the headers that differ with each. */
function saidBy({ status, headers, bytes }: Answer) {
  const said = [...headers].filter(([name]) => name.startsWith('x-') && name !== 'x-request-id');
  return { status, said, body: bytes.toString() };
}

async function ask(client: Client, path: string, body: object | string) {
  return saidBy(await client.post(path, body));
}

const threadsOf = ({ headers }: Answer) => new Set(headers.get('x-thread')?.split(', ')).size;

t.test('the texts of one batch go to all threads that are idle, once it is known to take long', async (t) => {
  const text = Array.from({ length: 40 }, () => longDocument(20_000));
  t.equal(threadsOf(await together.post('/v1/chunk/threads', { text })), 1);
  t.ok(threadsOf(await together.post('/v1/chunk/threads', { text })) > 1);
});

t.test('work that takes less than dividing it stays in one thread', async (t) => {
  const text = Array.from({ length: 8 }, () => longDocument(750_000));
  let inOne = 0;
  // On a busy machine a pause of the thread may pass for work, until later answers outweigh it.
  for (let request = 0; request < 30 && inOne < 3; request++) {
    const threads = threadsOf(await together.post('/v1/chunk/quick', { text }));
    inOne = threads === 1 ? inOne + 1 : 0;
  }
  t.equal(inOne, 3, 'of three requests in a row');
});

t.test('what is one text, or hardly any, stays in one thread', async (t) => {
  for (const text of [[longDocument(500_000)], ['a', 'b'], longDocument(500_000)]) {
    const { status, headers } = await together.post('/v1/chunk/threads', { text });
    t.equal(status, 200);
    t.match(headers.get('x-thread'), /^\d+$/);
  }
});

const oneText = fc.oneof(
  fc.constantFrom(...Object.values(TEXTS), '', ' \n '),
  fc.nat(40_000).map((bytes) => longDocument(bytes)),
  fc.string({ unit: 'binary', maxLength: 50 }),
);
const texts = fc.array(oneText, { maxLength: 30 });
const documents = fc
  .array(fc.record({ text: oneText, metadata: fc.constantFrom({ a: [1, 2], b: '],[' }, {}) }), {
    maxLength: 20,
  })
  .map((list) => list.map((one, index) => ({ ...one, id: `d${index}` })));
const include = ['metadata', 'id', 'document_id', 'index'];

t.test('the answer is that of one thread: texts, documents, lists of chunks', async (t) => {
  const body = fc.oneof(
    texts.map((text) => ['/v1/chunk/lines', { text }] as const),
    texts.map((text) => ['/v1/chunk/lines', { offset_unit: 'utf16', text, include: ['id'] }] as const),
    documents.map((documents) => ['/v1/chunk/lines', { documents, include }] as const),
    texts.map((list) => {
      const chunks = list.map((text) => [{ text, start_index: 0, end_index: text.length, token_count: 1 }]);
      return ['/v1/refine/counts', { chunks }] as const;
    }),
  );
  const indent = fc.constantFrom(0, 2);
  const isSame = async ([path, request]: readonly [string, object], space: number) => {
    const json = JSON.stringify(request, null, space);
    t.strictSame(await ask(together, path, json), await ask(alone, path, json));
  };
  await fc.assert(fc.asyncProperty(body, indent, isSame), { numRuns: 40 });
});

t.test('a pipeline answers as in one thread', async (t) => {
  const steps = [
    { type: 'chunk', chunker: 'lines' },
    { type: 'refine', refinery: 'counts' },
  ];
  const named = { name: 'numbered', steps };
  const text = Object.values(TEXTS).map((one) => one.repeat(400));
  const answers = [];
  for (const client of [together, alone]) {
    const { id } = (await client.post('/v1/pipelines', named)).json<{ id: string }>();
    const path = `/v1/pipelines/${id}/execute`;
    // The first answer tells how long it takes, the second is made of parts.
    await ask(client, path, { text });
    answers.push(await ask(client, path, { text }));
  }
  t.equal(answers[0]?.status, 200);
  t.strictSame(answers[0], answers[1]);
});

t.test('what is wrong is said as by one thread, with the place in the batch', async (t) => {
  const text = Array.from({ length: 30 }, (_, index) => `${index} ${longDocument(20_000)}`);
  for (const [what, wrong, pattern] of [
    ['a text that is none', { text: text.with(17, 5 as never) }, /text\[17\]/],
    ['an option', { text, offset_unit: 'letters' }, /offset_unit/],
    ['both', { text, documents: [] }, /documents/],
    ['cut off', JSON.stringify({ text }).slice(0, -9), /JSON/],
    ['a comma too many', JSON.stringify({ text }).replace('","', '",,"'), /JSON/],
    ['a chunker that breaks its promise', { text: text.with(29, 'no number') }, /units/],
  ] as const) {
    const answer = await ask(together, '/v1/chunk/lines', wrong);
    t.not(answer.status, 200, what);
    t.match(answer.body, pattern, what);
    t.strictSame(answer, await ask(alone, '/v1/chunk/lines', wrong), what);
  }
});

t.test('the limit of an answer is for all of it', async (t) => {
  const text = Array.from({ length: 30 }, () => longDocument(20_000));
  const limits = { ...settings, maxAnswerBytes: 500_000 };
  const answers = [];
  for (const workers of [3, 0]) {
    const client = await startServer(t, { ...limits, workers });
    await ask(client, '/v1/chunk/lines', { text: text.slice(0, 5) });
    const { status, body } = await ask(client, '/v1/chunk/lines', { text });
    answers.push({ status, body: body.replace(/take \d+ bytes/, 'take more') });
  }
  t.match(answers[0]?.body, /take more, over the limit of 500000/);
  t.strictSame(answers[0], answers[1]);
});

t.test('a part that fails stops the others', async (t) => {
  const text = Array.from({ length: 20 }, (_, index) => (index === 0 ? 'fails' : '') + longDocument(20_000));
  await together.post('/v1/chunk/stops', { text: `ends ${longDocument(100_000)}` });
  const answer = await ask(together, '/v1/chunk/stops', { text });
  t.equal(answer.status, 500);
  await until(async () => readFileSync(STOPPED, 'utf8') !== '');
  const after = await together.post('/v1/chunk/lines', { text: text.slice(0, 5) });
  t.equal(after.status, 200, 'and threads are free again');
});
