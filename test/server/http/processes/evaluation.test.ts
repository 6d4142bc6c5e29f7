import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import { evaluate } from '../../../support/evaluation.ts';
import { between, createRandom, pickByRank } from '../../../support/random.ts';
import { startServer } from '../../../support/server.ts';
import type { Answered } from './evaluation-client.ts';

/** An evaluation of 100,000 chunks next to other requests, and verdicts on candidates of which none is better. */

/** Measures the longest turn of this thread's event loop, in milliseconds of its processor time. */
function watchLoop(): () => number {
  let longest = 0;
  let before = process.threadCpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
    before = process.threadCpuUsage();
  }, 1);
  return () => {
    clearInterval(timer);
    return longest;
  };
}

/** Milliseconds: collecting garbage takes up to a quarter of it, evaluating on this thread a hundred times as long. */
const MAX_TURN = 500;

t.test('the event loop is free while a thread evaluates 100,000 chunks', async (t) => {
  const limits = { maxEvaluationCharacters: 1e9, maxBytesInFlight: 1e9 };
  const { url } = await startServer(t, { databaseUrl: '', workers: 1, ...limits });
  const client = new Worker(join(import.meta.dirname, 'evaluation-client.ts'), { workerData: url });
  t.teardown(() => client.terminate());
  await once(client, 'message');
  const longest = watchLoop();
  client.postMessage('begin');
  const [{ status, text, times }] = (await once(client, 'message')) as [Answered];
  const busy = longest();
  t.equal(status, 200);
  t.match(JSON.parse(text), { candidates: [{ chunks: 100_000, recall: 1 }] });
  const at = (share: number) => times[Math.floor(share * (times.length - 1))]?.toFixed(0);
  t.comment(`busy: ${busy.toFixed(0)} ms; /health: p50 ${at(0.5)}, p99 ${at(0.99)}, most ${at(1)} ms`);
  t.ok(busy < MAX_TURN, `${busy} ms`);
});

const WORDS = 'tea milk noon cup people sugar leaf water pot steam fire stone river house garden'.split(' ');
const RUNS = 40;

t.test('questions whose answers are shuffled have a winner in at most 10 % of runs', async (t) => {
  const client = await startServer(t, { databaseUrl: '' });
  const random = createRandom(2);
  const sentence = () => Array.from({ length: 12 }, () => pickByRank(random, WORDS)).join(' ');
  const documents = Array.from({ length: 12 }, () => ({ text: `${sentence()}. ${sentence()}.` }));
  const candidates = [20, 35, 60].map((chunk_size) => ({
    chunker: 'token',
    config: { tokenizer: 'character', chunk_size },
  }));
  const won = async (answersOf: (document: number) => number, seed: number) => {
    const questions = Array.from({ length: 60 }, (_, at) => {
      const document = at % documents.length;
      const start = 3 * (at % 11);
      const stretch = { start_index: start, end_index: start + 30 };
      const question = documents[document]?.text.slice(start, start + 30);
      return { question, answers: [{ document: answersOf(document), ...stretch }] };
    });
    const shared = { retriever: 'bm25', tokenizer: 'character', budget: 240, seed };
    const { verdict } = await evaluate(client, { documents, questions, candidates, ...shared });
    return verdict?.winner ?? null;
  };
  let winners = 0;
  for (let run = 0; run < RUNS; run++)
    if ((await won(() => between(random, 0, documents.length - 1), run)) !== null) winners++;
  t.comment(`${winners} of ${RUNS}`);
  t.ok(winners <= RUNS / 10, `${winners} of ${RUNS}`);
});
