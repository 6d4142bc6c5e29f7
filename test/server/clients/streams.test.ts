import { setTimeout as sleep } from 'node:timers/promises';
import { Chunksmith } from 'chunksmith/client';
import t, { type Test } from 'tap';
import { startServer } from '../../support/server.ts';
import { startRefusingProxy } from './refusing-proxy.ts';

/** Streams of the JavaScript client: as one request, as Node can, and as one for every few documents, as browsers have to. */

const server = await startServer(t);
const proxy = await startRefusingProxy(t, server.url);
const client = new Chunksmith({ baseUrl: server.url });

for (const way of ['one request', 'batches'] as const) {
  t.test(`as ${way}`, async (t) => {
    if (way === 'batches') sendBatches(t);

    t.test('a source that waits for the answer to its last document gets it', async (t) => {
      const answered: (() => void)[] = [];
      async function* source() {
        for (let id = 0; id < 3; id++) {
          const isAnswered = new Promise<void>((resolve) => answered.push(resolve));
          yield { id: String(id), text: 'A document.' };
          await isAnswered;
        }
      }
      const lines = [];
      for await (const { index, id } of client.stream('token', source())) {
        lines.push(`${index} ${id}`);
        answered.at(-1)?.();
      }
      t.same(lines, ['0 0', '1 1', '2 2']);
    });

    t.test('many documents, some of which fail, are answered in their order', async (t) => {
      const documents = Array.from({ length: 2500 }, (_, index) => ({
        text: index % 1000 === 7 ? (7 as unknown as string) : `Document ${index} 👍.`,
      }));
      const lines = await all(client.stream('token', documents, { chunk_size: 6 }));
      for (const [place, { index, error }] of lines.entries())
        if (index !== place || error?.status !== (place % 1000 === 7 ? 400 : undefined))
          t.fail(`at ${place}`);
      t.equal(lines.length, 2500);
      t.equal(lines[2400]?.chunks?.map(({ text }) => text).join(''), documents[2400]?.text);
    });

    t.test('a source that is left is told so, and no more is taken', async (t) => {
      let isLeft = false;
      async function* endless() {
        try {
          for (;;) yield { text: 'A document that does not end. '.repeat(10_000) };
        } finally {
          isLeft = true;
        }
      }
      for await (const { index } of client.stream('token', endless())) if (index === 3) break;
      await new Promise((resolve) => setImmediate(resolve));
      t.ok(isLeft);
    });

    t.test('what a source throws is thrown', async (t) => {
      async function* broken() {
        yield { text: 'One.' };
        throw new RangeError('no more');
      }
      await t.rejects(all(client.stream('token', broken())), new RangeError('no more'));
    });

    t.test('what a source throws while answers are read is thrown at its turn', async (t) => {
      async function* broken() {
        for (let index = 0; index < 1000; index++) yield { text: 'One.' };
        await sleep(20);
        throw new RangeError('no more');
      }
      let answers = 0;
      const reading = (async () => {
        for await (const _ of client.stream('token', broken())) if (++answers === 1) await sleep(100);
      })();
      await t.rejects(reading, new RangeError('no more'));
    });

    t.test('an answer that is cut off is no end', async (t) => {
      const cut = new Chunksmith({ baseUrl: proxy.url(`cut ${way}`, 'cut') });
      await t.rejects(all(cut.stream('token', [{ text: 'One.' }])), { code: 'cut_off' });
    });

    t.test('a signal ends it, also while the source is waited for', async (t) => {
      const controller = new AbortController();
      async function* silent() {
        yield { text: 'One.' };
        await new Promise(() => {});
      }
      const lines = client.stream('token', silent(), {}, { signal: controller.signal });
      t.match(await lines.next(), { value: { index: 0 } });
      const next = lines.next();
      // By now all is answered, and the source alone is waited for.
      await sleep(200);
      controller.abort(new Error('enough'));
      await t.rejects(next, new Error('enough'));
    });
  });
}

t.test('a batch that is refused is sent again', async (t) => {
  sendBatches(t);
  const refused = new Chunksmith({ baseUrl: proxy.url('again', '503-0,429-0') });
  t.equal((await all(refused.stream('token', [{ text: 'One.' }, { text: 'Two.' }]))).length, 2);
  t.equal(proxy.seen('again'), 3);
});

/** The client sends batches where it cannot know that an answer comes before all is sent. */
function sendBatches(t: Test): void {
  Object.assign(globalThis, { Bun: {} });
  t.teardown(() => Reflect.deleteProperty(globalThis, 'Bun'));
}

async function all<T>(lines: AsyncIterable<T>): Promise<T[]> {
  const found = [];
  for await (const line of lines) found.push(line);
  return found;
}
