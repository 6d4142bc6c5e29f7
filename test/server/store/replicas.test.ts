import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { noPostgres, startPostgres } from '../../support/postgres.ts';
import { type Client, clientFor, startServer } from '../../support/server.ts';

interface Pipeline {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
}

/** A load balancer that sends each request to the next replica and skips those that have stopped. */
async function startProxy(t: Test, replicas: readonly number[]): Promise<Client> {
  let next = 0;
  const proxy = createServer((incoming, outgoing) => {
    const tryNext = (left: number) => {
      const port = replicas[next++ % replicas.length] as number;
      const { method, url, headers } = incoming;
      const forward = send({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      forward.once('error', () => (left > 0 ? tryNext(left - 1) : outgoing.writeHead(502).end()));
      incoming.pipe(forward);
    };
    tryNext(replicas.length - 1);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return clientFor(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
}

t.test('two replicas on one PostgreSQL behind a proxy are one service', { skip: noPostgres }, async (t) => {
  const postgres = await startPostgres(t);
  const databaseUrl = postgres.freshUrl();
  const replicas = await Promise.all([startServer(t, { databaseUrl }), startServer(t, { databaseUrl })]);
  const proxy = await startProxy(
    t,
    replicas.map(({ port }) => port),
  );
  const steps = [{ type: 'chunk', chunker: 'token', config: { chunk_size: 20 } }];
  const put = (id: string, body: object, etag?: string) =>
    proxy.send(`/v1/pipelines/${id}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', ...(etag === undefined ? {} : { 'if-match': etag }) },
      body: JSON.stringify(body),
    });

  const created = await Promise.all(
    Array.from({ length: 20 }, () => proxy.post('/v1/pipelines', { name: 'one', steps })),
  );
  t.same(created.map(({ status }) => status).sort(), [201, ...Array(19).fill(409)], 'a name is given once');
  const { id } = (created.find(({ status }) => status === 201) as (typeof created)[0]).json<Pipeline>();

  const reads = await Promise.all(Array.from({ length: 6 }, () => proxy.get(`/v1/pipelines/${id}`)));
  t.same(new Set(reads.map(({ bytes }) => bytes.toString())).size, 1, 'both replicas say the same');
  const etag = reads[0]?.headers.get('etag') as string;
  const updates = await Promise.all([
    put(id, { description: 'a' }, etag),
    put(id, { description: 'b' }, etag),
  ]);
  t.same(updates.map(({ status }) => status).sort(), [200, 412], 'of two changes to one version one is made');

  const text = 'One sentence here. Another sentence there. 😀 A third one.';
  const runs = await Promise.all(
    Array.from({ length: 4 }, () => proxy.post(`/v1/pipelines/${id}/execute`, { text })),
  );
  t.same(
    new Set(runs.map(({ bytes }) => bytes.toString())).size,
    1,
    'an execution gives the same on any replica, ids too',
  );
  t.equal(runs[0]?.status, 200);

  const names = Array.from({ length: 30 }, (_, index) => `pipeline ${index}`);
  const many = await Promise.all(names.map((name) => proxy.post('/v1/pipelines', { name, steps })));
  t.ok(many.every(({ status }) => status === 201));
  const listed = (await proxy.get('/v1/pipelines')).json<Pipeline[]>().map(({ name }) => name);
  t.same(listed.sort(), ['one', ...names].sort());

  t.equal((await proxy.send(`/v1/pipelines/${id}`, { method: 'DELETE' })).status, 204);
  for (let count = 0; count < 4; count++)
    t.equal((await proxy.get(`/v1/pipelines/${id}`)).status, 404, 'gone everywhere');
});
