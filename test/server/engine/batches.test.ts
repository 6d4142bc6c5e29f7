import fc from 'fast-check';
import t from 'tap';
import { ServiceError } from '../../../core/errors.ts';
import { configOf } from '../../../server/config/config.ts';
import { type Executor, runWork } from '../../../server/engine/run/executor.ts';
import { Runner } from '../../../server/engine/run/runner.ts';
import type { ChunksTask } from '../../../server/engine/tasks.ts';
import { chunker, pluginsFolder, refinery } from '../../support/plugins.ts';
import { chunkStep, openService, refineStep } from '../../support/service.ts';
import { longDocument, TEXTS } from './documents.ts';

/** Batches that several threads work on, against one thread that has all of it. The threads are this one. */

const LINES = `context.report('first', text.slice(0, 3).replace(/[^a-z]/gi, '?'));
  if (text.includes('no number')) return [{ start: 0, end: text.length + 1 }];
  const cuts = [...text.matchAll(/\\n/g)].map(({ index }) => index + 1);
  const ends = [...cuts.filter((cut) => cut < text.length), text.length];
  return ends.map((end, at) => ({ start: ends[at - 1] ?? 0, end }));`;
const STOPS = `if (text.startsWith('ends')) return [{ start: 0, end: text.length }];
  globalThis.batchParts.begun++;
  if (text.startsWith('fails')) {
    while (globalThis.batchParts.begun < 3) await new Promise((turn) => setImmediate(turn));
    throw new Error('fails');
  }
  await new Promise((_, fail) => context.signal.addEventListener('abort', () => {
    globalThis.batchParts.stopped++;
    fail(context.signal.reason);
  }));`;

const folder = await pluginsFolder(
  t,
  chunker('lines', LINES, { reports: { first: 'How it begins.' } }),
  chunker('stops', STOPS),
  refinery('counts', 'return chunks.map((chunk, at) => ({ ...chunk, at }));'),
);
const { service } = await openService(t, { pluginsDir: [folder] });

const bytesOf = (body: object | string) =>
  Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
const LARGE = Array.from({ length: 30 }, (_, index) => `${index} ${longDocument(3000)}`);

/**
 * Three threads, whose work is said to take so many seconds: what they were given, and a function that asks.
 *
 * @param seconds of a second, more than 0.02, lets a batch be divided once one was answered
 */
function openThreads(seconds: number, maxAnswerBytes = 1e9) {
  const runs: string[] = [];
  const divided: Uint8Array[] = [];
  const pool: Executor = {
    async run(work, signal) {
      if ('divides' in work) divided.push(work.body);
      runs.push('divides' in work ? 'divide' : 'task' in work ? work.task.run : 'request');
      const answer = await runWork(service, work, signal);
      const times = [{ stage: 'chunk', by: 'x', seconds }] as const;
      return { ...answer, timings: { ...answer.timings, times } };
    },
    async runBulk() {},
    async startThread() {},
    startThreads() {},
    threads: 3,
    close: async () => {},
  };
  const config = configOf({ workers: 3, inlineBytes: 0, maxAnswerBytes });
  const runner = new Runner({ config, service, pool });
  const ask = (task: ChunksTask, body: object | string) =>
    saidBy(runner.run(task, bytesOf(body), new AbortController()));
  return { runs, divided, ask };
}

/** What an answer says, or the error. */
async function saidBy(answer: Promise<{ readonly bytes: Uint8Array; readonly reported: readonly object[] }>) {
  try {
    const { bytes, reported } = await answer;
    return { body: Buffer.from(bytes).toString(), reported };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code, message } = error;
    return { code, message };
  }
}

const alone = (task: ChunksTask, body: object | string) =>
  saidBy((async () => service.run(service.read(task, bytesOf(body)), new AbortController().signal))());

const CHUNK: ChunksTask = { run: 'chunk', name: 'lines' };
const REFINE: ChunksTask = { run: 'refine', name: 'counts' };
const EXECUTE: ChunksTask = { run: 'execute', steps: [chunkStep('lines'), refineStep('counts')] };

t.test('the texts of one batch go to all threads that are idle, once it is known to take long', async (t) => {
  const { runs, ask } = openThreads(1);
  for (let request = 0; request < 2; request++) await ask(CHUNK, { text: LARGE });
  t.same(runs.slice(0, 2), ['chunk', 'divide']);
  t.ok(runs.length > 4, `${runs}`);
});

t.test('the memory of a batch that was divided is freed at once', async (t) => {
  const { divided, ask } = openThreads(1);
  for (let request = 0; request < 2; request++) await ask(CHUNK, { text: LARGE });
  t.same(
    divided.map(({ byteLength }) => byteLength),
    [0],
  );
});

t.test('work that takes less than dividing it stays in one thread', async (t) => {
  const larger = Array.from({ length: 30 }, () => longDocument(30_000));
  for (const [seconds, text] of [
    [0.001, LARGE],
    [0.015, LARGE],
    [0.03, larger], // Less for a byte than dividing takes.
  ] as const) {
    const { runs, ask } = openThreads(seconds);
    for (let request = 0; request < 3; request++) await ask(CHUNK, { text });
    t.same(runs, ['chunk', 'chunk', 'chunk'], `${seconds}`);
  }
});

t.test('what is one text, or hardly any, stays in one thread', async (t) => {
  const { runs, ask } = openThreads(1);
  await ask(CHUNK, { text: LARGE });
  for (const text of [[longDocument(100_000)], ['a', 'b'], longDocument(100_000)]) await ask(CHUNK, { text });
  t.equal(runs.length, 4);
});

const oneText = fc.oneof(
  fc.constantFrom(...Object.values(TEXTS), '', ' \n '),
  fc.string({ unit: 'binary', maxLength: 50 }),
);
const texts = fc.array(oneText, { maxLength: 30 });
const metadata = fc.constantFrom({ a: [1, 2], b: '],[' }, {});
const documents = fc
  .array(fc.record({ text: oneText, metadata }), { maxLength: 20 })
  .map((list) => list.map((one, index) => ({ ...one, id: `d${index}` })));
const include = ['metadata', 'id', 'document_id', 'index'];

t.test('the answer is that of one thread: texts, documents, lists of chunks', async (t) => {
  const request = fc.oneof(
    texts.map((text): [ChunksTask, object] => [CHUNK, { text }]),
    texts.map((text): [ChunksTask, object] => [EXECUTE, { text }]),
    texts.map((text): [ChunksTask, object] => [CHUNK, { offset_unit: 'utf16', text, include: ['id'] }]),
    documents.map((documents): [ChunksTask, object] => [CHUNK, { documents, include }]),
    texts.map((list): [ChunksTask, object] => {
      const chunks = list.map((text) => [{ text, start_index: 0, end_index: text.length, token_count: 1 }]);
      return [REFINE, { chunks }];
    }),
  );
  const { runs, ask } = openThreads(1e6);
  const large = LARGE.join('\n');
  await ask(CHUNK, { text: large });
  await ask(EXECUTE, { text: large });
  await ask(REFINE, { chunks: [{ text: large, start_index: 0, end_index: large.length, token_count: 1 }] });
  const indent = fc.constantFrom(0, 2);
  const isSame = async ([task, body]: [ChunksTask, object], space: number) => {
    const json = JSON.stringify(body, null, space);
    t.strictSame(await ask(task, json), await alone(task, json));
  };
  await fc.assert(fc.asyncProperty(request, indent, isSame), { numRuns: 60 });
  t.ok(runs.filter((run) => run === 'divide').length > 50);
  t.ok(runs.length > 100, `${runs.length} parts`);
});

t.test('what is wrong is said as by one thread, with the place in the batch', async (t) => {
  const { ask } = openThreads(1);
  const text = LARGE;
  await ask(CHUNK, { text });
  for (const [what, wrong, pattern] of [
    ['a text that is none', { text: text.with(17, 5 as never) }, /text\[17\]/],
    ['an option', { text, offset_unit: 'letters' }, /offset_unit/],
    ['both', { text, documents: [] }, /documents/],
    ['cut off', JSON.stringify({ text }).slice(0, -9), /JSON/],
    ['a comma too many', JSON.stringify({ text }).replace('","', '",,"'), /JSON/],
    ['a chunker that breaks its promise', { text: text.with(29, 'no number') }, /units/],
  ] as const) {
    const answer = await ask(CHUNK, wrong);
    t.match(answer.message, pattern, what);
    t.strictSame(answer, await alone(CHUNK, wrong), what);
  }
});

t.test('the limit of an answer is for all of it', async (t) => {
  const { runs, ask } = openThreads(1, 150_000);
  t.ok('body' in (await ask(CHUNK, { text: LARGE.slice(0, 25) })));
  const { code } = await ask(CHUNK, { text: LARGE });
  t.equal(code, 'answer_too_large');
  t.ok(runs.length > 3, 'of which each part keeps to it');
});

t.test('a part that fails stops the others', async (t) => {
  const parts = { begun: 0, stopped: 0 };
  Object.assign(globalThis, { batchParts: parts });
  const { ask } = openThreads(1);
  const task: ChunksTask = { run: 'chunk', name: 'stops' };
  await ask(task, { text: [`ends ${longDocument(100_000)}`] });
  const text = LARGE.map((one, index) => (index === 0 ? 'fails' : '') + one);
  t.match(await ask(task, { text }), { code: 'plugin_failed' });
  t.same(parts, { begun: 3, stopped: 2 });
  t.ok('body' in (await ask(CHUNK, { text })), 'and threads are free again');
});
