// Needs chunker/token, tokenizer/character.
import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import { createByteBudget } from '../../../server/http/byte-budget.ts';
import { HeldBytes } from '../../../server/http/streams/held-bytes.ts';
import { until } from '../../support/process.ts';
import { startServer } from '../../support/server.ts';
import { openStream } from '../../support/streams.ts';

const LONG = 3600;

t.test('a stream waits for room until others give theirs back, and not for itself', async (t) => {
  const budget = createByteBudget(100);
  const { signal } = new AbortController();
  const [one, other] = [new HeldBytes(budget, LONG, signal), new HeldBytes(budget, LONG, signal)];
  one.set(150);
  await one.room();
  other.set(10);
  t.equal(budget.taken, 160);
  let isThere = false;
  const waiting = other.room().then(() => {
    isThere = true;
  });
  one.set(120);
  await turn();
  t.notOk(isThere);
  one.set(0);
  await waiting;
  other.end();
  other.set(50);
  t.equal(budget.taken, 0, 'what is over holds nothing');
});

t.test('waiting ends with its signal, and after its time', async (t) => {
  const budget = createByteBudget(100);
  budget.force(200);
  const stop = new AbortController();
  const waiting = new HeldBytes(budget, LONG, stop.signal).room();
  stop.abort();
  await t.rejects(waiting);
  // The time by itself keeps no process alive.
  const stay = setInterval(() => {}, 1000);
  t.teardown(() => clearInterval(stay));
  const late = new HeldBytes(budget, 0.01, new AbortController().signal);
  await t.rejects(late.room(), { code: 'too_much_in_flight' });
});

t.test(
  'streams that hold all bytes with lines they cannot complete are told so, not left hanging',
  async (t) => {
    const client = await startServer(t, { maxBytesInFlight: 1_000_000, requestTimeout: 2 });
    const streams = [1, 2].map(() => {
      const stream = openStream(`${client.url}/v1/chunk/token`);
      stream.request.on('error', () => {});
      return stream;
    });
    const half = 'x'.repeat(20_000_000);
    for (const { send, request } of streams) {
      await send({ chunk_size: 1_000_000 });
      request.write(`{"text":"${half}`);
    }
    const taken = async () =>
      Number(
        /^chunksmith_bytes_in_flight (\d+)$/m.exec((await client.get('/metrics')).bytes.toString())?.[1],
      );
    await until(async () => (await taken()) >= 1_000_000);
    for (const { request } of streams) request.end('"}\n');
    const answers = await Promise.all(streams.map(({ response }) => response));
    for (const answer of answers) answer.resume();
    t.ok(answers.some(({ statusCode }) => statusCode === 503));
    await until(async () => (await taken()) === 0);
  },
);
