import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { chunker, pluginsFolder } from '../../support/plugins.ts';
import { startServer } from '../../support/server.ts';
import { type AnswerLine, openStream, WAITS_OR_FAILS } from '../../support/streams.ts';

const folder = await pluginsFolder(t, chunker('waits', WAITS_OR_FAILS));
const settings = { pluginsDir: [folder] };
const ROUTE = '/v1/chunk/waits';

const texts = (lines: readonly AnswerLine[]) => lines.map(({ chunks }) => chunks?.[0]?.text);

t.test('the deadline is that of each document, not of the stream', async (t) => {
  const client = await startServer(t, { ...settings, workers: 1, requestTimeout: 4 });
  const stream = openStream(client.url + ROUTE);
  await stream.send({});
  const found: AnswerLine[] = [];
  for (const text of ['wait 30000', 'a', 'wait 600', 'b', 'wait 601', 'c']) {
    await stream.send({ text, id: text });
    found.push((await stream.next()) as AnswerLine);
    await sleep(300);
  }
  stream.end();
  t.equal(await stream.next(), undefined);
  t.match(found[0], { id: 'wait 30000', error: { status: 503, detail: /longer than 4 s/ } });
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
