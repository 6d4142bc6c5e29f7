import { createHmac } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { JobAnswer } from '../../../server/jobs/job-answer.ts';
import { startReceiver } from '../../support/callback-receiver.ts';
import { createJob, GATED, JOBS, jobOf, startJobServer, untilState } from '../../support/jobs.ts';
import { pluginsFolder } from '../../support/plugins.ts';
import { until } from '../../support/process.ts';

/** Callbacks of jobs that are over. */

const SECRET = 'a-secret-of-some-length';
const pluginsDir = [await pluginsFolder(t, GATED)];
const config = { bulkCallbackPrivate: true, bulkCallbackSecret: SECRET, pluginsDir };
const server = await startJobServer(t, { 'kb/a.txt': 'one' }, config);
const source = { path: 'kb' };

/** Whether a body has the signature of its header, by the documented rule. */
function isSigned(header: string, body: Buffer): boolean {
  const [, time, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? [];
  return createHmac('sha256', SECRET).update(`${time}.${body}`).digest('hex') === signature;
}

t.test('a job that is done is posted, signed, as GET answers it', async (t) => {
  const receiver = await startReceiver(t);
  const { id } = await createJob(server, { source, callback: receiver.url });
  await untilState(server, id, 'done');
  await until(() => receiver.received.length > 0);
  const { headers, body } = receiver.at(0);
  t.match(headers, { 'x-chunksmith-event': 'job.done', 'content-type': 'application/json' });
  t.ok(isSigned(String(headers['x-chunksmith-signature']), body), 'the signature fits');
  const { bytes_per_second: _, ...told } = JSON.parse(body.toString()) as JobAnswer;
  t.match(await jobOf(server, id), told);
});

t.test('one that is cancelled is told too, and once more when it was retried', async (t) => {
  const receiver = await startReceiver(t);
  const gate = join(server.root, 'gate');
  const steps = [{ type: 'chunk', chunker: 'gated', config: { gate } }];
  const { id } = await createJob(server, { source, steps, callback: receiver.url });
  await untilState(server, id, 'running');
  await server.post(`${JOBS}/${id}/cancel`, '');
  await until(() => receiver.received.length > 0);
  t.equal(receiver.at(0).headers['x-chunksmith-event'], 'job.cancelled');
  await writeFile(gate, '');
  await server.post(`${JOBS}/${id}/retry`, '');
  await untilState(server, id, 'done');
  await until(() => receiver.received.length > 1);
  t.equal(receiver.at(1).headers['x-chunksmith-event'], 'job.done');
  const ids = receiver.received.map(({ headers }) => headers['x-chunksmith-id']);
  t.equal(new Set(ids).size, 2, 'two events');
});

t.test('a receiver that is away for a moment gets it later, with the same id', async (t) => {
  let count = 0;
  const receiver = await startReceiver(t, (_request, response) => {
    response.writeHead(++count === 1 ? 503 : 204).end();
  });
  const { id } = await createJob(server, { source, callback: receiver.url });
  await untilState(server, id, 'done');
  await until(() => receiver.received.length > 1);
  t.equal(receiver.at(0).headers['x-chunksmith-id'], receiver.at(1).headers['x-chunksmith-id']);
});

t.test('a receiver that refuses is asked once, and the job stays done', async (t) => {
  const receiver = await startReceiver(t, (_request, response) => void response.writeHead(410).end());
  const { id } = await createJob(server, { source, callback: receiver.url });
  await until(() => receiver.received.length > 0);
  const other = await startReceiver(t);
  await createJob(server, { source, callback: other.url });
  await until(() => other.received.length > 0);
  t.equal(receiver.received.length, 1);
  t.match(await jobOf(server, id), { state: 'done', error: null });
});

t.test('a name that leads to a private address is not called', async (t) => {
  const receiver = await startReceiver(t);
  const strict = await startJobServer(t, { 'kb/a.txt': 'one' }, { bulkCallbackSecret: SECRET });
  const callback = `http://localhost:${receiver.port}/done`;
  const { id } = await createJob(strict, { source, callback });
  await untilState(strict, id, 'done');
  await until(async () =>
    (await strict.get('/metrics')).bytes.toString().includes('chunksmith_bulk_shards{state="failed"} 1'),
  );
  t.equal(receiver.received.length, 0);
});
