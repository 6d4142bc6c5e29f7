import type { Manifest } from '../../../core/kit.ts';

export default {
  kind: 'reader',
  name: 'mhtml',
  summary: 'Web archives that a browser saved as one file, as Markdown: the page without its resources.',
  formats: {
    extensions: ['.mhtml', '.mht'],
    mediaTypes: ['multipart/related', 'application/x-mimearchive'],
  },
  uses: ['reader/html'],
  guarded: true,
} as const satisfies Manifest;
