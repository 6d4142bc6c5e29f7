import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { NAME } from '../../config/version.ts';
import { pathOf } from '../transport/error-handler.ts';
import type { Document } from './document.ts';
import { BAR_STYLE, bar, ICON, PAGE_POLICY, routeList, VIEWPORT } from './page-parts.ts';
import { startRedoc } from './redoc-start.ts';

/** Serves Redoc at `/redoc`. The page lists the routes at once; Redoc takes the place of this list. */
export async function redocRoutes(app: FastifyInstance): Promise<void> {
  const policy = Object.entries(PAGE_POLICY).map(([name, sources]) => `${name} ${sources.join(' ')}`);
  const { playground } = app.chunksmith.config;
  let script: Promise<string> | undefined;
  const readScript = async () => (await readFile(findRedoc(), 'utf8')).replaceAll(REDOC_LOGO, 'data:,');

  app.get('/redoc', { schema: { hide: true } }, async (request, reply) => {
    // The URLs in this page are relative.
    if (pathOf(request).endsWith('/')) return reply.redirect('../redoc');
    reply.header('content-security-policy', policy.join('; ')).type('text/html; charset=utf-8');
    return reply.send(page(playground, app.swagger() as unknown as Document));
  });
  app.get('/redoc/redoc.js', { schema: { hide: true } }, async (_request, reply) => {
    script ??= readScript();
    return reply.type('text/javascript; charset=utf-8').send(await script);
  });
  app.get('/redoc/start.js', { schema: { hide: true } }, async (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(`(${startRedoc})();`),
  );
}

const REDOC = 'redoc.standalone.js';

/** The script of Redoc: a build has it beside this module, a checkout in the package. */
function findRedoc(): string {
  const built = join(import.meta.dirname, REDOC);
  return existsSync(built) ? built : createRequire(import.meta.url).resolve(`redoc/bundles/${REDOC}`);
}

/** The only URL of another host in Redoc's script: a logo. */
const REDOC_LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg';

/** Operations far from the screen are laid out when they come near; the last rules are for what Redoc's theme cannot set. */
const STYLE = `${BAR_STYLE}
[data-section-id*="operation/"] { content-visibility: auto; contain-intrinsic-size: auto 900px }
@media (prefers-color-scheme: dark) {
  body { background: #1c2022; color: #d5dadd; color-scheme: dark }
  #redoc .api-content table tr, #redoc select, #redoc option { background: #1c2022; color: #d5dadd }
  #redoc .api-content table td, #redoc .api-content table th { border-color: #3b4449 }
  #redoc .dropdown-selector, #redoc .dropdown-select { background: #1c2022; color: #d5dadd }
}`;

const page = (hasPlayground: boolean, document: Document) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8">${VIEWPORT}<title>Reference – ${NAME}</title>
<link rel="icon" type="image/svg+xml" href="data:image/svg+xml;base64,${Buffer.from(ICON).toString('base64')}">
<style>${STYLE}</style></head>
<body>${bar('', hasPlayground)}<div id="redoc">${routeList(document, (tag, id) => `#tag/${tag}/operation/${id}`)}</div>
<script src="redoc/redoc.js" defer></script><script src="redoc/start.js" defer></script></body>
</html>`;
