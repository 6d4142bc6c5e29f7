import { NAME } from '../../config/version.ts';

/** Content-Security-Policy of both pages: they load nothing from other hosts; their styles are inline. */
export const PAGE_POLICY = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:'],
  'font-src': ["'self'"],
  'connect-src': ["'self'"],
  'base-uri': ["'none'"],
  'frame-ancestors': ["'none'"],
};

/** Phones show a page without it as wide as that of a computer, too small to read. */
const VIEWPORT = '<meta name="viewport" content="width=device-width, initial-scale=1">';

/** The bar at the top of both pages, which leads from one to the other. */
const BAR_STYLE = `body { margin: 0 }
.pages { display: flex; flex-wrap: wrap; gap: 0.5em 1.5em; align-items: center; padding: 0.8em 1.5em; font: 16px sans-serif; background: #263238 }
.pages a { color: #cfd8dc; text-decoration: none }
.pages a:hover { color: #fff; text-decoration: underline }
.pages strong { color: #fff }`;

/** The links of the bar; the addresses are relative, so that they lead right below a prefix too. */
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

/** A letter on a square, instead of the icon of a library. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#263238"/><text x="16" y="23" font-family="sans-serif" font-size="20" fill="#fff" text-anchor="middle">C</text></svg>`;

/** What Swagger UI shows besides the document. `/docs/` is the same page as `/docs`, a level further down. */
export function swaggerTheme(hasPlayground: boolean) {
  const [below, here] = ['../', ''].map((base) => JSON.stringify(bar(base, hasPlayground)));
  // Its page cannot be given a line of the head in another way.
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

export const redocPage = (hasPlayground: boolean) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8">${VIEWPORT}<title>${NAME}</title>
<link rel="icon" type="image/svg+xml" href="data:image/svg+xml;base64,${Buffer.from(ICON).toString('base64')}">
<style>${BAR_STYLE}</style></head>
<body>${bar('', hasPlayground)}<div id="redoc"></div>
<script src="redoc/redoc.js"></script><script src="redoc/start.js"></script></body>
</html>`;

export const REDOC_START = `Redoc.init('openapi.json', { hideDownloadButton: true, disableSearch: true, sideNavStyle: 'path-only', sortOperationsAlphabetically: false }, document.getElementById('redoc'));`;

/** The only address of another host in Redoc's script: a logo. */
export const REDOC_LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg';
