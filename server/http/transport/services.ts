import type { AwilixContainer } from 'awilix/browser';
import plugin from 'fastify-plugin';
import { disposeInOrder, type ServerCradle } from '../../container.ts';

export type Services = ServerCradle;

declare module 'fastify' {
  interface FastifyInstance {
    /** The parts of the server, each created at first use. */
    readonly chunksmith: ServerCradle;
  }
}

/** Gives its routes and hooks the parts of the server, and disposes of the container when the app closes. */
export const services = plugin<{ readonly container: AwilixContainer<ServerCradle> }>(
  async (app, { container }) => {
    // A getter, because `decorate` looks for members of a value, and the cradle throws for unknown names.
    app.decorate('chunksmith', { getter: () => container.cradle });
    app.addHook('onClose', () => disposeInOrder(container));
  },
  { name: 'chunksmith-services' },
);
