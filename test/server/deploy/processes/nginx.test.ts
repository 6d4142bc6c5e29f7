import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { startServer, temporaryFolder } from '../../../support/server.ts';
import { until } from '../../../support/until.ts';

/** The configuration of nginx in OPERATIONS.md, but for its certificate, with nginx from `PATH` or `NGINX`. */

const NGINX = process.env.NGINX ?? 'nginx';
const skip = spawnSync(NGINX, ['-v']).status === 0 ? false : 'nginx is not installed';
const PAGE = join(import.meta.dirname, '../../../../server/OPERATIONS.md');

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts nginx as the page says, in front of a server. @returns its port */
async function startNginx(of: URL): Promise<number> {
  const folder = await temporaryFolder(t, {});
  const port = await freePort();
  const [, block = ''] = /```nginx\n([\s\S]*?)```/.exec(await readFile(PAGE, 'utf8')) ?? [];
  const own = block
    .replace('server 127.0.0.1:8000;', `server ${of.host};`)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replace(/^ *ssl_.*\n/gm, '');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const http = `http { access_log off; ${temporary.join(' ')}\n${own} }`;
  await mkdir(join(folder, 'logs'));
  const file = join(folder, 'nginx.conf');
  await writeFile(
    file,
    `daemon off; pid ${join(folder, 'pid')}; error_log ${join(folder, 'log')}; events {}\n${http}`,
  );
  const nginx: ChildProcess = spawn(NGINX, ['-p', folder, '-c', file, '-e', join(folder, 'log')]);
  t.teardown(async () => {
    nginx.kill('SIGTERM');
    if (nginx.exitCode === null) await once(nginx, 'exit');
  });
  await until(async () => (await ask(port, '127.0.0.1', '/health').catch(() => undefined))?.status === 200);
  return port;
}

/** A request from an address, with what the client says of itself. */
async function ask(port: number, localAddress: string, path: string, claims?: string, body?: string) {
  const headers = {
    ...(claims !== undefined && { 'x-forwarded-for': claims }),
    ...(body !== undefined && { 'content-type': 'application/x-ndjson' }),
  };
  const sent = request({
    host: '127.0.0.1',
    port,
    localAddress,
    path,
    headers,
    method: body ? 'POST' : 'GET',
  });
  sent.end(body);
  const [answer] = await once(sent, 'response');
  return { status: Number(answer.statusCode), body: await text(answer) };
}

t.test('a client behind nginx has its own limit, and cannot choose its address', { skip }, async (t) => {
  for (const trustProxy of [['127.0.0.1'], 1]) {
    const config = { plugins: ['token', 'character'], rateLimit: 3, trustProxy };
    const port = await startNginx(new URL((await startServer(t, config)).url));
    const statuses: number[] = [];
    for (const at of [1, 2, 3, 4])
      statuses.push((await ask(port, '127.0.0.2', '/v1/plugins', `6.6.6.${at}, 7.7.7.${at}`)).status);
    t.same(statuses, [200, 200, 200, 429]);
    const lines = Array.from({ length: 50 }, (_, at) => `{"id": "${at}", "text": "${'a '.repeat(2000)}"}\n`);
    const options = '{"tokenizer": "character", "chunk_size": 1000}\n';
    const answer = await ask(port, '127.0.0.3', '/v1/chunk/token', undefined, options + lines.join(''));
    t.equal(answer.status, 200, 'another address');
    t.equal(answer.body.trim().split('\n').length, 50, 'a stream');
  }
});
