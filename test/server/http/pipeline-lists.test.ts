import { randomUUID } from 'node:crypto';
import t from 'tap';
import { create, PATH, type Pipeline } from '../../support/pipelines.ts';
import { FIXTURES } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { type Answer, startServer } from '../../support/server.ts';
import { onBothDatabases } from '../../support/stores.ts';

await onBothDatabases(t, async (t, fresh) => {
  const client = await startServer(t, { ...(await fresh()), pluginsDir: [FIXTURES] });

  await t.test('lists, whole and in pages', async (t) => {
    for (let round = 0; round < 11; round++)
      await Promise.all(Array.from({ length: 50 }, () => create(client)));
    const whole = await client.get(PATH);
    t.match(whole.headers.get('content-type'), /^application\/json/);
    const all = whole.json<Pipeline[]>();
    t.equal(all.length, 550, 'more than are read at once');
    const times = all.map((one) => one.created_at);
    t.same(times, [...times].sort().reverse());
    for (const limit of [7, 100, 1000]) {
      const paged: Pipeline[] = [];
      let next: string | undefined = `${PATH}?limit=${limit}`;
      while (next !== undefined) {
        const answer: Answer = await client.get(next);
        paged.push(...answer.json<Pipeline[]>());
        const [, link] = /^<(.+)>; rel="next"$/.exec(answer.headers.get('link') ?? '') ?? [];
        t.equal(link === undefined, answer.headers.get('x-next-cursor') === null);
        next = link === undefined ? undefined : PATH + new URL(link, client.url + next).search;
      }
      t.same(paged, all, `pages of ${limit}`);
    }
    const cursor = (await client.get(`${PATH}?limit=3`)).headers.get('x-next-cursor');
    t.same((await client.get(`${PATH}?cursor=${cursor}`)).json(), all.slice(3), 'a cursor without a limit');
    t.equal((await client.send(PATH, { method: 'HEAD' })).status, 200);
  });

  await t.test('bad queries', async (t) => {
    const cursor = (text: string) => `cursor=${Buffer.from(text).toString('base64url')}`;
    for (const [query, pattern] of [
      ['limit=0', /limit: expected an integer from 1 to 1000, got 0/],
      ['limit=1001', /limit: /],
      ['limit=-1', /limit: /],
      ['limit=1.5', /limit: expected an integer from 1 to 1000, got "1.5"/],
      ['limit=', /limit: /],
      ['limit=1&limit=2', /limit: expected an integer from 1 to 1000, got a list/],
      ['limt=5', /limt: unknown parameter, did you mean "limit"/],
      ['name=', /name: expected a string of 1 to 255 characters, got ""/],
      ['name=a%00b', /name: expected text without NUL/],
      ['name=a&name=b', /name: expected a string of 1 to 255 characters, got a list/],
      ['cursor=', /cursor: expected the x-next-cursor/],
      ['cursor=abc', /cursor: /],
      ['cursor=a&cursor=b', /cursor: /],
      [cursor(`2026-02-30T00:00:00.000000 ${randomUUID()}`), /cursor: /],
      [cursor(`2026-02-20T00:00:00.000000 ${'x'.repeat(36)}`), /cursor: /],
    ] as const) {
      checkProblem(t, await client.get(`${PATH}?${query}`), 400, pattern);
    }
  });
});
