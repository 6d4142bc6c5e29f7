import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { NAME } from '../../config/version.ts';
import { pathOf } from '../transport/error-handler.ts';

/** Serves `/openapi.json`, Swagger UI at `/docs` and Redoc at `/redoc`. */
export async function docsRoutes(app: FastifyInstance): Promise<void> {
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.chunksmithDocument());
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    // Relative URLs, so that the page works below a prefix and behind a proxy that strips one.
    indexPrefix: '.',
    staticCSP: PAGE_POLICY,
    theme: swaggerTheme(app.chunksmith.config.playground),
    // The other layout has a bar with a logo, and a field for the URL of another document.
    uiConfig: { docExpansion: 'list', layout: 'BaseLayout' },
    uiHooks: {
      async preHandler(request: FastifyRequest) {
        if (/\/(json|yaml)$/.test(pathOf(request))) await app.chunksmithDocument();
      },
    },
    // The document itself, not a copy; its examples have been added by now.
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
    // The URLs in this page are also relative.
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

/** The script of Redoc: a build has it beside this module, a checkout in the package. */
function findRedoc(): string {
  const built = join(import.meta.dirname, REDOC);
  return existsSync(built) ? built : createRequire(import.meta.url).resolve(`redoc/bundles/${REDOC}`);
}

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

/** Without it, phones show the page at desktop width, too small to read. */
const VIEWPORT = '<meta name="viewport" content="width=device-width, initial-scale=1">';

/** The bar at the top of both pages, with links between them. */
const BAR_STYLE = `body { margin: 0 }
.pages { display: flex; flex-wrap: wrap; gap: 0.5em 1.5em; align-items: center; padding: 0.8em 1.5em; font: 16px sans-serif; background: #263238 }
.pages a { color: #cfd8dc; text-decoration: none }
.pages a:hover { color: #fff; text-decoration: underline }
.pages strong { color: #fff }`;

/** The links of the bar; the URLs are relative, so that they also work below a prefix. */
function bar(base: string, hasPlayground: boolean): string {
  const links = [
    ...(hasPlayground ? [['playground', 'Playground']] : []),
    ['docs', 'Try it out'],
    ['redoc', 'Reference'],
    ['openapi.json', 'OpenAPI document'],
  ];
  const anchors = links.map(([path, text]) => `<a href="${base}${path}">${text}</a>`);
  return `<nav class="pages"><strong>${NAME}</strong>${anchors.join('')}</nav>`;
}

/** A letter on a square, instead of the library's icon. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#263238"/><text x="16" y="23" font-family="sans-serif" font-size="20" fill="#fff" text-anchor="middle">C</text></svg>`;

/** What Swagger UI shows besides the document. `/docs/` is the same page as `/docs`, one level down. */
function swaggerTheme(hasPlayground: boolean) {
  const [below, here] = ['../', ''].map((base) => JSON.stringify(bar(base, hasPlayground)));
  // The only way to add a line to the head of its page.
  const script = `const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
follow();
dark.addEventListener('change', follow);
document.head.insertAdjacentHTML('beforeend', ${JSON.stringify(VIEWPORT)});
document.body.insertAdjacentHTML('afterbegin', location.pathname.endsWith('/') ? ${below} : ${here});`;
  return {
    title: NAME,
    css: [{ filename: 'bar.css', content: BAR_STYLE }],
    js: [{ filename: 'bar.js', content: script }],
    favicon: [{ filename: 'icon.svg', rel: 'icon', sizes: 'any', type: 'image/svg+xml', content: ICON }],
  };
}

const redocPage = (hasPlayground: boolean) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8">${VIEWPORT}<title>${NAME}</title>
<link rel="icon" type="image/svg+xml" href="data:image/svg+xml;base64,${Buffer.from(ICON).toString('base64')}">
<style>${BAR_STYLE}</style></head>
<body>${bar('', hasPlayground)}<div id="redoc"></div>
<script src="redoc/redoc.js"></script><script src="redoc/start.js"></script></body>
</html>`;

const REDOC_START = `Redoc.init('openapi.json', { hideDownloadButton: true, disableSearch: true, sideNavStyle: 'path-only', sortOperationsAlphabetically: false }, document.getElementById('redoc'));`;

/** The only URL of another host in Redoc's script: a logo. */
const REDOC_LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg';
