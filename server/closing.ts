import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Lets no connection hold the server once it closes: requests in flight are the last ones of theirs, and
 * connections that never had one, as browsers and load balancers open them ahead, end at once.
 */
export function endConnectionsWhenClosing(app: FastifyInstance): void {
  const unused = new Set<Socket>();
  let isClosing = false;
  app.server.on('connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  app.server.on('request', ({ socket }) => unused.delete(socket));
  app.addHook('preClose', async () => {
    isClosing = true;
    for (const socket of unused) socket.destroy();
  });
  app.addHook('onSend', async (_request, reply) => {
    if (isClosing) reply.header('connection', 'close');
  });
}
