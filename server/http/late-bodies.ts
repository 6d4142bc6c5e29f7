import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream';
import plugin from 'fastify-plugin';

/**
 * Reads and drops the rest of bodies whose requests are answered already, so that a client that reads only once it
 * has sent everything finds its answer. Who still sends when the time for a request is over loses the connection.
 */
export const lateBodies = plugin(
  async (app) => {
    const { requestTimeout } = app.chunksmith.config;
    app.addHook('onResponse', ({ raw }, _reply, done) => {
      if (!raw.complete && !raw.destroyed) dropRest(raw, requestTimeout * 1000);
      done();
    });
  },
  { name: 'chunksmith-late-bodies', dependencies: ['chunksmith-services'] },
);

function dropRest(request: IncomingMessage, milliseconds: number): void {
  const { socket } = request;
  const timer = setTimeout(() => socket.destroy(), milliseconds);
  const settle = () => {
    clearTimeout(timer);
    socket.off('close', settle);
  };
  // An answered request does not hear that its connection is closed.
  socket.once('close', settle);
  finished(request, settle);
  // Whoever has read it until now must not hold it up.
  request.unpipe();
  request.removeAllListeners('readable');
  request.resume();
}
