import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { NAME } from '../../version.ts';
import { pathOf } from '../error-handler.ts';

/** Content-Security-Policy of both pages: they load nothing from other hosts; their styles are inline. */
const PAGE_POLICY = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:'],
  'font-src': ["'self'"],
  'connect-src': ["'self'"],
  'base-uri': ["'none'"],
  'frame-ancestors': ["'none'"],
};

/** Serves `/openapi.json`, Swagger UI at `/docs` and Redoc at `/redoc`. */
export async function docsRoutes(app: FastifyInstance): Promise<void> {
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    // Relative addresses, so that the page works below a prefix and behind a proxy that strips one.
    indexPrefix: '.',
    staticCSP: PAGE_POLICY,
    uiConfig: { docExpansion: 'list' },
  });
  await redocRoutes(app);
}

const REDOC_PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${NAME}</title><link rel="icon" href="data:,"></head>
<body><div id="redoc"></div>
<script src="redoc/redoc.js"></script><script src="redoc/start.js"></script></body>
</html>`;

const REDOC_START = `Redoc.init('openapi.json', { hideDownloadButton: true, disableSearch: true }, document.getElementById('redoc'));`;

/** The only address of another host in Redoc's script: a logo. */
const REDOC_LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg';

async function redocRoutes(app: FastifyInstance): Promise<void> {
  const folder = dirname(createRequire(import.meta.url).resolve('redoc/package.json'));
  const policy = Object.entries(PAGE_POLICY).map(([name, sources]) => `${name} ${sources.join(' ')}`);
  let script: Promise<string> | undefined;
  const readScript = async () =>
    (await readFile(join(folder, 'bundles', 'redoc.standalone.js'), 'utf8')).replaceAll(REDOC_LOGO, 'data:,');

  app.get('/redoc', { schema: { hide: true } }, async (request, reply) => {
    // The addresses of this page are relative too.
    if (pathOf(request).endsWith('/')) return reply.redirect('../redoc');
    reply.header('content-security-policy', policy.join('; ')).type('text/html; charset=utf-8');
    return reply.send(REDOC_PAGE);
  });
  app.get('/redoc/redoc.js', { schema: { hide: true } }, async (_request, reply) => {
    script ??= readScript();
    return reply.type('text/javascript; charset=utf-8').send(await script);
  });
  app.get('/redoc/start.js', { schema: { hide: true } }, async (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(REDOC_START),
  );
}
