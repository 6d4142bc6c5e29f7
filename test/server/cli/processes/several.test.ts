import { createHash } from 'node:crypto';
import t, { type Test } from 'tap';
import { JOBS, STEPS } from '../../../support/jobs.ts';
import { plugin, pluginsFolder, WHOLE_TEXT } from '../../../support/plugins.ts';
import { noPostgres, startPostgres } from '../../../support/postgres.ts';
import { startProcess } from '../../../support/process.ts';
import { type Answer, temporaryFolder } from '../../../support/server.ts';
import { until } from '../../../support/until.ts';

/** A server of several processes does what one process does, and survives the end of one. */

const LOCAL = ['--host', '127.0.0.1', '--port', '0', '--processes', '2', '--workers', '2'];

/** Takes half a second in a worker thread. */
const SLOW = plugin(
  { kind: 'chunker', name: 'slow' },
  `export default () => ({ async chunk(text) {
    await new Promise((done) => setTimeout(done, 500));
    ${WHOLE_TEXT}
  } });`,
);

type Line = Readonly<Record<string, unknown>> & { readonly pid: number; readonly msg: string };

/** Starts a server of two processes, and waits until both answer. */
async function withTwo(t: Test, flags: readonly string[] = [], env: Record<string, string> = {}) {
  const own = { DATA_DIR: await temporaryFolder(t), PLUGINS_DIR: await pluginsFolder(t, SLOW), ...env };
  const server = startProcess(t, [...LOCAL, ...flags], { env: own });
  const client = await server.listening();
  const lines = () =>
    server
      .stdout()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line);
  // Each request has a connection of its own, which another process may take.
  const send = (path: string, init: RequestInit = {}): Promise<Answer> =>
    client.send(path, { ...init, headers: { connection: 'close', ...init.headers } });
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    send(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    });
  /** The processes that have answered. */
  const answering = () => new Set(lines().flatMap(({ msg, pid }) => (msg === 'answered' ? [pid] : [])));
  const both = async (before: ReadonlySet<number> = new Set()) =>
    until(async () => {
      await send('/health');
      const now = [...answering()].filter((pid) => !before.has(pid));
      return now.length >= 2 - before.size && now;
    });
  return { server, client, send, post, lines, answering, both };
}

type Two = Awaited<ReturnType<typeof withTwo>>;

/** How often a route was answered with a status, as `/metrics` says. */
async function countOf({ send }: Pick<Two, 'send'>, route: string, status = 200): Promise<number> {
  const text = (await send('/metrics')).bytes.toString();
  const found = text
    .split('\n')
    .filter((line) => line.startsWith('chunksmith_request_seconds_count') && line.includes(`"${route}"`))
    .filter((line) => line.includes(`status="${status}"`));
  return found.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

t.test('answers are those of one process, in whatever process', async (t) => {
  const two = await withTwo(t);
  await two.both();
  t.equal(two.lines().filter(({ msg }) => msg.startsWith('Server listening')).length, 1);
  const digests = new Set<string>();
  for (let time = 0; time < 10; time++) {
    const { status, bytes } = await two.post('/v1/chunk/token', { text: 'One. Two. '.repeat(4000) });
    t.equal(status, 200);
    digests.add(createHash('sha256').update(bytes).digest('hex'));
  }
  t.equal(digests.size, 1);
  t.equal(await countOf(two, '/v1/chunk/token'), 10, 'metrics are sums over both');
  t.equal(two.answering().size, 2);
  two.server.child.kill('SIGTERM');
  t.equal(await two.server.ended(), 0);
  t.equal(two.server.stderr(), '');
});

t.test('the rate limit, and that of wrong keys, count the requests of all processes', async (t) => {
  const limits = ['--rate-limit', '30', '--failed-key-limit', '4'];
  const { post, send } = await withTwo(t, limits, { API_KEYS: 'right' });
  await until(async () => (await send('/health')).status === 200);
  const right = { authorization: 'Bearer right' };
  const statuses = await Promise.all(
    Array.from({ length: 40 }, async () => (await post('/v1/chunk/token', { text: 'a' }, right)).status),
  );
  t.equal(statuses.filter((status) => status === 200).length, 30);
  t.equal(statuses.filter((status) => status === 429).length, 10);
  const wrong = [];
  for (let time = 0; time < 8; time++)
    wrong.push((await send('/metrics', { headers: { authorization: 'Bearer wrong' } })).status);
  t.same(wrong, [401, 401, 401, 401, 429, 429, 429, 429]);
});

t.test('a process that is killed under load is replaced, and its requests alone fail', async (t) => {
  const two = await withTwo(t);
  const [victim = 0] = await two.both();
  const before = await countOf(two, '/health');
  let isOver = false;
  const outcomes = { done: 0, wrong: 0, broken: 0 };
  const load = async () => {
    while (!isOver) {
      const answer = await two.post('/v1/chunk/slow', { text: 'x'.repeat(5000) }).catch(() => undefined);
      if (answer === undefined) outcomes.broken++;
      else if (answer.status === 200) outcomes.done++;
      else outcomes.wrong++;
    }
  };
  const clients = Array.from({ length: 8 }, load);
  await until(() => outcomes.done > 4);
  process.kill(victim, 'SIGKILL');
  const here = new Set(two.answering());
  await until(() => [...two.answering()].some((pid) => !here.has(pid)));
  isOver = true;
  await Promise.all(clients);
  t.equal(outcomes.wrong, 0);
  t.ok(outcomes.broken <= clients.length, `${outcomes.broken} requests failed`);
  t.match(
    two.lines().filter(({ msg }) => msg.startsWith('a process has ended')),
    [{ level: 'warn', process: victim, how: 'SIGKILL' }],
  );
  t.ok((await countOf(two, '/health')) >= before, 'sums do not fall');
  // In flight when the server stops.
  const last = Array.from({ length: 4 }, () => two.post('/v1/chunk/slow', { text: 'x'.repeat(5000) }));
  const waiting = () => two.send('/metrics').then(({ bytes }) => /queue_depth [1-9]/.test(bytes.toString()));
  await until(waiting);
  two.server.child.kill('SIGTERM');
  t.same(
    (await Promise.all(last)).map(({ status }) => status),
    [200, 200, 200, 200],
  );
  t.equal(await two.server.ended(), 0);
});

t.test('what cannot start says so once, and ends the start', async (t) => {
  const two = await withTwo(t);
  const taken = startProcess(t, [...LOCAL, '--port', String(two.client.port)]);
  t.equal(await taken.ended(), 2);
  t.equal(taken.stderr().match(/the port is in use/g)?.length, 1);
  const memory = startProcess(t, [...LOCAL, '--store', 'memory']);
  t.equal(await memory.ended(), 2);
  t.match(memory.stderr(), '--store memory: several processes do not share it');
});

/** Pipelines, jobs and idempotency keys are the same everywhere. */
async function sharesItsStore(t: Test, env: Record<string, string>): Promise<void> {
  const texts = Array.from({ length: 300 }, (_, at) => `{"id":"d${at}","text":"one two three ${at}"}\n`);
  const root = await temporaryFolder(t, { 'in.jsonl': texts.join('') });
  const flags = ['--bulk-root', root, '--bulk-shard-bytes', '1000'];
  const { post, send, both } = await withTwo(t, flags, env);
  await both();
  const { id } = (await post('/v1/pipelines', { name: 'shared', steps: STEPS })).json<{ id: string }>();
  for (let time = 0; time < 6; time++) t.equal((await send(`/v1/pipelines/${id}`)).status, 200);
  t.equal((await post(`/v1/pipelines/${id}/execute`, { text: 'one two' })).status, 200);
  const request = { source: { path: 'in.jsonl' }, target: { path: 'out' }, steps: STEPS };
  const made = await Promise.all(
    Array.from({ length: 6 }, () => post(JOBS, request, { 'idempotency-key': 'once' })),
  );
  const ids = new Set(made.map((answer) => answer.json<{ id: string }>().id));
  t.equal(ids.size, 1, `${made.map(({ status, bytes }) => `${status} ${bytes}`)}`);
  const [job = ''] = ids;
  const ended = await until(async () => {
    const { state } = (await send(`${JOBS}/${job}`)).json<{ state: string }>();
    return ['done', 'failed'].includes(state) && state;
  });
  t.equal(ended, 'done');
  const shards = (await send(`${JOBS}/${job}/shards`)).json<{ attempt: number }[]>();
  t.ok(shards.length > 5, `${shards.length} shards`);
  const documents = await countDocuments({ send });
  t.equal(documents, 300, 'each document is worked on once');
}

async function countDocuments({ send }: Pick<Two, 'send'>): Promise<number> {
  const text = (await send('/metrics')).bytes.toString();
  return Number(/^chunksmith_bulk_documents_total\{result="done"\} (\d+)$/m.exec(text)?.[1]);
}

t.test('its processes share a file of SQLite', (t) => sharesItsStore(t, {}));

t.test('its processes share a database of PostgreSQL', { skip: noPostgres }, async (t) => {
  const postgres = await startPostgres(t);
  await sharesItsStore(t, { DATABASE_URL: await postgres.newDatabase() });
});
