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
    'html-left-out': 'How many elements and comments were left out, by name: `comment 2; script 3; style 1`.',
  },
  needs: { packages: ['parse5'] },
  guarded: true,
} as const satisfies Manifest;
