import type { Manifest } from '../../../core/kit.ts';

export default {
  kind: 'reader',
  name: 'pdf',
  summary: 'PDF as Markdown, with the page and the box of each line.',
  formats: { extensions: ['.pdf'], mediaTypes: ['application/pdf'] },
  reports: {
    'heading-sources':
      'Headings by what they were found by, such as `bookmark 12, style 5, uncertain 7`. Uncertain ones are bold text.',
    'left-out-lines': 'Lines of headers and footers that pages repeat, which are not in the text.',
    'unread-pages': 'Numbers of pages that are broken, such as `3 4`, which are not in the text.',
    'unreadable-characters': 'Characters that are left out, because no font of the file says what they are.',
    'pages-without-text': 'Numbers of pages without text, such as `3 4`: they are blank, scanned or drawn.',
  },
  needs: {
    packages: ['@hyzyla/pdfium'],
    packageFiles: { '@hyzyla/pdfium': ['LICENSE.md', 'dist/index.esm.js', 'dist/pdfium.wasm'] },
  },
  guarded: true,
} as const satisfies Manifest;
