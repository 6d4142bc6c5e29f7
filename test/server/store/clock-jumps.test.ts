import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { startProcess } from '../../support/process.ts';
import { temporaryFolder } from '../../support/server.ts';

/** Debian's faketime gives a process another system clock; here it leaves the monotonic one alone. */
const LIBRARY = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`)
  .find(existsSync);

const DAY = 86_400;
const TEXT = 'A sentence that is long enough. Another one! '.repeat(2000);

interface Pipeline {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly updated_at: string;
}

t.test('the clock of the machine jumps', { skip: LIBRARY ? false : 'faketime is not here' }, async (t) => {
  const folder = await temporaryFolder(t, { time: '+0' });
  const jump = (seconds: number) => writeFile(join(folder, 'time'), `${seconds < 0 ? '' : '+'}${seconds}`);
  const env = {
    LD_PRELOAD: LIBRARY as string,
    FAKETIME_TIMESTAMP_FILE: join(folder, 'time'),
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DATA_DIR: join(folder, 'data'),
    REQUEST_TIMEOUT: '20',
  };
  const server = startProcess(t, ['--host', '127.0.0.1', '--port', '0', '--workers', '1'], { env });
  const client = await server.listening();
  const create = async (name: string) => {
    const answer = await client.post('/v1/pipelines', { name, steps: [] });
    t.equal(answer.status, 201, name);
    return answer.json<Pipeline>();
  };
  const chunk = () => client.chunk('token', { text: TEXT });
  const before = await chunk();

  const first = await create('first');
  for (const seconds of [DAY, -400 * DAY, 0, 10_000 * DAY, -DAY]) {
    await jump(seconds);
    const [answer, { status }] = await Promise.all([chunk(), client.get('/ready')]);
    t.same(answer, before, `${seconds} s: the same answer`);
    t.equal(status, 200, `${seconds} s: ready`);
    await create(`after ${seconds}`);
  }
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ description: 'changed' });
  const changed = (
    await client.send(`/v1/pipelines/${first.id}`, { method: 'PUT', headers, body })
  ).json<Pipeline>();
  t.ok(changed.updated_at > changed.created_at, 'a change is later than what it changed');
  const listed = (await client.get('/v1/pipelines')).json<Pipeline[]>();
  t.same(
    listed.map(({ name }) => name),
    ['after -86400', 'after 864000000', 'after 0', 'after -34560000', 'after 86400', 'first'],
    'newest first, as they were made',
  );
  t.match(listed[1]?.created_at, /^205\d-/, 'the clock did jump');
  server.child.kill('SIGTERM');
  t.equal(await server.ended(), 0, 'it stops in time');
});
