import t from 'tap';
import { KillWriter } from '../soak/kill-writer.ts';
import { startProcess } from '../support/process.ts';
import { temporaryFolder } from '../support/server.ts';
import { type AnswerLine, openStream } from '../support/streams.ts';
import { until } from '../support/until.ts';

/** The one kill of every run; others are below folders named `processes`, and `npm run test:soak` has many. */

const LOCAL = ['--host', '127.0.0.1', '--port', '0', '--workers', '1', '--plugins', 'token,character'];
const MIN_LINES = 20;
const textOf = (index: number) => `${index} ${'é'.repeat(2000)}`;

t.test('a killed server has sent whole lines, and loses no pipeline that it answered', async (t) => {
  const args = [...LOCAL, '--data-dir', await temporaryFolder(t)];
  const server = startProcess(t, args);
  const client = await server.listening();
  const writers = ['a', 'b'].map((prefix) => new KillWriter(prefix));
  const writing = writers.map((writer) => writer.writeUntilKilled(client));
  const stream = openStream(`${client.url}/v1/chunk/token`);
  stream.request.on('error', () => {});
  const send = async () => {
    await stream.send({ chunk_size: 10_000 });
    for (let index = 0; ; index++) await stream.send({ text: textOf(index) });
  };
  // It ends with the connection.
  send().catch(() => {});
  const answer = await stream.response;
  const parts: Buffer[] = [];
  answer.on('data', (part: Buffer) => parts.push(part)).on('error', () => {});
  const closed = new Promise((resolve) => answer.once('close', resolve));
  const isWritten = async () => (await client.get('/v1/pipelines')).json<unknown[]>().length > 0;
  await until(async () => parts.length > MIN_LINES && (await isWritten()));
  server.child.kill('SIGKILL');
  await Promise.all([closed, ...writing]);

  t.notOk(answer.complete, 'the answer has no end');
  const lines = Buffer.concat(parts).toString().split('\n');
  // Of the last one only a part may have been sent, which its missing end shows.
  lines.pop();
  t.ok(lines.length > MIN_LINES);
  const wrong = lines.filter((line, index) => {
    const { index: found, chunks } = JSON.parse(line) as AnswerLine;
    return found !== index || chunks?.[0]?.text !== textOf(index);
  });
  t.same(wrong, []);

  const again = await startProcess(t, args).listening();
  const stored = (await again.get('/v1/pipelines')).json<never[]>();
  for (const writer of writers) {
    t.ok(writer.written > 0, `${writer.written} writes`);
    t.same(writer.check(stored), []);
  }
});
