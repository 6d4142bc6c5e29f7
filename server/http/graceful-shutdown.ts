import type { Socket } from 'node:net';
import plugin from 'fastify-plugin';

/**
 * Keeps connections from holding up the shutdown: an answer in flight is the last of its connection, and
 * connections that browsers and load balancers opened ahead and never used end at once.
 */
export const gracefulShutdown = plugin(
  async (app) => {
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
    app.addHook('onSend', (_request, reply, _payload, done) => {
      if (isClosing) reply.header('connection', 'close');
      done();
    });
  },
  { name: 'chunksmith-graceful-shutdown' },
);
