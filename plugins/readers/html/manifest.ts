import type { Manifest } from '../../../core/kit.ts';

export default {
  kind: 'reader',
  name: 'html',
  summary: 'Web pages as Markdown: what a browser shows, without tags, scripts and styles.',
  formats: {
    extensions: ['.html', '.htm', '.xhtml', '.xht'],
    mediaTypes: ['text/html', 'application/xhtml+xml'],
  },
  reports: {
    'source-encoding-inferred':
      '`true` if the encoding was inferred from the bytes: none was given, and none or a wrong one was declared.',
    'source-encoding-confidence': 'How sure an inferred encoding is, from 0 to 1: `0.87`.',
    'source-odd-bytes':
      'How many bytes are invalid in the inferred encoding UTF-8, and were read as windows-1252; missing if none is.',
    'html-left-out': 'How many elements and comments were left out, by name: `comment 2; script 3; style 1`.',
    'html-content':
      'What was read with `content` `main`: `main`, or `all` if the page has nothing that looks like an article.',
  },
  options: {
    type: 'object',
    properties: {
      content: {
        enum: ['all', 'main'],
        default: 'all',
        description:
          '`main` leaves out what is around the article of a page, such as navigation, by the rules of the reader view of Firefox.',
      },
    },
  },
  needs: {
    packages: ['parse5', 'entities', '@mozilla/readability', 'linkedom', 'jschardet'],
    packageFiles: {
      jschardet: ['build/**/*.js'],
      linkedom: ['esm/**', 'commonjs/**', 'node_modules/**'],
      // Dependencies of linkedom, without tests and alternative builds.
      'css-what': ['dist/**'],
      cssomnom: ['dist/{parse,CSSStyleDeclaration-*}.js'],
    },
  },
  guarded: true,
} as const satisfies Manifest;

export interface HtmlOptions {
  readonly content: 'all' | 'main';
}
