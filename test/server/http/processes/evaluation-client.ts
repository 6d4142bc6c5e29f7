import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { createRandom, pickByRank } from '../../../support/random.ts';

/**
 * Run as a thread with the address of a server. Says when the request is ready; once notified, sends it, asks for
 * `/health` until it is answered, and says how that went.
 */
export interface Answered {
  readonly status: number;
  readonly text: string;
  /** Milliseconds of `/health`, rising. */
  readonly times: readonly number[];
}

const SIZE = 800;
const PER_DOCUMENT = 50;
const DOCUMENTS = 2_000;
const QUESTIONS = 50;

/** Documents of words that are as frequent as those of a language, and questions that are the beginnings of chunks. */
function request(): string {
  const random = createRandom(1);
  const words = Array.from({ length: 20_000 }, (_, at) => (at * 7919).toString(36));
  const documents = Array.from({ length: DOCUMENTS }, () => {
    let text = '';
    while (text.length < PER_DOCUMENT * SIZE) text += `${pickByRank(random, words)} `;
    return { text: text.slice(0, PER_DOCUMENT * SIZE) };
  });
  const questions = Array.from({ length: QUESTIONS }, (_, at) => ({
    question: documents[at]?.text.slice(SIZE, SIZE + 60),
    answers: [{ document: at, start_index: SIZE, end_index: SIZE + 60 }],
  }));
  const config = { tokenizer: 'character', chunk_size: SIZE };
  return JSON.stringify({
    documents,
    questions,
    candidates: [{ chunker: 'token', config, retriever: 'bm25' }],
  });
}

const url = workerData as string;
const body = request();
parentPort?.postMessage('ready');
if (parentPort !== null) await once(parentPort, 'message');

let answer: Omit<Answered, 'times'> | undefined;
const headers = { 'content-type': 'application/json' };
fetch(`${url}/v1/evaluate`, { method: 'POST', headers, body }).then(async (response) => {
  answer = { status: response.status, text: await response.text() };
});
const times: number[] = [];
while (answer === undefined) {
  const begin = performance.now();
  await (await fetch(`${url}/health`)).text();
  times.push(performance.now() - begin);
  await wait(10);
}
parentPort?.postMessage({ ...(answer as object), times: times.sort((a, b) => a - b) });
