import { setTimeout as wait } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { residentBytes } from '../soak/resources.ts';
import { startProcess, until } from '../support/process.ts';
import type { Client } from '../support/server.ts';
import { type Connection, head, openConnection, postBytes, type RawAnswer } from './connection.ts';

const MAX_BODY = 3_000_000;
const MAX_IN_FLIGHT = 4_000_000;
const LOCAL = ['--host', '127.0.0.1', '--port', '0', '--workers', '1'];
const PLUGINS = ['--plugins', 'token,tokenizer/character'];
const LIMITS = ['--max-body-bytes', String(MAX_BODY), '--max-bytes-in-flight', String(MAX_IN_FLIGHT)];

const PATH = '/v1/chunk/token';
const TEXT = 'First paragraph.\n\nSecond one 😀.\n\nThird.';
const PIECES = ['First paragraph.\n\n', 'Second one 😀.\n\nThi', 'rd.'];
/** Too long to be worked on by the thread that reads the connections. */
const LONG = 'A sentence of some words. '.repeat(4000);

const server = startProcess(t, [...LOCAL, ...PLUGINS, ...LIMITS]);
const client = await server.listening();
const open = (t: Test) => openConnection(t, client.port);

/** Sends bytes, closes the sending side only if told so, and gives the one answer. */
async function answerTo(t: Test, bytes: Uint8Array | string) {
  const connection = await open(t);
  connection.socket.write(bytes);
  return until(() => connection.answers()[0]);
}

async function checkServes(t: Test, one: Client = client) {
  t.same((await one.get('/health')).json(), { status: 'ok' });
  const chunks = await one.chunk('token', { text: TEXT, chunk_size: 18 });
  t.same(
    chunks.map(({ text }) => text),
    PIECES,
  );
}

/** The text that the chunks of an answer make up. */
function textOf({ body }: RawAnswer): string {
  return (JSON.parse(body) as { text: string }[]).map(({ text }) => text).join('');
}

/** Writes bytes one by one until there are none left or the connection is over. */
async function dribble({ socket }: Connection, bytes: Uint8Array, everyMs: number): Promise<void> {
  for (const byte of bytes) {
    if (!socket.writable) return;
    socket.write(Uint8Array.of(byte));
    await wait(everyMs);
  }
}

t.jobs = 2;

t.test('slow clients are ended, and others are served meanwhile', { buffered: true }, async (t) => {
  const strict = startProcess(t, [...LOCAL, ...PLUGINS, '--request-timeout', '3']);
  const others = await strict.listening();
  const request = postBytes(PATH, { text: 'x'.repeat(1000) });
  const slow = async (atOnce: number) => {
    const connection = await openConnection(t, others.port);
    connection.socket.write(request.subarray(0, atOnce));
    void dribble(connection, request.subarray(atOnce), 500);
    return connection;
  };
  const inHeaders = await Promise.all(Array.from({ length: 10 }, () => slow(10)));
  const inBody = await Promise.all(Array.from({ length: 10 }, () => slow(request.indexOf('{') + 5)));
  const unread = await askWithoutReading(t, others.port, { text: 'x'.repeat(300_000), chunk_size: 1 });
  for (let round = 0; round < 10; round++) {
    await checkServes(t, others);
    await wait(500);
  }
  const alive = (connections: Connection[]) => connections.filter(({ socket }) => !socket.closed).length;
  // Node looks only now and then for connections whose time is over.
  for (let waited = 0; waited < 60_000 && alive(inHeaders) > 0; waited += 500) await wait(500);
  t.equal(alive(inHeaders), 0, 'those that are slow with their headers');
  t.equal(alive(inBody), 0, 'those that are slow with their body');
  // Only by reading does a client notice that its connection has ended; the server gives back what it held for it.
  const held = async () => (await others.get('/metrics')).bytes.toString();
  await until(async () => /^chunksmith_bytes_in_flight 0$/m.test(await held()));
  unread.socket.resume();
  await until(() => unread.socket.closed || unread.answers().length > 0);
  // On a busy machine the work itself may take longer than a request may, which is a short answer.
  const got = unread.answers().filter(({ status }) => status !== 503);
  t.equal(got.length, 0, 'those that do not read their answer');
  const [answer] = (inHeaders[0] as Connection).answers();
  t.equal(answer?.status, 408, 'are told why');
  await checkServes(t, others);
});

t.test('a client that closes its sending side early', { buffered: true }, async (t) => {
  const askHalfClosed = async (text: string) => {
    const connection = await open(t);
    connection.socket.end(postBytes(PATH, { text }));
    await connection.over();
    return connection.answers();
  };
  const [answer] = await askHalfClosed(TEXT);
  t.equal(answer && textOf(answer), TEXT, 'what is answered at once comes whole');
  // A client that goes away does the same, and work for nobody is stopped.
  const long = await askHalfClosed(LONG);
  t.ok(
    long.length === 0 || textOf(long[0] as RawAnswer) === LONG,
    'longer work is given up, or answered whole',
  );
  await checkServes(t);
});

t.test('headers and addresses that are too long', { buffered: true }, async (t) => {
  const long = 'x'.repeat(20_000);
  const many = Object.fromEntries(
    Array.from({ length: 500 }, (_, index) => [`x-header-${index}`, 'x'.repeat(40)]),
  );
  for (const bytes of [head(PATH, { 'x-long': long }), head(PATH, many), head(`/${long}`, {})]) {
    const answer = await answerTo(t, bytes);
    t.equal(answer.status, 431);
    t.match(JSON.parse(answer.body), { detail: /headers are too large/ });
  }
  const address = await answerTo(t, head(`${PATH}/${'y'.repeat(8000)}`, { 'content-length': '0' }));
  t.equal(address.status, 404);
  t.ok(address.body.length < 1000, 'which is not repeated whole');
  await checkServes(t);
});

t.test('bodies in chunks', { buffered: true }, async (t) => {
  const chunked = { 'transfer-encoding': 'chunked' };
  const inChunks = (body: string, size: number) => {
    const bytes = Buffer.from(body);
    const parts: (Buffer | string)[] = [];
    for (let start = 0; start < bytes.length; start += size) {
      const part = bytes.subarray(start, start + size);
      parts.push(`${part.length.toString(16)}\r\n`, part, '\r\n');
    }
    return Buffer.concat([...parts, '0\r\n\r\n'].map((part) => Buffer.from(part)));
  };
  const send = (headers: Record<string, string>, body: Uint8Array | string) =>
    answerTo(t, Buffer.concat([head(PATH, headers), Buffer.from(body)]));

  for (const [text, size] of [
    [TEXT, 1],
    [TEXT, 7],
    [LONG, 1000],
    [LONG, 200_000],
  ] as const) {
    const answer = await send(chunked, inChunks(JSON.stringify({ text }), size));
    t.ok(textOf(answer) === text, `${text.length} characters in chunks of ${size} bytes`);
  }

  const large = await send(chunked, inChunks(JSON.stringify({ text: 'x'.repeat(MAX_BODY) }), 65_536));
  t.equal(large.status, 413);
  t.match(JSON.parse(large.body), { detail: new RegExp(`limit of ${MAX_BODY} bytes`) });

  const right = inChunks(JSON.stringify({ text: TEXT }), 20);
  for (const [title, body] of [
    ['a size that is no number', 'xyz\r\n{}\r\n0\r\n\r\n'],
    ['a negative size', '-1\r\n{}\r\n0\r\n\r\n'],
    ['more than the size says', '1\r\n{}\r\n0\r\n\r\n'],
    ['a size beyond all numbers', 'fffffffffffffffff\r\n{}\r\n'],
  ] as const) {
    t.equal((await send(chunked, body)).status, 400, title);
  }
  for (const [title, headers] of [
    ['a length too', { ...chunked, 'content-length': String(right.length) }],
    ['an unknown coding after it', { 'transfer-encoding': 'chunked, other' }],
    ['an unknown coding', { 'transfer-encoding': 'other' }],
  ] as const) {
    t.equal((await send(headers, right)).status, 400, title);
  }
  await checkServes(t);
});

t.test('requests that are sent ahead are answered in their order', { buffered: true }, async (t) => {
  const texts = Array.from({ length: 40 }, (_, index) => `${index} ${index % 4 === 0 ? LONG : TEXT}`);
  const connection = await open(t);
  connection.socket.write(Buffer.concat(texts.map((text) => postBytes(PATH, { text }))));
  connection.socket.write(postBytes(PATH, { text: 5 }));
  connection.socket.write(postBytes('/nothing', { text: TEXT }, { connection: 'close' }));
  await connection.over();
  const answers = connection.answers();
  t.same(
    answers.map(({ status }) => status),
    [...texts.map(() => 200), 400, 404],
  );
  for (const [index, text] of texts.entries()) {
    t.ok(textOf(answers[index] as RawAnswer) === text, `answer ${index}`);
  }
});

t.test('bytes that are not HTTP', { buffered: true }, async (t) => {
  const random = Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 7919 + 13) % 251));
  for (const [title, bytes] of [
    ['a ClientHello of TLS', clientHello()],
    ['anything', random],
    ['zeros', Buffer.alloc(1000)],
    ['text without a method', 'hello, is anybody there?\r\n\r\n'],
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a header without a name', 'GET /health HTTP/1.1\r\n: a\r\n\r\n'],
    ['a line break in a header', 'GET /health HTTP/1.1\r\nhost: a\r\nx: a\nb\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}'],
  ] as const) {
    const connection = await open(t);
    connection.socket.write(bytes);
    await connection.over();
    t.same(
      connection.answers().map(({ status }) => status),
      [400],
      title,
    );
  }
  await checkServes(t);
});

t.test('clients that do not read their large answers', { buffered: true }, async (t) => {
  const body = { text: 'x'.repeat(500_000), chunk_size: 1 };
  const answerBytes = body.text.length * 64;
  const most = Math.floor(MAX_IN_FLIGHT / body.text.length);
  for (let round = 0; round < 2; round++) t.equal((await client.post('/v1/chunk/token', body)).status, 200);
  const before = heldBytes();
  const unread = await Promise.all(Array.from({ length: 60 }, () => askWithoutReading(t, client.port, body)));
  const refused = () => unread.flatMap(({ answers }) => answers());
  await until(() => refused().length >= unread.length - most);
  for (const answer of refused()) t.match(answer, { status: 503, headers: { 'retry-after': '1' } });
  const waiting = unread.filter(({ answers }) => answers().length === 0);
  t.ok(waiting.length > 1, `${waiting.length} are worked on`);
  await until(() => waiting.every(({ socket }) => socket.bytesRead > 0));
  await checkServes(t);
  const grown = heldBytes() - before;
  t.ok(grown < 3 * most * answerBytes, `${grown} bytes are held for answers of ${answerBytes}`);

  const [reader] = waiting as [Connection];
  t.ok(reader.socket.bytesRead < answerBytes, 'the answer does not fit into the connection');
  reader.socket.resume();
  await until(() => reader.socket.bytesRead > answerBytes);
  const answer = await until(() => reader.answers()[0]);
  t.ok(textOf(answer) === body.text, 'it comes whole to the one who begins to read');
  for (const { socket } of unread) socket.destroy();
  const inFlight = async () => (await client.get('/metrics')).bytes.toString();
  t.ok(
    await until(async () => /^chunksmith_bytes_in_flight 0$/m.test(await inFlight())),
    'room is given back',
  );
});

t.test('500 connections that say nothing', { buffered: true }, async (t) => {
  const before = heldBytes();
  const idle = await Promise.all(Array.from({ length: 500 }, () => open(t)));
  await checkServes(t);
  const grown = heldBytes() - before;
  t.ok(grown < 500 * 200_000, `${Math.round(grown / 500)} bytes for each`);
  t.equal(idle.filter(({ socket }) => socket.readyState === 'open').length, 500, 'none is thrown out');
  for (const connection of idle.slice(0, 10)) {
    connection.socket.write(postBytes(PATH, { text: TEXT }));
    const answer = await until(() => connection.answers()[0]);
    t.equal(textOf(answer), TEXT, 'one that begins to speak is answered');
  }
});

t.test('after all of it', async (t) => {
  await checkServes(t);
  t.equal(server.child.exitCode, null, 'it is the same process');
  t.equal(server.stderr(), '');
  t.notMatch(server.stdout(), /"level":"(error|fatal)".*(TypeError|ReferenceError|RangeError)/);
});

/** Sends a request and reads no more than the first part of its answer. */
async function askWithoutReading(t: Test, port: number, body: object): Promise<Connection> {
  const connection = await openConnection(t, port);
  connection.socket.write(postBytes('/v1/chunk/token', body));
  connection.socket.once('data', () => connection.socket.pause());
  return connection;
}

/** The memory that the server has now, where the system tells. */
function heldBytes(): number {
  return process.platform === 'linux' ? residentBytes(server.child.pid as number) : 0;
}

/** The first bytes that a client of TLS 1.2 sends. */
function clientHello(): Buffer {
  const hello = Buffer.concat([
    Buffer.from('0303', 'hex'),
    Buffer.alloc(32, 0x5a),
    Buffer.from('000004c02fc0300100', 'hex'),
  ]);
  const handshake = Buffer.concat([Buffer.from([1, 0, 0, hello.length]), hello]);
  return Buffer.concat([Buffer.from([0x16, 3, 1, 0, handshake.length]), handshake]);
}
