import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { chunker, pluginsFolder } from '../support/plugins.ts';
import { startProcess, until } from '../support/process.ts';
import type { Client } from '../support/server.ts';
import { type AnswerLine, openStream, WAITS_OR_FAILS } from '../support/streams.ts';

/** Clients, workers and servers that end in the middle of streams: nobody else is harmed. */

t.setTimeout(120_000);

const ROUTE = '/v1/chunk/waits';
const TAKES_ALL = `if (text === 'heap') for (const all = []; ; ) all.push(new Array(1e5).fill(all.length));`;
const folder = await pluginsFolder(t, chunker('waits', TAKES_ALL + WAITS_OR_FAILS));
const ARGS = ['--host', '127.0.0.1', '--port', '0', '--store', 'memory', '--plugins-dir', folder];

function start(t: Test) {
  return startProcess(t, [...ARGS, '--workers', '2', '--worker-memory-mb', '256']);
}

const textOf = (line: AnswerLine | undefined) => line?.chunks?.[0]?.text;

/** Streams and single requests that go on side by side until they are told to end; counts the wrong answers. */
function goOn(client: Client) {
  let isOver = false;
  const found = { streamed: 0, single: 0, wrong: [] as unknown[] };
  const note = (kind: 'streamed' | 'single', isRight: boolean, answer: unknown) => {
    if (isRight) found[kind]++;
    else found.wrong.push(answer);
  };
  const stream = async () => {
    const { send, next, end } = openStream(client.url + ROUTE);
    await send({});
    for (let index = 0; !isOver; index++) {
      const text = `other ${index}`;
      await send({ text });
      const line = await next();
      note('streamed', line?.index === index && textOf(line) === text, line);
    }
    end();
    note('streamed', (await next()) === undefined, 'no end');
  };
  const single = async () => {
    for (let index = 0; !isOver; index++) {
      const text = `single ${index}`;
      const answer = await client.post(ROUTE, { text });
      note('single', answer.json<{ text: string }[]>()[0]?.text === text, answer.bytes.toString());
    }
  };
  const done = Promise.all([stream(), single()]);
  return {
    found,
    /** Waits until so many more of both are answered. */
    async more(count: number) {
      const { streamed, single } = found;
      await until(() => found.streamed >= streamed + count && found.single >= single + count);
    },
    async end() {
      isOver = true;
      await done;
      return found;
    },
  };
}

const bytesInFlight = async (client: Client) =>
  /^chunksmith_bytes_in_flight (\d+)$/m.exec((await client.get('/metrics')).bytes.toString())?.[1];

t.test('a client that is killed in the middle of its stream', async (t) => {
  const client = await start(t).listening();
  const others = goOn(client);
  for (let kills = 0; kills < 3; kills++) {
    const sender = new URL('../support/endless-stream.ts', import.meta.url);
    const child = spawn(process.execPath, [fileURLToPath(sender), client.url + ROUTE], { env: {} });
    t.teardown(() => child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await others.more(20);
  }
  t.same((await others.end()).wrong, []);
  await until(async () => (await bytesInFlight(client)) === '0');
});

t.test('worker threads that end in the middle of streams', async (t) => {
  const client = await start(t).listening();
  const others = goOn(client);
  const stream = openStream(client.url + ROUTE);
  await stream.send({});
  const texts = Array.from(
    { length: 60 },
    (_, index) => ({ 15: 'die', 40: 'heap' })[index] ?? `mine ${index}`,
  );
  const sending = (async () => {
    for (const text of texts) await stream.send({ text });
    stream.end();
  })();
  for (const [index, text] of texts.entries()) {
    const line = await stream.next();
    t.equal(line?.index, index);
    if (text === 'die') t.match(line?.error, { status: 500, detail: /worker .* ended/ });
    else if (text === 'heap') t.match(line?.error, { status: 500, detail: /more memory than a worker has/ });
    else t.equal(textOf(line), text);
  }
  await sending;
  t.equal(await stream.next(), undefined);
  await others.more(20);
  t.same((await others.end()).wrong, []);
});

t.test(
  'a server that is killed: all lines that were sent are whole, and the answer has no end',
  async (t) => {
    const server = start(t);
    const client = await server.listening();
    const stream = openStream(client.url + ROUTE);
    stream.request.on('error', () => {});
    const send = async () => {
      await stream.send({});
      for (let index = 0; ; index++) await stream.send({ text: `${index} ${'é'.repeat(2000)}` });
    };
    // It ends with the connection.
    send().catch(() => {});
    const answer = await stream.response;
    const parts: Buffer[] = [];
    answer.on('data', (part: Buffer) => parts.push(part)).on('error', () => {});
    const closed = new Promise((resolve) => answer.once('close', resolve));
    await until(() => parts.length > 20);
    server.child.kill('SIGKILL');
    await closed;
    t.notOk(answer.complete);
    const lines = Buffer.concat(parts).toString().split('\n');
    // Of the last one only a part may have been sent, which its missing end shows.
    lines.pop();
    t.ok(lines.length > 20);
    for (const [index, line] of lines.entries()) {
      const { index: found, chunks } = JSON.parse(line) as AnswerLine;
      t.equal(found, index);
      t.equal(chunks?.[0]?.text, `${index} ${'é'.repeat(2000)}`);
    }
  },
);
