// Needs chunker/token, tokenizer/character.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { startServer } from '../../support/server.ts';
import { LINES } from '../../support/streams.ts';

/** Requests that are answered, or cannot be read on, before they are sent whole. */

const client = await startServer(t, { workers: 1 });
const HEALTH = 'GET /health HTTP/1.1\r\nhost: a\r\n\r\n';
/** More than the buffers of a connection take, so that sending it ends only if the server reads. */
const MUCH = 20_000_000;
const OK_LINE = '{"text":"abc"}\n';

function headOf(headers: string): string {
  return `POST /v1/chunk/token HTTP/1.1\r\nhost: a\r\ncontent-type: ${LINES}\r\n${headers}\r\n\r\n`;
}

/** A connection, and all that came back over it. */
function open(t: Test, port = client.port) {
  const socket = connect(port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.on('error', () => {});
  let got = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    got += text;
  });
  const until = async (pattern: RegExp) => {
    while (!pattern.test(got)) await Promise.race([once(socket, 'data'), closed(socket)]);
    return got;
  };
  return { socket, until, got: () => got };
}

/** Resolves when the connection is closed, with or without an error. */
const endOf = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()));

async function closed(socket: Socket): Promise<never> {
  await endOf(socket);
  throw new Error('the connection was closed');
}

const send = (socket: Socket, bytes: Uint8Array | string) =>
  new Promise<void>((resolve, reject) => socket.write(bytes, (error) => (error ? reject(error) : resolve())));

const BAD: readonly [title: string, headers: string, body: Buffer, detail: RegExp][] = [
  ['a first line that is wrong', '', Buffer.from('[]\n'), /first line of the stream: expected an object/],
  ['what is not compressed', 'content-encoding: gzip\r\n', Buffer.from('no gzip'), /not valid gzip/],
  [
    'what is compressed no longer',
    'content-encoding: gzip\r\n',
    gzipSync(`{}\n${OK_LINE}`).subarray(0, -8),
    /not valid gzip/,
  ],
];

for (const [title, headers, begin, detail] of BAD) {
  t.test(`${title}: who reads only when all is sent finds the answer, and goes on`, async (t) => {
    const { socket, until } = open(t);
    socket.pause();
    const body = Buffer.concat([begin, Buffer.alloc(MUCH, 'x')]);
    await send(socket, headOf(`${headers}content-length: ${body.length}`));
    await send(socket, body);
    socket.resume();
    t.match(await until(/\r\n\r\n.*\}/s), /^HTTP\/1\.1 400 /);
    t.match(await until(detail), detail);
    await send(socket, HEALTH);
    t.match(await until(/"status":"ok"/), /HTTP\/1\.1 200 /);
  });
}

t.test('who goes on sending is cut off when the time for a request is over, nobody else', async (t) => {
  const quick = await startServer(t, { requestTimeout: 1 });
  const { socket, until } = open(t, quick.port);
  const gone = endOf(socket);
  await send(socket, headOf('transfer-encoding: chunked'));
  await send(socket, '3\r\n[]\n\r\n');
  await until(/HTTP\/1\.1 400 /);
  const flow = setInterval(() => socket.write(`5\r\naaaa\n\r\n`), 20);
  t.teardown(() => clearInterval(flow));
  await gone;
  t.equal((await quick.get('/health')).status, 200);
  // A request that was sent whole after its answer does not end its connection.
  const other = open(t, quick.port);
  await send(other.socket, headOf('content-length: 10'));
  await send(other.socket, '[]\n');
  await other.until(/HTTP\/1\.1 400 /);
  await send(other.socket, 'xxxxxxx');
  const end = performance.now() + 1500;
  while (performance.now() < end) {
    await send(other.socket, HEALTH);
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  t.ok((other.got().match(/"status":"ok"/g)?.length ?? 0) >= 3);
  t.notOk(other.socket.destroyed);
});

t.test(
  'what is not HTTP in the middle of a stream ends its answer, and writes nothing into it',
  async (t) => {
    const { socket, until, got } = open(t);
    const body = `{}\n${OK_LINE}`;
    const gone = endOf(socket);
    await send(socket, `${headOf('transfer-encoding: chunked')}${body.length.toString(16)}\r\n${body}\r\n`);
    await until(/"text":"abc".*\n\r\n/);
    await send(socket, 'no length\r\n');
    await gone;
    t.equal(got().match(/HTTP\/1\.1/g)?.length, 1);
    t.match(got(), /\}\n\r\n$/, 'the last line is whole');
  },
);
