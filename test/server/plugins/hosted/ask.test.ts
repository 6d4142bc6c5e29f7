import t from 'tap';
import type { HostedApi, HostedCall } from '../../../../core/contracts/collaborators.ts';
import { createHostedModels } from '../../../../server/plugins/hosted/provider.ts';
import { KEY, never, type Reply, send, startHost } from '../../../support/hosted-host.ts';

const TOOLS = { fetch, limits: { retries: 2, firstDelay: 1, maxDelay: 2000 }, timeout: 1000 };
const { ask } = createHostedModels(TOOLS);

/** The outcome of a call whose answer should be a list, with the requests that it took. */
async function asked(
  t: Parameters<typeof startHost>[0],
  reply: Reply,
  more: Partial<HostedCall<unknown>> = {},
  moreOfApi: Partial<HostedApi> = {},
) {
  const host = await startHost(t, reply);
  const api = { title: 'Test', url: `${host.url}/x`, keyVariable: 'TEST_API_KEY', key: KEY, ...moreOfApi };
  const read = (answer: unknown) => {
    if (Array.isArray(answer)) return answer;
    throw new Error(`no list but ${JSON.stringify(answer)}`);
  };
  const call = { body: { a: 1 }, read, expected: 'a list', deadline: 5000, signal: never, ...more };
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
    t.match(outcome, { failure, status, message: `Test answered ${status}: you sent Bearer ***` });
    t.equal(requests.length, tries, String(status));
  }
  const { outcome } = await asked(t, ({ authorization }, response) => send(response, 200, { authorization }));
  const message = 'Test did not return a list: no list but {"authorization":"Bearer ***"}';
  t.same(outcome, { failure: 'refused', message });
  t.match((await asked(t, (_, response) => response.end('garbage'))).outcome, { failure: 'refused' });
});

t.test('an answer that does not end is given up', async (t) => {
  const piece = Buffer.alloc(1_048_576, ' ');
  let sent = 0;
  const endless: Reply = (_, response) => {
    const write = () => {
      while (!response.destroyed && response.write(piece)) sent++;
      if (!response.destroyed) response.once('drain', write);
    };
    write();
  };
  const { outcome, requests } = await asked(t, endless, { timeout: 60_000, deadline: 60_000 });
  t.same(outcome, {
    failure: 'refused',
    message: 'Test: its answer is longer than 268435456 bytes',
    status: undefined,
  });
  t.equal(requests.length, 1, 'not asked again');
  t.ok(sent < 1000, `${sent} MB`);
});

t.test('a connection that fails is said to, as is a redirection', async (t) => {
  const moved: Reply = (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
  for (const api of [{ url: 'http://127.0.0.1:1' }, {}]) {
    const { outcome } = await asked(t, moved, {}, api);
    t.match(outcome, { failure: 'unavailable', message: 'Test: the connection failed' });
  }
});

t.test('deadline counts retries, and waits between them', async (t) => {
  const silent = await asked(t, () => {}, { deadline: 100 });
  t.same(silent.outcome, { failure: 'unavailable', message: 'Test: no answer within 0.1 s' });
  const { outcome } = await asked(t, () => {}, { deadline: undefined as never, patience: 100 });
  t.same(outcome, silent.outcome, 'by the name that it has in contract 1');
  const later: Reply = (_, response) => send(response, 429, {}, { 'retry-after': '1.5' });
  const waiting = await asked(t, later, { deadline: 100 });
  t.match(waiting.outcome, { failure: 'unavailable' });
  t.equal(waiting.requests.length, 1);
  const tomorrow: Reply = (_, response) => send(response, 429, {}, { 'retry-after': '3600' });
  const given = await asked(t, tomorrow);
  t.match(given.outcome, { failure: 'unavailable', status: 429 });
  t.equal(given.requests.length, 1, 'an hour is too long');
});

const takes: Reply = (_, response) => send(response, 200, []);

t.test('bytes and forms are sent as they are, with the headers of the call', async (t) => {
  const headers = { 'content-type': 'application/pdf', accept: 'application/json' };
  const put = await asked(t, takes, { method: 'PUT', path: '/y', body: Uint8Array.of(0, 255), headers });
  t.match(put.requests, [{ method: 'PUT', url: '/x/y', headers, bytes: Buffer.of(0, 255) }]);
  const form = new FormData();
  form.append('files', new Blob([Uint8Array.of(0, 255)]), 'a.pdf');
  const sent = await asked(t, takes, { body: form });
  const type = /^multipart\/form-data; boundary=/;
  t.match(sent.requests, [{ method: 'POST', headers: { 'content-type': type } }]);
  t.match(sent.requests[0]?.bytes.toString('latin1'), /name="files"; filename="a.pdf".*\r\n\r\n\0\xff\r\n/s);
});

t.test('a key has its own header, or is not there', async (t) => {
  const own = await asked(t, takes, {}, { keyHeader: 'x-api-key' });
  t.match(own.requests, [{ authorization: '', headers: { 'x-api-key': KEY } }]);
  for (const keyHeader of ['x-api-key', undefined]) {
    const api = { key: '', urlVariable: 'TEST_URL', ...(keyHeader !== undefined && { keyHeader }) };
    const none = await asked(t, (_, response) => send(response, 404, { detail: 'nothing' }), {}, api);
    t.match(none.requests, [{ authorization: '', headers: { 'x-api-key': undefined } }]);
    const message = 'Test answered 404: nothing; check TEST_URL';
    t.same(none.outcome, { failure: 'setup', message, status: 404 });
  }
});

t.test('a call says itself what is tried again, and how long a try may take', async (t) => {
  const retried = [429];
  for (const [status, tries] of [
    [429, 3],
    [503, 1],
    [500, 1],
  ] as const) {
    const { outcome, requests } = await asked(t, (_, response) => send(response, status, {}), { retried });
    t.match(outcome, { failure: 'unavailable', status });
    t.equal(requests.length, tries, String(status));
  }
  const broken = await asked(t, (_, response) => response.destroy(), { retried });
  t.equal(broken.requests.length, 3);
  const { outcome } = await asked(t, () => {}, { timeout: 50 });
  t.same(outcome, { failure: 'unavailable', message: 'Test: no answer within 0.05 s', status: undefined });
});

t.test('the message of a failure is found where it stands', async (t) => {
  for (const [body, said] of [
    [{ error: { type: 'a', reason: 'of Elasticsearch' } }, 'of Elasticsearch'],
    [{ status: { error: 'of Qdrant' }, time: 0 }, 'of Qdrant'],
    [{ error: 'InvalidArgumentError', message: 'of Chroma' }, 'of Chroma'],
    [{ error: 'alone' }, 'alone'],
    [{ error: { type: 'a' } }, '{"type":"a"}'],
  ] as const) {
    const { outcome } = await asked(t, (_, response) => send(response, 400, body));
    t.match(outcome, { message: `Test answered 400: ${said}` });
  }
});

t.test('a GET has no body, and the key may stand behind another word than Bearer', async (t) => {
  const call = { method: 'GET', body: undefined } as const;
  const { outcome, requests } = await asked(t, takes, call, { keyScheme: 'ApiKey' });
  t.same(outcome, { value: [] });
  t.match(requests, [{ method: 'GET', authorization: `ApiKey ${KEY}`, bytes: Buffer.alloc(0) }]);
  t.equal(requests[0]?.headers['content-type'], undefined);
});

t.test('what is demanded is the value, or an error for callers', async (t) => {
  const { demand } = createHostedModels(TOOLS);
  const read = (answer: unknown) => answer;
  const call = { body: {}, read, expected: 'anything', deadline: 5000, signal: never };
  const reply: Reply = (_, response, count) => send(response, count === 1 ? 200 : 400, { message: 'no' });
  const host = await startHost(t, reply);
  const api = { title: 'Test', url: host.url, keyVariable: 'TEST_API_KEY', key: '' };
  t.same(await demand(api, call), { message: 'no' });
  await t.rejects(demand(api, call), { expose: true, message: 'Test answered 400: no' });
});
