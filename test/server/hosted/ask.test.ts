import t from 'tap';
import type { HostedCall } from '../../../core/contracts/collaborators.ts';
import { createHostedModels } from '../../../server/hosted/provider.ts';
import { KEY, never, type Reply, send, startHost } from '../../support/hosted-host.ts';

const TOOLS = { fetch, limits: { retries: 2, firstDelay: 1, longestDelay: 2000 }, timeout: 1000 };
const { ask } = createHostedModels(TOOLS);

/** The outcome of a call whose answer should be a list, with the requests that it took. */
async function asked(
  t: Parameters<typeof startHost>[0],
  reply: Reply,
  more: Partial<HostedCall<unknown>> = {},
) {
  const host = await startHost(t, reply);
  const api = { title: 'Test', url: `${host.url}/x`, keyVariable: 'TEST_API_KEY', key: KEY };
  const read = (answer: unknown) => {
    if (Array.isArray(answer)) return answer;
    throw new Error(`no list but ${JSON.stringify(answer)}`);
  };
  const call = { body: { a: 1 }, read, expected: 'a list', patience: 5000, signal: never, ...more };
  return { outcome: await ask(api, call), requests: host.asked };
}

t.test('the value of an answer, after retries', async (t) => {
  const { outcome, requests } = await asked(t, (_, response, count) => {
    if (count < 3) send(response, count === 1 ? 429 : 503, {});
    else send(response, 200, [1, 2]);
  });
  t.same(outcome, { value: [1, 2] });
  t.equal(requests.length, 3);
  t.match(requests[0], { url: '/x', authorization: `Bearer ${KEY}`, body: { a: 1 } });
});

t.test('each failure says who can do something about it', async (t) => {
  for (const [status, failure, tries] of [
    [401, 'setup', 1],
    [403, 'setup', 1],
    [404, 'setup', 1],
    [400, 'refused', 1],
    [413, 'refused', 1],
    [418, 'refused', 1],
    [429, 'unavailable', 3],
    [500, 'unavailable', 3],
  ] as const) {
    const { outcome, requests } = await asked(t, ({ authorization }, response) =>
      send(response, status, { error: { message: `you sent ${authorization}` } }),
    );
    t.match(outcome, { failure, message: `Test answered ${status}: you sent Bearer ***` });
    t.equal(requests.length, tries, String(status));
  }
  const { outcome } = await asked(t, ({ authorization }, response) => send(response, 200, { authorization }));
  const message = 'Test answered with something else than a list: no list but {"authorization":"Bearer ***"}';
  t.same(outcome, { failure: 'refused', message });
  t.match((await asked(t, (_, response) => response.end('garbage'))).outcome, { failure: 'refused' });
});

t.test('patience counts retries, and waits between them', async (t) => {
  const silent = await asked(t, () => {}, { patience: 100 });
  t.same(silent.outcome, { failure: 'unavailable', message: 'Test: no answer within 0.1 s' });
  const later: Reply = (_, response) => send(response, 429, {}, { 'retry-after': '1.5' });
  const waiting = await asked(t, later, { patience: 100 });
  t.match(waiting.outcome, { failure: 'unavailable' });
  t.equal(waiting.requests.length, 1);
});

t.test('a call that nobody waits for rejects with the reason', async (t) => {
  const gone = new AbortController();
  const reply = () => gone.abort(new Error('gone'));
  await t.rejects(asked(t, reply, { signal: gone.signal }), { message: 'gone' });
});
