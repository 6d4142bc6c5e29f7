import { getEventListeners } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import t from 'tap';
import { answerLines, Throughput } from '../../../../server/engine/run/stream.ts';
import { answersOf, anyFates, type Fate, fatefulRunner, newLoad, sent, streamOf } from './line-streams.ts';

const LIMIT = 200;
const GROUP_BYTES = 262_144;
const harmless = (count: number): Fate[] =>
  Array.from({ length: count }, (_, index) => ({ id: `d${index}` }));

/** What is to stand in the answer to a line. */
function statusOf(fate: Omit<Fate, 'id'> | 'too long'): number {
  if (fate === 'too long') return 413;
  if (fate.fails === 'timed_out') return 503;
  return fate.fails === undefined ? 200 : 500;
}

t.test('each line is answered once and in its order, whatever takes long and whatever fails', async () => {
  const property = fc.asyncProperty(
    anyFates(60),
    fc.integer({ min: 1, max: 400 }),
    fc.integer({ min: 1, max: 4 }),
    fc.scheduler(),
    async (kinds, size, slots, scheduler) => {
      const fates = kinds.map((kind, index) => (kind === 'too long' ? kind : { ...kind, id: `d${index}` }));
      const load = newLoad();
      // The runs end in any order.
      const runner = fatefulRunner(() => scheduler.schedule(Promise.resolve()), load);
      const stream = streamOf(sent(fates, size, LIMIT), { runner, slots, limit: LIMIT });
      const found = await scheduler.waitFor(answersOf(stream));
      const shown = found.map(({ index, id, error }) => [index, id, error?.status ?? 200].join());
      const expected = fates.map((fate, index) =>
        [index, fate === 'too long' ? undefined : fate.id, statusOf(fate)].join(),
      );
      if (shown.join(' ') !== expected.join(' ')) throw new Error(shown.join(' '));
      if (load.maxRunning > slots) throw new Error(`${load.maxRunning} groups at once`);
    },
  );
  await fc.assert(property, { numRuns: 60 });
});

t.test('a source that fails in the middle has all lines before it answered, and then says so', async (t) => {
  const brokenOff = async function* (count: number) {
    yield* sent(harmless(count), 50);
    yield Buffer.from('{"id":"not compl');
    throw new Error('broken off');
  };
  const early = answersOf(streamOf(brokenOff(0), {}));
  await t.rejects(early, /broken off/, 'before a line the whole request fails');
  for (const count of [1, 7, 100]) {
    const failures: unknown[] = [];
    const source = brokenOff(count);
    const found = await answersOf(streamOf(source, { onFailure: (error) => failures.push(error) }));
    t.equal(found.length, count + 1);
    const expected = harmless(count).map(({ id }, index) => ({ index, id }));
    const answered = found.slice(0, count).map(({ index, id }) => ({ index, id }));
    t.same(answered, expected);
    t.match(found.at(-1), { index: count, error: { status: 500 } });
    t.equal(failures.length, 1);
  }
});

t.test('what is wrong with the whole request is thrown, and a line after the first answer', async (t) => {
  const refused = [{ id: 'a', refuses: true }, ...harmless(5)];
  await t.rejects(answersOf(streamOf(sent(refused, 1000), {})), { code: 'unknown_tokenizer' });
  const later = [...harmless(3), { id: 'b', refuses: true }];
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => failures.push(error);
  const found = await answersOf(streamOf(sent(later, 1000), { onFailure }));
  t.match(found.at(-1), { index: 3, id: 'b', error: { status: 400, detail: /tokenizer/ } });
  t.equal(found.length, 4);
  t.equal(failures.length, 1);
});

t.test('what is held does not grow with the stream, and all of it is told', async (t) => {
  const slots = 3;
  const filled = harmless(100).map((fate) => ({ ...fate, filling: 'x'.repeat(1000) }));
  const piece = 65_536;
  let [told, maxReported, pulled] = [0, 0, 0];
  const endless = (async function* () {
    for (;;) {
      for await (const bytes of sent(filled, piece)) {
        pulled += bytes.length;
        if (pulled > 100_000_000) throw new Error('it reads without end');
        yield bytes;
      }
    }
  })();
  const load = newLoad();
  const stream = streamOf(endless, {
    slots,
    runner: fatefulRunner(() => turn(), load),
    onHeld: (bytes) => {
      told = bytes;
      maxReported = Math.max(maxReported, told);
    },
  });
  const answers = answerLines(stream);
  let lines = 0;
  while (lines < 5000) lines += countLines((await answers.next()).value?.bytes);
  const most = (slots + 1) * GROUP_BYTES + piece;
  t.ok(maxReported > 2000 && maxReported <= most, `${maxReported} of at most ${most} bytes are held`);
  t.ok(load.maxBytes <= slots * GROUP_BYTES, `${load.maxBytes} bytes are worked on`);
  // Nobody takes an answer any more: it works and reads on until all groups are done and one is ready.
  const before = pulled;
  for (let round = 0; round < 300; round++) await turn();
  t.ok(pulled - before <= most, `${pulled - before} bytes were read on`);
  t.equal(load.running, 0);
  await answers.return(undefined);
});

const countLines = (bytes: Uint8Array | undefined) => (bytes ?? []).filter((byte) => byte === 0x0a).length;

t.test('at the end nothing is held, and nothing listens', async (t) => {
  let told = -1;
  const onHeld = (bytes: number) => {
    told = bytes;
  };
  const stream = streamOf(sent(harmless(500), 333), { onHeld });
  await answersOf(stream);
  t.equal(told, 0);
  t.same(getEventListeners(stream.signal, 'abort'), []);
});

t.test('a stream that is stopped stops its work, and leaves no listeners', async (t) => {
  const stop = new AbortController();
  const load = newLoad();
  const never = new Promise(() => {});
  const source = (async function* () {
    yield* sent(harmless(20), 1000);
    await never;
  })();
  const stream = streamOf(source, { signal: stop.signal, runner: fatefulRunner(() => never, load) });
  const reading = answersOf(stream);
  while (load.running < stream.slots) await turn();
  stop.abort(new Error('gone'));
  await t.rejects(reading, /gone/);
  t.equal(load.running, 0);
  t.equal(load.runs, stream.slots, 'nothing is begun any more');
  t.same(getEventListeners(stop.signal, 'abort'), []);
});

t.test('while a group is in work, the next one is started when it is full', async (t) => {
  const rate = new Throughput().of([]);
  await answersOf(streamOf(sent(harmless(100), 65_536), { rate }));
  const filled = harmless(1000).map((fate) => ({ ...fate, filling: 'x'.repeat(1000) }));
  const load = newLoad();
  const aWhile = async () => {
    for (let round = 0; round < 200; round++) await turn();
  };
  const found = await answersOf(
    streamOf(sent(filled, 4000), { rate, slots: 100, runner: fatefulRunner(aWhile, load) }),
  );
  t.equal(found.length, 1000);
  t.ok(load.runs <= 8, `${load.runs} runs for 1 MB`);
});

t.test('lines that are quick go together, and answers come before further lines are read', async (t) => {
  const load = newLoad();
  const runner = fatefulRunner(() => Promise.resolve(), load);
  const found = await answersOf(streamOf(sent(harmless(2000), 65_536), { runner }));
  t.equal(found.length, 2000);
  t.ok(load.runs < 1000, `${load.runs} runs`);
  // One line is sent only after the answer to the one before.
  const next: (() => void)[] = [];
  const slow = (async function* () {
    for (const fate of harmless(3)) {
      yield Buffer.from(`${JSON.stringify(fate)}\n`);
      await new Promise<void>((resolve) => next.push(resolve));
    }
  })();
  const answers = answerLines(streamOf(slow, {}));
  for (let index = 0; index < 3; index++) {
    t.match(JSON.parse(Buffer.from((await answers.next()).value?.bytes ?? []).toString()), { index });
    while (next.length === 0) await turn();
    next.shift()?.();
  }
  t.equal((await answers.next()).done, true);
});
