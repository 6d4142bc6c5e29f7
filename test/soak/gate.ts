import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Cleanup } from '../support/server.ts';

/** A port that leads to another one, until it is shut: then all connections end, and new ones are refused. */
export async function openGate(t: Cleanup, to: number) {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const target = connect(to, '127.0.0.1');
    for (const [one, other] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(one);
      one
        .on('error', () => {})
        .once('close', () => {
          sockets.delete(one);
          other.destroy();
        });
      one.pipe(other);
    }
  });
  const open = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const port = await open(0);
  const shut = async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  t.teardown(() => server.listening && shut());
  return { port, shut, open: async () => void (await open(port)) };
}
