import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Cleanup } from './server.ts';

/** Starts a server of a test's own on a free port of this machine, closed after the test. @returns its address */
export async function startLoopback(t: Cleanup, answers: RequestListener | Server): Promise<string> {
  const server = typeof answers === 'function' ? createServer(answers) : answers;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
