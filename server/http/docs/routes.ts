import type { FastifySwaggerUiOptions } from '@fastify/swagger-ui';
import Fastify, { type FastifyInstance, type HTTPMethods, type RouteHandlerMethod } from 'fastify';
import plugin from 'fastify-plugin';
import { NAME } from '../../config/version.ts';
import { pathOf } from '../transport/error-handler.ts';
import type { Document } from './document.ts';
import { BAR_STYLE, bar, ICON, PAGE_POLICY, routeList, VIEWPORT } from './page-parts.ts';
import { redocRoutes } from './redoc.ts';

/** Serves `/openapi.json`, Swagger UI at `/docs` and Redoc at `/redoc`. */
export async function docsRoutes(app: FastifyInstance): Promise<void> {
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.chunksmithDocument());
  app.addHook('onSend', async (request, _reply, payload) => {
    const path = pathOf(request);
    if (typeof payload !== 'string' || !/\/docs\/?$/.test(path)) return payload;
    const document = app.swagger() as unknown as Document;
    return completed(payload, path, app.chunksmith.config.playground, document);
  });
  await app.register(swaggerRoutes, { prefix: PREFIX });
  await redocRoutes(app);
}

const PREFIX = '/docs';
const GET: HTTPMethods[] = ['GET'];

/** The routes of Swagger UI below `/docs`, in its order. */
const SWAGGER_ROUTES: Readonly<Record<string, HTTPMethods[]>> = {
  '/static/theme/bar.css': GET,
  '/static/theme/theme.js': GET,
  '/static/theme/icon.svg': GET,
  '/': GET,
  '/static/index.html': GET,
  '/static/swagger-initializer.js': GET,
  '/json': GET,
  '/yaml': GET,
  '/static/*': ['HEAD', 'GET'],
};

/** Serves Swagger UI. Its packages are loaded at the first request, because they slow down a start. */
async function swaggerRoutes(app: FastifyInstance): Promise<void> {
  app.addHook('onSend', async (_request, reply) => void reply.header('content-security-policy', POLICY));
  let handlers: Promise<ReadonlyMap<string, RouteHandlerMethod>> | undefined;
  for (const [url, method] of Object.entries(SWAGGER_ROUTES)) {
    app.route({
      url,
      method,
      schema: { hide: true },
      async preHandler(request) {
        if (/\/(json|yaml)$/.test(pathOf(request))) await app.chunksmithDocument();
      },
      async handler(request, reply) {
        handlers ??= handlersOf(app);
        await (await handlers).get(url)?.call(app, request, reply);
        return reply;
      },
    });
  }
}

const POLICY = Object.entries(PAGE_POLICY)
  .map(([name, sources]) => `${name} ${sources.join(' ')};`)
  .join(' ');

/** The handlers of Swagger UI by the URLs of its routes, which it adds to an app of its own. */
async function handlersOf(app: FastifyInstance): Promise<ReadonlyMap<string, RouteHandlerMethod>> {
  const { default: swaggerUi } = await import('@fastify/swagger-ui');
  const handlers = new Map<string, RouteHandlerMethod>();
  const own = Fastify();
  own.addHook('onRoute', ({ url, handler }) => void handlers.set(url.slice(PREFIX.length), handler));
  own.decorate('swagger', app.swagger);
  await own.register(plugin(async () => {}, { name: '@fastify/swagger' }));
  await own.register(swaggerUi, options());
  await own.ready();
  return handlers;
}

const THEME = {
  title: `Try it out – ${NAME}`,
  css: [{ filename: 'bar.css', content: BAR_STYLE }],
  js: [
    {
      filename: 'theme.js',
      content: `const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
follow();
dark.addEventListener('change', follow);
// The library expects the script of the other layout, which the page does not load.
const SwaggerUIStandalonePreset = [];`,
    },
  ],
  favicon: [{ filename: 'icon.svg', rel: 'icon', sizes: 'any', type: 'image/svg+xml', content: ICON }],
};

const options = (): FastifySwaggerUiOptions => ({
  routePrefix: PREFIX,
  // Relative URLs work below a prefix, and behind a proxy that removes a prefix.
  indexPrefix: '.',
  theme: THEME,
  // The standalone layout would add a bar with a logo, and a field for the URL of another document.
  uiConfig: {
    docExpansion: 'list',
    layout: 'BaseLayout',
    // Schemas stay collapsed until the user opens them.
    defaultModelsExpandDepth: 0,
    plugins: [readsFast],
  } as never,
  // Serves the document itself, not a copy. `preHandler` has added its example answers.
  transformSpecification: (document) => document,
  transformSpecificationClone: false,
});

/** Removed from the page: the script of the unused layout, a fifth of all bytes that the page would load. */
const OTHER_LAYOUT = /<script [^>]*swagger-ui-standalone-preset\.js"[^>]*> ?<\/script>/;

function completed(html: string, path: string, hasPlayground: boolean, document: Document): string {
  // The page is served at `/docs` and `/docs/`. Links relative to `/docs/` begin one level lower.
  const base = path.endsWith('/') ? '../' : '';
  const routes = routeList(document, (tag, operationId) => `#/${tag}/${operationId}`);
  return html
    .replace(OTHER_LAYOUT, '')
    .replace('</head>', () => `${VIEWPORT}</head>`)
    .replace('<body>', () => `<body>${bar(base, hasPlayground)}`)
    .replace('<div id="swagger-ui">', (found) => found + routes);
}

type Json = { readonly [name: string]: unknown };

interface Spec {
  readonly specActions: {
    updateJsonSpec(document: Json): unknown;
    updateResolvedSubtree(path: readonly string[], resolved: Json): unknown;
  };
}
type Wrap<A> = (original: (given: A) => unknown, spec: Spec) => (given: A) => unknown;

/**
 * A plugin of Swagger UI, run in the browser to load the page faster. It parses the document as JSON instead
 * of YAML. It reads security schemes, which have no references, without resolving the whole document.
 */
const readsFast = () => {
  let schemes: Json = {};
  const parseToJson: Wrap<string> =
    (_original, { specActions }) =>
    (text) => {
      const document = JSON.parse(text);
      schemes = document.components?.securitySchemes ?? {};
      return specActions.updateJsonSpec(document);
    };
  const requestResolvedSubtree: Wrap<readonly string[]> =
    (original, { specActions }) =>
    (path) =>
      path[1] === 'securitySchemes' ? specActions.updateResolvedSubtree(path, schemes) : original(path);
  return { statePlugins: { spec: { wrapActions: { parseToJson, requestResolvedSubtree } } } };
};
