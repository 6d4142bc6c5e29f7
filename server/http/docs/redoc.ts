import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { NAME } from '../../config/version.ts';
import { pathOf } from '../transport/error-handler.ts';
import type { Document } from './document.ts';
import { BAR_STYLE, bar, ICON, PAGE_POLICY, routeList, VIEWPORT } from './page-parts.ts';

/** Serves Redoc at `/redoc`. The page lists the routes until Redoc replaces the list. */
export async function redocRoutes(app: FastifyInstance): Promise<void> {
  const policy = Object.entries(PAGE_POLICY).map(([name, sources]) => `${name} ${sources.join(' ')}`);
  const { playground } = app.chunksmith.config;
  const hasScript = findRedoc() !== undefined;
  let script: Promise<string> | undefined;
  const readScript = async () =>
    (await readFile(findRedoc() as string, 'utf8')).replaceAll(REDOC_LOGO, 'data:,');

  app.get('/redoc', { schema: { hide: true } }, async (request, reply) => {
    // Redirects to the path without a slash, because the URLs in the page are relative.
    if (pathOf(request).endsWith('/')) return reply.redirect('../redoc');
    reply.header('content-security-policy', policy.join('; ')).type('text/html; charset=utf-8');
    return reply.send(page(playground, app.swagger() as unknown as Document, hasScript));
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

/** Path of Redoc's script: in a build beside this module, in a checkout in Redoc's package. */
function findRedoc(): string | undefined {
  const built = join(import.meta.dirname, REDOC);
  if (existsSync(built)) return built;
  try {
    return createRequire(import.meta.url).resolve(`redoc/bundles/${REDOC}`);
  } catch {
    return undefined;
  }
}

/** The only URL of another host in Redoc's script: a logo. */
const REDOC_LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg';

/** Styles of the page, including those that Redoc's theme cannot set. Operations off screen render later. */
const STYLE = `${BAR_STYLE}
.note { margin: 1.5em; font: 14px/1.6 sans-serif }
[data-section-id*="operation/"] { content-visibility: auto; contain-intrinsic-size: auto 900px }
@media (prefers-color-scheme: dark) {
  body { background: #1c2022; color: #d5dadd; color-scheme: dark }
  #redoc .api-content table tr, #redoc select, #redoc option { background: #1c2022; color: #d5dadd }
  #redoc .api-content table td, #redoc .api-content table th { border-color: #3b4449 }
  #redoc .dropdown-selector, #redoc .dropdown-select { background: #1c2022; color: #d5dadd }
}`;

const SCRIPTS = '<script src="redoc/redoc.js" defer></script><script src="redoc/start.js" defer></script>';
const WITHOUT_SCRIPT =
  '<p class="note">Redoc is not installed here. Each route leads to its description on the page of Swagger UI. With all packages of a checkout (<code>npm ci</code>), and in the package and the image, this page is the reference.</p>';

function page(hasPlayground: boolean, document: Document, hasScript: boolean): string {
  const routes = hasScript
    ? routeList(document, (tag, id) => `#tag/${tag}/operation/${id}`)
    : WITHOUT_SCRIPT + routeList(document, (tag, id) => `docs#/${tag}/${id}`);
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8">${VIEWPORT}<title>Reference – ${NAME}</title>
<link rel="icon" type="image/svg+xml" href="data:image/svg+xml;base64,${Buffer.from(ICON).toString('base64')}">
<style>${STYLE}</style></head>
<body>${bar('', hasPlayground)}<div id="redoc">${routes}</div>
${hasScript ? SCRIPTS : ''}
</body>
</html>`;
}

declare const document: {
  getElementById(id: string): Element;
  readonly documentElement: unknown;
};
declare const Redoc: { init(spec: object, options: object, element: Element): void };
declare function matchMedia(query: string): {
  readonly matches: boolean;
  addEventListener(event: 'change', listener: () => void): void;
};
interface Element {
  replaceChildren(...children: Element[]): void;
}

/**
 * Draws Redoc with the server's document, in the browser's colour scheme. Uses nothing of this module,
 * because the page gets only this function's source. Shortens long lists of numbers, which slow Redoc down.
 */
async function startRedoc(): Promise<void> {
  const shortened = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      const isLong = value.length > 8 && value.every((one) => typeof one === 'number');
      return isLong ? [...value.slice(0, 4), `… ${value.length - 4} more`] : value.map(shortened);
    }
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shortened(one)]));
  };
  const text = { primary: '#d5dadd', secondary: '#a5afb5' };
  const dark = {
    colors: {
      text,
      primary: { main: '#8ab4f8' },
      success: { main: '#81c995' },
      error: { main: '#f28b82' },
      border: { light: '#3b4449', dark: '#3b4449' },
      responses: {
        success: { color: '#81c995', tabTextColor: '#81c995' },
        error: { color: '#f28b82', tabTextColor: '#f28b82' },
      },
    },
    schema: { nestedBackground: '#23292c', linesColor: '#55636b', typeNameColor: '#a5afb5' },
    sidebar: { backgroundColor: '#181b1d', textColor: text.primary, activeTextColor: '#8ab4f8' },
    rightPanel: { backgroundColor: '#14181a' },
    typography: { code: { color: '#f28b82', backgroundColor: '#2a3135' }, links: { color: '#8ab4f8' } },
    fab: { backgroundColor: '#2a3135', color: '#8ab4f8' },
  };
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  const answer = await fetch('openapi.json');
  const spec = shortened(await answer.json()) as object;
  const draw = () => {
    const options = {
      hideDownloadButton: true,
      disableSearch: true,
      sideNavStyle: 'path-only',
      theme: scheme.matches ? dark : {},
    };
    Redoc.init(spec, options, document.getElementById('redoc'));
  };
  draw();
  scheme.addEventListener('change', draw);
}
