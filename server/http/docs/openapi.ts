import { createRequire } from 'node:module';
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify';
import plugin from 'fastify-plugin';
import type { ObjectSchema } from '../../../core/contracts/manifest.ts';
import { type AccessConfig, asksForKeys } from '../../config/access.ts';
import { NAME, VERSION } from '../../config/version.ts';
import { needsKey, refusalStatuses } from '../transport/security.ts';
import { errorAnswers } from './answer-schemas.ts';
import { nameComponents } from './components.ts';
import type { Document } from './document.ts';
import { addExampleAnswers } from './example-answers.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The OpenAPI document with example answers, which the first call computes. */
    chunksmithDocument(): Promise<Document>;
  }
}

const TAGS = [
  { name: 'chunk', description: 'Split text into chunks' },
  { name: 'files', description: 'Split files into chunks' },
  { name: 'refine', description: 'Enrich chunks' },
  { name: 'texts', description: 'Embed texts and count their tokens' },
  { name: 'evaluate', description: 'Compare ways to chunk, using your own questions' },
  { name: 'pipelines', description: 'Store steps under a name and run them' },
  { name: 'jobs', description: 'Chunk whole corpora in the background' },
  { name: 'meta', description: 'Information about the service itself' },
];

const ABOUT_ALL = `Splits text into chunks and enriches chunks. Offsets are exact and no text is lost.

**Presets.** Without options, chunks have at most 512 characters: fine for a first look, too small for search. To build an
index, begin with a [preset](v1/presets), such as \`POST /v1/presets/docs/execute\`.

**Streams.** Chunk, refine and execute routes also take \`application/x-ndjson\`: a line with the options, then a line for
each document or list of chunks. Each is answered with a line, in their order, and a failing one does not affect the others. With
\`Accept: application/x-ndjson\` a request in JSON is answered in lines too.

**Compression.** Routes that chunk, refine, evaluate, embed and tokenize take bodies with \`Content-Encoding\` \`gzip\`, \`br\`,
\`deflate\` or \`zstd\`; the body limit applies to the decompressed size.`;

const SECURITY_SCHEMES = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'One of the keys of the server, as `Authorization: Bearer <key>`.',
  },
} as const;

/**
 * Describes all routes registered after this plugin, as OpenAPI 3.1. Response schemas are only documentation:
 * serializers compiled from them would cost memory at every start.
 */
export const openapi = plugin(
  async (app) => {
    const { config, registry, runner } = app.chunksmith;
    const { prefix } = app;
    const hasKeys = asksForKeys(config);
    app.setSerializerCompiler(() => (value) => JSON.stringify(value));
    describeLater(app, {
      transform: ({ schema, url, route }) => ({
        schema: withErrors(schema, route.method, config, url.slice(prefix.length)),
        url,
      }),
      transformObject: (given) => {
        const document = 'openapiObject' in given ? given.openapiObject : given.swaggerObject;
        nameComponents(document as unknown as Document);
        return document;
      },
      openapi: {
        openapi: '3.1.0',
        info: {
          title: NAME,
          version: VERSION,
          description: ABOUT_ALL,
          license: { name: 'MIT', identifier: 'MIT' } as { name: string },
        },
        servers: [{ url: '/', description: 'This server' }],
        tags: TAGS,
        security: hasKeys ? [{ apiKey: [] }] : [],
        components: hasKeys ? { securitySchemes: SECURITY_SCHEMES } : {},
      },
    });
    let complete: Promise<Document> | undefined;
    app.decorate('chunksmithDocument', async () => {
      const document = app.swagger() as unknown as Document;
      // While the server is busy, the document has no example answers; a later call computes them.
      if (complete === undefined && runner.load().isFull) return document;
      complete ??= addExampleAnswers(document, registry, runner);
      return complete;
    });
  },
  { name: 'chunksmith-openapi', dependencies: ['chunksmith-services', 'chunksmith-security'] },
);

const require = createRequire(import.meta.url);

/** Collects the routes for `app.swagger()`. Its library is loaded at the first call, because it slows down a start. */
function describeLater(app: FastifyInstance, options: FastifyDynamicSwaggerOptions): void {
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => void routes.push(route));
  let described: FastifyInstance['swagger'] | undefined;
  const describe = () => {
    const { fastifySwagger } = require('@fastify/swagger') as typeof import('@fastify/swagger');
    const hooks = new Map<string, (given: unknown) => void>();
    // What the library needs of an app.
    const collector = {
      addHook: (name: string, hook: (given: unknown) => void) => hooks.set(name, hook),
      decorate: (_name: string, document: FastifyInstance['swagger']) => {
        described = document;
      },
      getSchemas: () => app.getSchemas(),
    };
    fastifySwagger(collector as unknown as FastifyInstance, options, () => {});
    for (const route of routes) hooks.get('onRoute')?.(route);
    hooks.get('onReady')?.(() => {});
  };
  app.decorate('swagger', ((given) => {
    if (described === undefined) describe();
    return described?.(given as never);
  }) as FastifyInstance['swagger']);
}

/**
 * Adds the answers to refused requests to the schema of a route. If the route needs no key, marks the route as
 * open.
 */
function withErrors(
  schema: FastifySchema,
  method: string | string[],
  config: AccessConfig,
  path: string,
): FastifySchema {
  if (schema?.response === undefined) return schema;
  const errors = errorAnswers([...statusesOf(schema, method), ...refusalStatuses(config, path)]);
  const isOpen = asksForKeys(config) && !needsKey(config, path);
  return {
    ...schema,
    ...(isOpen ? { security: [] } : {}),
    response: { ...schema.response, ...errors },
  };
}

function statusesOf(
  { body, querystring, headers, params, tags }: FastifySchema,
  method: string | string[],
): number[] {
  const names = Object.keys((headers as ObjectSchema | undefined)?.properties ?? {});
  return [
    405,
    ...(body !== undefined || querystring !== undefined || headers !== undefined ? [400] : []),
    ...(params !== undefined ? [404] : []),
    ...(names.includes('if-match') ? [412] : []),
    ...(method === 'GET' ? [] : [413, 415]),
    ...(tags?.includes('meta') ? [] : [500, 503]),
  ];
}
