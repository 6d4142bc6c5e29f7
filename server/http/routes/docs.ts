import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PAGE_POLICY, REDOC_LOGO, REDOC_START, redocPage, swaggerTheme } from '../documentation/pages.ts';
import { pathOf } from '../error-handler.ts';

/** Serves `/openapi.json`, Swagger UI at `/docs` and Redoc at `/redoc`. */
export async function docsRoutes(app: FastifyInstance): Promise<void> {
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.chunksmithDocument());
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    // Relative addresses, so that the page works below a prefix and behind a proxy that strips one.
    indexPrefix: '.',
    staticCSP: PAGE_POLICY,
    theme: swaggerTheme(app.chunksmith.config.playground),
    // The other layout has a bar with a logo, and a field for the address of another document.
    uiConfig: { docExpansion: 'list', layout: 'BaseLayout' },
    uiHooks: {
      async preHandler(request: FastifyRequest) {
        if (/\/(json|yaml)$/.test(pathOf(request))) await app.chunksmithDocument();
      },
    },
    // The document itself, which has its examples by now, and no copy.
    transformSpecification: (document) => document,
    transformSpecificationClone: false,
  });
  await redocRoutes(app);
}

async function redocRoutes(app: FastifyInstance): Promise<void> {
  const policy = Object.entries(PAGE_POLICY).map(([name, sources]) => `${name} ${sources.join(' ')}`);
  const page = redocPage(app.chunksmith.config.playground);
  let script: Promise<string> | undefined;
  const readScript = async () => (await readFile(findRedoc(), 'utf8')).replaceAll(REDOC_LOGO, 'data:,');

  app.get('/redoc', { schema: { hide: true } }, async (request, reply) => {
    // The addresses of this page are relative too.
    if (pathOf(request).endsWith('/')) return reply.redirect('../redoc');
    reply.header('content-security-policy', policy.join('; ')).type('text/html; charset=utf-8');
    return reply.send(page);
  });
  app.get('/redoc/redoc.js', { schema: { hide: true } }, async (_request, reply) => {
    script ??= readScript();
    return reply.type('text/javascript; charset=utf-8').send(await script);
  });
  app.get('/redoc/start.js', { schema: { hide: true } }, async (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(REDOC_START),
  );
}

const REDOC = 'redoc.standalone.js';

/** The script of Redoc: a build has it beside this module, and a checkout in the package. */
function findRedoc(): string {
  const built = join(import.meta.dirname, REDOC);
  return existsSync(built) ? built : createRequire(import.meta.url).resolve(`redoc/bundles/${REDOC}`);
}
