import { setImmediate as nextTurn } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { ServiceError } from '../../../../core/errors.ts';
import { type Config, configOf } from '../../../../server/config/config.ts';
import { type Executor, type RunAnswer, runWork, type Work } from '../../../../server/engine/run/executor.ts';
import { Runner, type RunnerOptions } from '../../../../server/engine/run/runner.ts';
import { chunker, plugin, pluginsFolder, WHOLE_TEXT } from '../../../support/plugins.ts';
import { composeQuietly } from '../../../support/service.ts';
import { until } from '../../../support/until.ts';

const LIGHT = { light: true };
const HEARS = `await new Promise((_, fail) =>
  context.signal.addEventListener('abort', () => fail(new Error('the plugin says something else'))));`;
const KEEPS_BUSY = `for (const end = performance.now() + 20; performance.now() < end; ); ${WHOLE_TEXT}`;
const CHARACTERS = `export default () => ({ names: () => ['weighty'], open: async (name) => ({
  name,
  tokenize: (text) => ({
    count: (start, end) => end - start,
    ends: () => Uint32Array.from(text, (_, index) => index + 1),
  }),
}) });`;

const gone = new ServiceError('client_gone');
const SMALL = 'a b c';
const LARGE = 'a b c '.repeat(5000);

/** A service, and how often it has read a body. */
async function countingService(config: Config) {
  const { service } = await composeQuietly(config);
  let reads = 0;
  const read = service.read.bind(service);
  service.read = (...given) => {
    reads++;
    return read(...given);
  };
  return { service, reads: () => reads };
}

/** A runner of the real service; its worker thread is this thread, with a count of its own. */
async function createTestRunner(
  t: Test,
  given: Partial<RunnerOptions['config']> = {},
  hold: Promise<void> = Promise.resolve(),
) {
  const folder = await pluginsFolder(
    t,
    chunker('whole', WHOLE_TEXT, LIGHT),
    chunker('counted', WHOLE_TEXT, { ...LIGHT, uses: ['tokenizer'] }),
    chunker('weighed', WHOLE_TEXT),
    chunker('hears', HEARS, LIGHT),
    chunker('keeps-busy', KEEPS_BUSY, LIGHT),
    plugin({ kind: 'tokenizer', name: 'weighty', models: ['weighty'] }, CHARACTERS),
  );
  const config = configOf({ workers: 1, inlineBytes: 1000, ...given, pluginsDir: [folder] });
  const here = await countingService(config);
  const there = await countingService(config);
  const works: Work[] = [];
  const pool: Executor = {
    async run(work, signal) {
      works.push(work);
      await hold;
      return runWork(there.service, work, signal);
    },
    async runBulk() {},
    async startThread() {},
    startThreads() {},
    threads: 1,
    close: async () => {},
  };
  const runner = new Runner({
    config,
    service: here.service,
    pool: config.workers === 0 ? undefined : pool,
  });
  const run = (name: string, text: string, options: object = {}, stop = new AbortController()) =>
    runner.run({ run: 'chunk', name }, Buffer.from(JSON.stringify({ text, ...options })), stop);
  return { runner, run, works, reads: () => [here.reads(), there.reads()] };
}

const textsOf = ({ bytes }: RunAnswer) =>
  (JSON.parse(Buffer.from(bytes).toString()) as { text: string }[]).map(({ text }) => text);

t.test('a body is parsed once, by the worker if it is large or its plugin not light', async (t) => {
  const weighty = { tokenizer: 'weighty' };
  for (const [what, name, text, options, expected, inThread] of [
    ['a small body', 'whole', SMALL, {}, [1, 0], undefined],
    ['a large body', 'whole', LARGE, {}, [0, 1], 'task'],
    ['a small body of a plugin that is not light', 'weighed', SMALL, {}, [0, 1], 'task'],
    ['a small body with a tokenizer that is not light', 'counted', SMALL, weighty, [1, 0], 'request'],
  ] as const) {
    const { run, reads, works } = await createTestRunner(t);
    t.same(textsOf(await run(name, text, options)), [text]);
    t.same(reads(), expected, `${what}: reads on the event loop and in the thread`);
    t.equal(works.length, inThread === undefined ? 0 : 1, what);
    if (inThread !== undefined) t.ok(inThread in (works[0] as Work), what);
  }
});

t.test('without worker threads everything runs here, and is parsed once too', async (t) => {
  const { run, reads } = await createTestRunner(t, { workers: 0 });
  for (const [text, name] of [SMALL, LARGE].flatMap(
    (text) =>
      [
        [text, 'whole'],
        [text, 'weighed'],
      ] as const,
  ))
    t.same(textsOf(await run(name, text)), [text]);
  t.same(reads(), [4, 0]);
});

/** Makes the plugin, so that its next task ends in the turn of the event loop in which it begins. */
async function warmUp(run: (name: string, text: string) => Promise<unknown>): Promise<void> {
  await run('keeps-busy', SMALL);
  for (let turns = 0; turns < 3; turns++) await nextTurn();
}

t.test('work is admitted before it is parsed', async (t) => {
  const { promise: hold, resolve: goOn } = Promise.withResolvers<void>();
  const { run, reads, works, runner } = await createTestRunner(t, { queueSize: 0 }, hold);
  const large = run('whole', LARGE);
  await t.rejects(run('whole', LARGE), { code: 'overloaded' });
  await t.rejects(run('weighed', SMALL), { code: 'overloaded' }, 'what is not light waits for a thread too');
  t.equal(works.length, 1);
  t.same(reads(), [0, 0]);
  t.ok(runner.isFullFor(LARGE.length));
  t.notOk(runner.isFullFor(SMALL.length));
  goOn();
  await large;
  t.notOk(runner.isFullFor(LARGE.length));

  await warmUp(run);
  const busy = run('keeps-busy', SMALL);
  const next = busy.then(() => run('whole', SMALL));
  await busy;
  const [before] = reads();
  await t.rejects(next, { code: 'overloaded' }, 'the event loop has had enough in this turn');
  t.equal(reads()[0], before);
});

t.test('work that is stopped answers with the reason, not with what the plugin made of it', async (t) => {
  const { run } = await createTestRunner(t);
  const stop = new AbortController();
  const answer = run('hears', SMALL, {}, stop);
  setTimeout(() => stop.abort(gone), 50);
  t.equal(await answer.catch((error: unknown) => error), gone);
});

t.test('a task that waits is dropped when it is stopped', async (t) => {
  const { promise: hold, resolve: goOn } = Promise.withResolvers<void>();
  const { run, reads, works, runner } = await createTestRunner(t, { queueSize: 5 }, hold);
  const running = run('whole', LARGE);
  const stop = new AbortController();
  const waiting = run('whole', LARGE, {}, stop);
  const behind = run('whole', LARGE);
  await until(async () => runner.load().waiting === 2);
  stop.abort(gone);
  t.equal(await waiting.catch((error: unknown) => error), gone);
  t.equal(runner.load().waiting, 1);
  goOn();
  await Promise.all([running, behind]);
  t.equal(works.length, 2, 'it was never run');
  t.same(reads(), [0, 2], 'nor read');
  t.equal(runner.load().waiting, 0);
});

t.test('a task that waits for the event loop is dropped when it is stopped', async (t) => {
  const { run, reads, runner } = await createTestRunner(t);
  await warmUp(run);
  await run('keeps-busy', SMALL);
  const stop = new AbortController();
  const waiting = run('whole', SMALL, {}, stop);
  t.equal(runner.load().waiting, 1);
  stop.abort(gone);
  t.equal(await waiting.catch((error: unknown) => error), gone);
  t.equal(runner.load().waiting, 0);
  await t.rejects(run('whole', SMALL, {}, stop), gone, 'nor does who is gone already begin');
  t.same(reads(), [2, 0]);
});

t.test('the time in the queue is told', async (t) => {
  const { promise: hold, resolve: goOn } = Promise.withResolvers<void>();
  const { run } = await createTestRunner(t, { queueSize: 5 }, hold);
  const [first, second] = [run('whole', LARGE), run('whole', LARGE)];
  setTimeout(goOn, 100);
  t.ok((await first).queueSeconds < 0.09);
  t.ok((await second).queueSeconds > 0.09);
});
