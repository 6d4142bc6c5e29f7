import t from 'tap';
import { GuardedThread, OverLimitError } from '../../../../server/engine/run/guarded-thread.ts';

const MEGABYTE = 1_048_576;
/** Of the process, until a thread that takes memory as fast as it can is ended. */
const MAX_GROWTH = 400_000_000;
const LIMITS = { memory: 64 * MEGABYTE, time: 10_000, start: 30_000 };

/**
 * A thread that does with each message what this program says, and answers what it comes to.
 *
 * @param first what it does before it begins with a message
 */
function open(
  program: string,
  limits: Partial<typeof LIMITS> = {},
  first = '() => true',
): GuardedThread<unknown> {
  const entry = `import { parentPort } from 'node:worker_threads';
    const kept = [];
    const wait = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    parentPort.on('message', (message) => {
      if ((${first})()) parentPort.postMessage('begun');
      parentPort.postMessage((${program})(message, kept));
    });`;
  const url = new URL(`data:text/javascript,${encodeURIComponent(entry)}`);
  return new GuardedThread(url, { ...LIMITS, ...limits });
}

t.test('a thread answers one message after the other, until it is closed', async (t) => {
  const thread = open('(message, kept) => kept.push(message)');
  t.same([await thread.ask('a'), await thread.ask('b')], [1, 2]);
  t.notOk(thread.isOver);
  await thread.close();
  await t.rejects(thread.ask('c'), /it was closed/);
});

t.test('a thread may make much garbage', async (t) => {
  const thread = open(
    '() => { let sum = 0; for (let at = 0; at < 3e7; at++) sum += [at, at].length; return sum; }',
  );
  t.equal(await thread.ask('go'), 6e7);
  await thread.close();
});

for (const [what, program, why, limits] of [
  ['heap', '(_, kept) => { for (;;) kept.push({ one: kept.length }); }', /more memory than a file may/],
  [
    'a heap that grows by leaps',
    '(_, kept) => { const map = new Map(); for (let at = 0; ; at++) map.set(at, kept); }',
    /more memory than a file may/,
  ],
  ['numbers', '(_, kept) => { for (;;) kept.push(0.5); }', /more memory than a file may/],
  [
    'memory outside of the heap',
    '(_, kept) => { for (;;) kept.push(Buffer.alloc(1e6, 1)); }',
    /more memory than a file may/,
  ],
  ['time', '() => { for (;;); }', /longer than 0.2 s/, { time: 200 }],
] as const) {
  t.test(`a thread that takes more than its limit is ended: ${what}`, async (t) => {
    const before = process.memoryUsage.rss();
    let most = before;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 5);
    t.teardown(() => clearInterval(watch));
    const thread = open(program, limits);
    const error = await thread.ask('go').catch((reason: unknown) => reason);
    t.match(String(error), why);
    t.ok(error instanceof OverLimitError);
    t.ok(thread.isOver);
    await t.rejects(thread.ask('again'), why, 'and asked no more');
    t.ok(most - before < MAX_GROWTH, `${most - before} bytes`);
  });
}

t.test('the time of an answer counts from when the thread begins with the message', async (t) => {
  const thread = open("() => 'read'", { time: 100 }, '() => (wait(400), true)');
  t.equal(await thread.ask('go'), 'read');
  t.equal(await thread.ask('more'), 'read');
  await thread.close();
});

for (const [what, first, why] of [
  ['does not begin', '() => wait(60_000)', 'it has not started within 0.5 s'],
  ['ends itself', '() => process.exit(7)', 'it ended its thread with status 7'],
  ['throws where nobody waits', "() => { throw new Error('always') }", 'always'],
] as const) {
  t.test(`a thread that ${what} is no matter of what it reads`, async (t) => {
    const thread = open('() => {}', { start: what === 'does not begin' ? 500 : 30_000 }, first);
    const error = await thread.ask('go').catch((reason: unknown) => reason);
    t.equal((error as Error).message, why);
    t.notOk(error instanceof OverLimitError);
    t.ok(thread.isOver);
  });
}
