import { NAME } from '../../config/version.ts';
import type { Document } from './document.ts';

/** Content-Security-Policy of Swagger UI and Redoc: allows inline styles, and nothing from other hosts. */
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

/** Phones would otherwise show the page at desktop width, too small to read. */
export const VIEWPORT = '<meta name="viewport" content="width=device-width, initial-scale=1">';

export const BAR_STYLE = `body { margin: 0 }
.pages { display: flex; flex-wrap: wrap; gap: 0.5em 1.5em; align-items: center; padding: 0.8em 1.5em; font: 16px sans-serif; background: #263238 }
.pages a { color: #cfd8dc; text-decoration: none }
.pages a:hover { color: #fff; text-decoration: underline }
.pages strong { color: #fff }
.routes { margin: 1.5em; font: 14px/1.8 sans-serif; list-style: none; padding: 0 }
.routes a { color: #1565c0; text-decoration: none }
.routes code { font-size: 13px }
@media (prefers-color-scheme: dark) { body { background: #1c2022; color: #d5dadd } .routes a { color: #8ab4f8 } }`;

/** The bar with links to all pages. Links are relative, so that they also work below a prefix. */
export function bar(base: string, hasPlayground: boolean): string {
  const links = [
    ...(hasPlayground ? [['playground', 'Playground']] : []),
    ['docs', 'Try it out'],
    ['redoc', 'Reference'],
    ['openapi.json', 'OpenAPI document'],
  ];
  const anchors = links.map(([path, text]) => `<a href="${base}${path}">${text}</a>`);
  return `<nav class="pages"><strong>${NAME}</strong>${anchors.join('')}</nav>`;
}

export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#263238"/><text x="16" y="23" font-family="sans-serif" font-size="20" fill="#fff" text-anchor="middle">C</text></svg>`;

/**
 * Returns a list of the operations, one line each. The page shows it until its script has drawn the reference.
 *
 * @param placeOf returns the anchor of an operation in the drawn reference
 */
export function routeList(
  { paths }: Document,
  placeOf: (tag: string, operationId: string) => string,
): string {
  const lines = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { operationId = '', tags = [], summary = '' }]) => {
      const route = `<code>${method.toUpperCase()} ${escaped(path)}</code>`;
      return `<li><a href="${escaped(placeOf(tags[0] ?? '', operationId))}">${route}</a> ${escaped(summary)}</li>`;
    }),
  );
  return `<ul class="routes">${lines.join('\n')}</ul>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`);
}
