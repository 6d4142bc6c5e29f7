import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { chunker, pluginsFolder } from '../../support/plugins.ts';
import { startServer } from '../../support/server.ts';
import { type AnswerLine, countOf, openStream, WAITS_OR_FAILS } from '../../support/streams.ts';

const folder = await pluginsFolder(t, chunker('waits', WAITS_OR_FAILS));
const settings = { pluginsDir: [folder] };
const workers = await startServer(t, { ...settings, workers: 2 });
const ROUTE = '/v1/chunk/waits';

const texts = (lines: readonly AnswerLine[]) => lines.map(({ chunks }) => chunks?.[0]?.text);

t.test('the deadline is that of each document, not of the stream', async (t) => {
  const client = await startServer(t, { ...settings, workers: 1, requestTimeout: 1 });
  const stream = openStream(client.url + ROUTE);
  await stream.send({});
  const found: AnswerLine[] = [];
  for (const text of ['wait 3000', 'a', 'wait 600', 'b', 'wait 601', 'c']) {
    await stream.send({ text, id: text });
    found.push((await stream.next()) as AnswerLine);
    await sleep(300);
  }
  stream.end();
  t.equal(await stream.next(), undefined);
  t.match(found[0], { id: 'wait 3000', error: { status: 503, detail: /longer than 1 s/ } });
  t.same(texts(found.slice(1)), ['a', 'wait 600', 'b', 'wait 601', 'c']);
});

t.test('a stream on which nothing happens is ended', async (t) => {
  const client = await startServer(t, { ...settings, requestTimeout: 1 });
  const stream = openStream(client.url + ROUTE);
  stream.request.on('error', () => {});
  await stream.send({});
  await stream.send({ text: 'a' });
  t.match(await stream.next(), { index: 0 });
  const response = await stream.response;
  response.on('error', () => {});
  const start = performance.now();
  await new Promise((resolve) => response.once('close', resolve));
  t.ok(!response.complete, 'without the end of an answer');
  t.ok(performance.now() - start > 900, 'not before the time of a request has passed');
});

t.test('a client that goes away stops the work', async (t) => {
  const stream = openStream(workers.url + ROUTE);
  stream.request.on('error', () => {});
  await stream.send({});
  for (let index = 0; index < 50; index++) await stream.send({ text: `wait 200 ${index}` });
  t.match(await stream.next(), { index: 0 });
  const done = async () =>
    countOf((await workers.get('/metrics')).bytes.toString(), 'documents_total', 'waits');
  stream.request.destroy();
  await sleep(1000);
  const after = await done();
  await sleep(1000);
  t.equal(await done(), after, 'no further document is worked on');
  t.match((await workers.get('/metrics')).bytes.toString(), /^chunksmith_bytes_in_flight 0$/m);
});

t.test('a client that does not read holds up the reading, not the memory', async (t) => {
  const stream = openStream(workers.url + ROUTE);
  stream.request.on('error', () => {});
  await stream.send({});
  const text = 'a'.repeat(10_000);
  let sent = 0;
  const flow = (async () => {
    for (; sent < 20_000; sent++) await stream.send({ text });
  })();
  await stream.response;
  for (let before = -1; before !== sent; ) {
    before = sent;
    await sleep(1000);
  }
  t.ok(sent < 4000, `${sent} of 20,000 documents were taken`);
  const held = /^chunksmith_bytes_in_flight (\d+)$/m.exec((await workers.get('/metrics')).bytes.toString());
  t.ok(Number(held?.[1]) < 2_000_000, `${held?.[1]} bytes are held`);
  t.equal((await workers.get('/health')).status, 200);
  t.equal((await workers.post(ROUTE, { text: 'others go on' })).status, 200);
  stream.request.destroy();
  await Promise.race([flow, sleep(100)]);
});
