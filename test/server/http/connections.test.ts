import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { type Client, metricOf, startServer } from '../../support/server.ts';
import { LINES } from '../../support/streams.ts';
import { until } from '../../support/until.ts';
import { type Connection, head, openConnection, postBytes, type RawAnswer } from './connection.ts';

/** What may happen on plain connections: what is slow, late, early, broken or no HTTP. Nobody else notices. */

const PATH = '/v1/chunk/token';
const TEXT = 'First paragraph.\n\nSecond one 😀.\n\nThird.';
const PIECES = ['First paragraph.\n\n', 'Second one 😀.\n\nThi', 'rd.'];
/** Too long to be worked on by the thread that reads the connections. */
const LONG = 'A sentence of some words. '.repeat(4000);
const HEALTH = 'GET /health HTTP/1.1\r\nhost: a\r\n\r\n';

const settings = { workers: 1, plugins: ['token', 'character'] };
const client = await startServer(t, settings);
const strict = await startServer(t, { ...settings, requestTimeout: 1 });
const open = (t: Test, { port } = client) => openConnection(t, port);

/** Sends bytes, closes the sending side only if told so, and gives the one answer. */
async function answerTo(t: Test, bytes: Uint8Array | string) {
  const connection = await open(t);
  connection.socket.write(bytes);
  return until(() => connection.answers()[0]);
}

async function checkServes(t: Test, one: Client = client) {
  t.same((await one.get('/health')).json(), { status: 'ok' });
  const chunks = await one.chunk('token', { text: TEXT, chunk_size: 18 });
  t.equal(chunks.map(({ text }) => text).join('|'), PIECES.join('|'));
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

t.test('slow clients are ended, and others are served meanwhile', async (t) => {
  const request = postBytes(PATH, { text: 'x'.repeat(1000) });
  const slow = async (atOnce: number) => {
    const connection = await open(t, strict);
    connection.socket.write(request.subarray(0, atOnce));
    void dribble(connection, request.subarray(atOnce), 200);
    return connection;
  };
  const inHeaders = await Promise.all([1, 2, 3].map(() => slow(10)));
  const inBody = await Promise.all([1, 2, 3].map(() => slow(request.indexOf('{') + 5)));
  const unread = await open(t, strict);
  unread.socket.write(postBytes(PATH, { text: 'x'.repeat(200_000), chunk_size: 1 }));
  unread.socket.once('data', () => unread.socket.pause());
  await checkServes(t, strict);
  await Promise.all([...inHeaders, ...inBody].map(({ over }) => over()));
  t.equal(inHeaders[0]?.answers()[0]?.status, 408, 'those that are slow with their headers are told why');
  await checkServes(t, strict);
  // Only by reading does a client notice that its connection has ended; the server gives back what it held for it.
  await until(async () => (await metricOf(strict, 'bytes_in_flight')) === 0);
  unread.socket.resume();
  await until(() => unread.socket.closed || unread.answers().length > 0);
  // On a busy machine the work itself may take longer than a request may, which is a short answer.
  const got = unread.answers().filter(({ status }) => status !== 503);
  t.equal(got.length, 0, 'those that do not read their answer');
});

t.test('a client that closes its sending side early', async (t) => {
  const askHalfClosed = async (text: string) => {
    const connection = await open(t);
    connection.socket.end(postBytes(PATH, { text }));
    await connection.over();
    return connection.answers();
  };
  const [answer] = await askHalfClosed(TEXT);
  t.equal(answer && textOf(answer), TEXT, 'what is answered at once comes whole');
  // A client that goes away does the same, and work for nobody is stopped.
  const [long] = await askHalfClosed(LONG);
  t.ok(long === undefined || textOf(long) === LONG, 'longer work is given up, or answered whole');
  await checkServes(t);
});

t.test('answers that nobody reads are bytes in flight, beyond which others are refused', async (t) => {
  const full = await startServer(t, { ...settings, maxBodyBytes: 1_000_000, maxBytesInFlight: 1_500_000 });
  const text = 'x'.repeat(300_000);
  const unread = await Promise.all(Array.from({ length: 20 }, () => open(t, full)));
  for (const { socket } of unread) {
    socket.write(postBytes(PATH, { text, chunk_size: 1 }));
    socket.once('data', () => socket.pause());
  }
  const refused = () => unread.flatMap(({ answers }) => answers());
  await until(() => refused().length >= unread.length - 5);
  for (const answer of refused()) t.match(answer, { status: 503, headers: { 'retry-after': '1' } });
  const [reader, ...others] = unread.filter(({ answers }) => answers().length === 0);
  t.ok(others.length > 0, 'several are worked on');
  await checkServes(t, full);
  await until(() => reader?.socket.isPaused());
  reader?.socket.resume();
  const answer = await until(() => reader?.answers()[0]);
  t.ok(textOf(answer) === text, 'it comes whole to who begins to read');
  for (const { socket } of unread) socket.destroy();
  await until(async () => (await metricOf(full, 'bytes_in_flight')) === 0);
});

t.test('headers and addresses that are too long', async (t) => {
  const long = 'x'.repeat(20_000);
  for (const bytes of [head(PATH, { 'x-long': long }), head(`/${long}`, {})]) {
    const answer = await answerTo(t, bytes);
    t.equal(answer.status, 431);
    t.match(JSON.parse(answer.body), { detail: /headers are too large/ });
  }
  const address = await answerTo(t, head(`${PATH}/${'y'.repeat(8000)}`, { 'content-length': '0' }));
  t.equal(address.status, 404);
  t.ok(address.body.length < 1000, 'which is not repeated whole');
  await checkServes(t);
});

/** The first bytes that a client of TLS 1.2 sends. */
const CLIENT_HELLO = Buffer.from('160301002e0100002a0303', 'hex');

t.test('bytes that are not HTTP', async (t) => {
  const POST = `POST ${PATH} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n`;
  for (const [title, bytes] of [
    ['a ClientHello of TLS', CLIENT_HELLO],
    ['two lengths', `${POST}content-length: 1\r\ncontent-length: 2\r\n\r\n{}`],
  ] as const) {
    const connection = await open(t);
    connection.socket.write(bytes);
    await connection.over();
    t.match(connection.answers(), [{ status: 400, body: /"detail":"The request is not valid HTTP/ }], title);
  }
  const cutOff = await open(t);
  cutOff.socket.end(`${POST}content-length: 50\r\n\r\n{"text": "a`);
  await cutOff.over();
  t.match(cutOff.got(), /^$|^HTTP\/1\.1 400 /);
  await checkServes(t);
});

/** More than the buffers of a connection take, so that sending it ends only if the server reads. */
const MUCH = 20_000_000;
const OK_LINE = '{"text":"abc"}\n';
const linesHead = (headers: Record<string, string>) => head(PATH, { 'content-type': LINES, ...headers });

/** Waits until what came has something in it. */
async function untilGot({ socket, got, over }: Connection, pattern: RegExp): Promise<string> {
  while (!pattern.test(got())) {
    await Promise.race([once(socket, 'data'), over()]);
    if (socket.closed && !pattern.test(got())) throw new Error('the connection was closed');
  }
  return got();
}

const GZIP = { 'content-encoding': 'gzip' };
const BAD: readonly [title: string, headers: Record<string, string>, body: Buffer, detail: RegExp][] = [
  ['a first line that is wrong', {}, Buffer.from('[]\n'), /first line of the stream: expected an object/],
  ['what is not compressed', GZIP, Buffer.from('no gzip'), /not valid gzip/],
  ['what is compressed no longer', GZIP, gzipSync(`{}\n${OK_LINE}`).subarray(0, -8), /not valid gzip/],
];

for (const [title, headers, begin, detail] of BAD) {
  t.test(`${title}: who reads only when all is sent finds the answer, and goes on`, async (t) => {
    const connection = await open(t);
    connection.socket.pause();
    const body = Buffer.concat([begin, Buffer.alloc(MUCH, 'x')]);
    await connection.send(linesHead({ ...headers, 'content-length': String(body.length) }));
    await connection.send(body);
    connection.socket.resume();
    t.match(await untilGot(connection, /\r\n\r\n.*\}/s), /^HTTP\/1\.1 400 /);
    t.match(await untilGot(connection, detail), detail);
    await connection.send(HEALTH);
    t.match(await untilGot(connection, /"status":"ok"/), /HTTP\/1\.1 200 /);
  });
}

t.test('who goes on sending is cut off when the time for a request is over, nobody else', async (t) => {
  const connection = await open(t, strict);
  await connection.send(linesHead({ 'transfer-encoding': 'chunked' }));
  await connection.send('3\r\n[]\n\r\n');
  await untilGot(connection, /HTTP\/1\.1 400 /);
  const flow = setInterval(() => connection.socket.write(`5\r\naaaa\n\r\n`), 20);
  t.teardown(() => clearInterval(flow));
  await connection.over();
  t.equal((await strict.get('/health')).status, 200);
  // A request that was sent whole after its answer does not end its connection.
  const other = await open(t, strict);
  await other.send(linesHead({ 'content-length': '10' }));
  await other.send('[]\n');
  await untilGot(other, /HTTP\/1\.1 400 /);
  await other.send('xxxxxxx');
  for (let round = 0; round < 5; round++) {
    await other.send(HEALTH);
    await wait(300);
  }
  t.ok((other.got().match(/"status":"ok"/g)?.length ?? 0) >= 3);
  t.notOk(other.socket.destroyed);
});

t.test('what is not HTTP amid a stream ends its answer, and writes nothing into it', async (t) => {
  const connection = await open(t);
  const body = `{}\n${OK_LINE}`;
  await connection.send(linesHead({ 'transfer-encoding': 'chunked' }));
  await connection.send(`${body.length.toString(16)}\r\n${body}\r\n`);
  await untilGot(connection, /"text":"abc".*\n\r\n/);
  await connection.send('no length\r\n');
  await connection.over();
  t.equal(connection.got().match(/HTTP\/1\.1/g)?.length, 1);
  t.match(connection.got(), /\}\n\r\n$/, 'the last line is whole');
});
