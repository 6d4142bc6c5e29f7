import t, { type Test } from 'tap';
import { type Connection, openConnection, postBytes } from '../../server/http/connection.ts';
import { residentBytes } from '../../soak/resources.ts';
import { startProcess } from '../../support/process.ts';
import { metricOf } from '../../support/server.ts';
import { until } from '../../support/until.ts';

/** The memory of a server whose clients do not read, or say nothing. */

const MAX_IN_FLIGHT = 1_500_000;
const LIMITS = ['--max-body-bytes', '1000000', '--max-bytes-in-flight', String(MAX_IN_FLIGHT)];
const PLUGINS = ['--plugins', 'token,tokenizer/character'];
const PATH = '/v1/chunk/token';
const TEXT = 'Some text.';

const args = ['--host', '127.0.0.1', '--port', '0', '--workers', '1'];
const server = startProcess(t, [...args, ...PLUGINS, ...LIMITS]);
const client = await server.listening();

async function checkServes(t: Test) {
  t.equal((await client.get('/health')).status, 200);
  t.match(await client.chunk('token', { text: TEXT }), [{ text: TEXT }]);
}

t.test('clients that do not read their large answers', async (t) => {
  const body = { text: 'x'.repeat(300_000), chunk_size: 1 };
  const answerBytes = body.text.length * 64;
  const most = Math.floor(MAX_IN_FLIGHT / body.text.length);
  t.equal((await client.post('/v1/chunk/token', body)).status, 200);
  const before = heldBytes();
  const unread = await Promise.all(Array.from({ length: 20 }, () => askWithoutReading(t, client.port, body)));
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
  const { body: got } = await until(() => reader.answers()[0]);
  t.ok(got.match(/"text":"x"/g)?.length === body.text.length, 'it comes whole to who begins to read');
  for (const { socket } of unread) socket.destroy();
  await until(async () => (await metricOf(client, 'bytes_in_flight')) === 0);
});

t.test('500 connections that say nothing', async (t) => {
  const before = heldBytes();
  const idle = await Promise.all(Array.from({ length: 500 }, () => openConnection(t, client.port)));
  await checkServes(t);
  const grown = heldBytes() - before;
  t.ok(grown < 500 * 200_000, `${Math.round(grown / 500)} bytes for each`);
  t.equal(idle.filter(({ socket }) => socket.readyState === 'open').length, 500, 'none is thrown out');
  for (const connection of idle.slice(0, 10)) {
    connection.socket.write(postBytes(PATH, { text: TEXT }));
    const answer = await until(() => connection.answers()[0]);
    t.match(JSON.parse(answer.body), [{ text: TEXT }], 'one that begins to speak is answered');
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
