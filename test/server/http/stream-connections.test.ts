import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import { ByteBudget, HeldBytes } from '../../../server/engine/run/byte-budget.ts';
import { chunker, pluginsFolder } from '../../support/plugins.ts';
import { type Client, metricOf, startApp, startServer } from '../../support/server.ts';
import { openStream, type SentStream, WAITS_OR_FAILS } from '../../support/streams.ts';
import { until } from '../../support/until.ts';

/** Clients of streams that go, or do not read; what streams hold; and a server that stops. */

const folder = await pluginsFolder(t, chunker('waits', WAITS_OR_FAILS));
const plugins = ['token', 'character', 'waits'];
const settings = { plugins, pluginsDir: [folder], workers: 1 };
const { app, client: workers } = await startApp(t, settings);
const ROUTE = '/v1/chunk/waits';
const LONG = 3600;

/** A stream of which nobody minds how its connection ends. */
function open({ url }: Client, route = ROUTE): SentStream {
  const stream = openStream(url + route);
  stream.request.on('error', () => {});
  return stream;
}

for (const [way, leave] of [
  ['closes its connection', ({ request }: SentStream) => request.destroy()],
  ['resets it, as one that is killed', ({ request }: SentStream) => request.socket?.resetAndDestroy()],
] as const) {
  t.test(`a client that ${way} stops its work, and that of nobody else`, async (t) => {
    const other = open(workers);
    await other.send({});
    const stream = open(workers);
    await stream.send({});
    for (let index = 0; index < 50; index++) await stream.send({ text: `wait 100 ${index}` });
    t.match(await stream.next(), { index: 0 });
    const left = stream.response.then((response) => response.on('error', () => {}));
    leave(stream);
    await left;
    await until(async () => (await metricOf(workers, 'bytes_in_flight')) === 0);
    const done = () => metricOf(workers, 'documents_total{plugin="waits"}');
    // What was being worked on may still be counted.
    await sleep(200);
    const after = await done();
    await sleep(400);
    t.equal(await done(), after, 'no further document is worked on');
    await other.send({ text: 'still here' });
    t.match(await other.next(), { index: 0, chunks: [{ text: 'still here' }] });
    other.end();
    t.equal(await other.next(), undefined);
  });
}

t.test('a client that does not read holds up the reading, not the memory', async (t) => {
  const stream = open(workers);
  await stream.send({});
  const text = 'a'.repeat(50_000);
  let sent = 0;
  const send = async () => {
    for (; sent < 4000; sent++) await stream.send({ text });
  };
  const flow = send();
  await stream.response;
  for (let before = -1; before !== sent; ) {
    before = sent;
    await sleep(500);
  }
  t.ok(sent < 800, `${sent} of 4000 documents were taken`);
  const held = await metricOf(workers, 'bytes_in_flight');
  t.ok(held < 2_000_000, `${held} bytes are held`);
  t.equal((await workers.get('/health')).status, 200);
  t.equal((await workers.post(ROUTE, { text: 'others go on' })).status, 200);
  stream.request.destroy();
  await Promise.race([flow, sleep(100)]);
});

t.test('a stream waits for room until others give theirs back, and not for itself', async (t) => {
  const budget = new ByteBudget(100);
  const { signal } = new AbortController();
  const [one, other] = [new HeldBytes(budget, LONG, signal), new HeldBytes(budget, LONG, signal)];
  one.set(150);
  await one.room();
  other.set(10);
  t.equal(budget.taken, 160);
  let freed = 0;
  const waiting = other.room().then(() => t.equal(freed, 1));
  one.set(120);
  await turn();
  freed++;
  one.set(0);
  await waiting;
  other.end();
  other.set(50);
  t.equal(budget.taken, 0, 'what is over holds nothing');
});

t.test('waiting ends with its signal, and after its time', async (t) => {
  const budget = new ByteBudget(100);
  budget.force(200);
  const stop = new AbortController();
  const waiting = new HeldBytes(budget, LONG, stop.signal).room();
  stop.abort();
  await t.rejects(waiting);
  const late = new HeldBytes(budget, 0.01, new AbortController().signal);
  await t.rejects(late.room(), { code: 'too_much_in_flight' });
});

t.test('streams that hold all bytes with lines they cannot complete are told so', async (t) => {
  const limits = { maxBytesInFlight: 1_000_000, requestTimeout: 1 };
  const client = await startServer(t, { plugins: ['token', 'character'], ...limits });
  const streams = [1, 2].map(() => open(client, '/v1/chunk/token'));
  for (const { send, request } of streams) {
    await send({ chunk_size: 1_000_000 });
    request.write(`{"text":"${'x'.repeat(4_000_000)}`);
  }
  const told = await Promise.race(streams.map(({ response }) => response));
  t.equal(told.statusCode, 503);
  for (const { request } of streams) request.end('"}\n');
  for (const answer of await Promise.all(streams.map(({ response }) => response))) answer.resume();
  await until(async () => (await metricOf(client, 'bytes_in_flight')) === 0);
});

t.test('a server that stops answers what it has read, and says where the stream broke off', async (t) => {
  const stream = open(workers);
  await stream.send({});
  await stream.send({ text: 'first' });
  t.match(await stream.next(), { chunks: [{ text: 'first' }] });
  await stream.send({ text: 'wait 1500' });
  await until(async () => (await metricOf(workers, 'bytes_in_flight')) > 0);
  const closed = app.close();
  t.match(await stream.next(), { chunks: [{ text: 'wait 1500' }] });
  t.match(await stream.next(), { index: 2, error: { status: 503, detail: /The server is stopping/ } });
  t.equal(await stream.next(), undefined);
  stream.request.destroy();
  await closed;
});
