import swagger from '@fastify/swagger';
import type { FastifySchema } from 'fastify';
import plugin from 'fastify-plugin';
import { NAME, VERSION } from '../version.ts';
import { errorAnswers } from './answer-schemas.ts';
import { refusalStatuses } from './security.ts';

/**
 * Describes the routes that are registered after it, as OpenAPI 3.1. Their response schemas are for the
 * documentation alone: to compile a serializer for each would cost memory at every start.
 */
export const openapi = plugin(
  async (app) => {
    const { chunksmith, prefix } = app;
    const { config } = chunksmith;
    app.setSerializerCompiler(() => (value) => JSON.stringify(value));
    await app.register(swagger, {
      transform: ({ schema, url }) => ({
        schema: withErrors(schema, refusalStatuses(config, prefix, url)),
        url,
      }),
      openapi: {
        openapi: '3.1.0',
        info: {
          title: NAME,
          version: VERSION,
          description: 'Splits text into chunks and enriches chunks. Offsets are exact and no text is lost.',
        },
        tags: [
          { name: 'chunk', description: 'Split text into chunks' },
          { name: 'refine', description: 'Enrich chunks' },
          { name: 'pipelines', description: 'Store steps under a name and run them' },
          { name: 'meta', description: 'What the service says of itself' },
        ],
      },
    });
  },
  { name: 'chunksmith-openapi', dependencies: ['chunksmith-services', 'chunksmith-security'] },
);

/** The schema of a route with the errors that hooks before it answer. */
function withErrors(schema: FastifySchema, statuses: readonly number[]): FastifySchema {
  if (schema?.response === undefined) return schema;
  return { ...schema, response: { ...schema.response, ...errorAnswers(statuses) } };
}
