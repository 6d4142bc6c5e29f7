import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { buildApp, configOf } from '../../../server/app.ts';
import { chunker, pluginsFolder } from '../../support/plugins.ts';
import { startServer, temporaryFolder, withStandIns } from '../../support/server.ts';
import { countOf, openStream, WAITS_OR_FAILS } from '../../support/streams.ts';

const folder = await pluginsFolder(t, chunker('waits', WAITS_OR_FAILS));
const settings = { pluginsDir: [folder] };
const workers = await startServer(t, { ...settings, workers: 2 });
const ROUTE = '/v1/chunk/waits';

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

t.test('a server that stops answers what it has read, and says where the stream broke off', async (t) => {
  const dataDir = await temporaryFolder(t);
  const app = await buildApp(
    configOf(withStandIns({ ...settings, dataDir, workers: 1, logLevel: 'silent' })),
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  const stream = openStream(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}${ROUTE}`);
  stream.request.on('error', () => {});
  await stream.send({});
  await stream.send({ text: 'first' });
  t.match(await stream.next(), { chunks: [{ text: 'first' }] });
  await stream.send({ text: 'wait 500' });
  await sleep(100);
  const closed = app.close();
  t.match(await stream.next(), { chunks: [{ text: 'wait 500' }] });
  t.match(await stream.next(), { index: 2, error: { status: 503, detail: /The server is stopping/ } });
  t.equal(await stream.next(), undefined);
  stream.request.destroy();
  await closed;
});
