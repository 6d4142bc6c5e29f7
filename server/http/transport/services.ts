import type { AwilixContainer } from 'awilix/browser';
import plugin from 'fastify-plugin';
import { disposeInOrder, type ServerCradle } from '../../container.ts';

export type Services = ServerCradle;

declare module 'fastify' {
  interface FastifyInstance {
    /** The parts of the server. Each is created when first used. */
    readonly chunksmith: ServerCradle;
  }
}

/** Makes the parts of the server available as `app.chunksmith`. Disposes of them when the app closes. */
export const services = plugin<{ readonly container: AwilixContainer<ServerCradle> }>(
  async (app, { container }) => {
    // Uses a getter: `decorate` looks up members of a plain value, and the cradle throws for unknown names.
    app.decorate('chunksmith', { getter: () => container.cradle });
    app.addHook('onClose', () => disposeInOrder(container));
  },
  { name: 'chunksmith-services' },
);
