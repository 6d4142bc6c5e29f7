import type { Manifest } from '../../../core/kit.ts';

export default {
  kind: 'reader',
  name: 'pdf',
  summary: 'PDF as Markdown, with the page and the box of each line.',
  formats: { extensions: ['.pdf'], mediaTypes: ['application/pdf'] },
  reports: {
    'left-out-lines': 'Lines of headers and footers that pages repeat, which are not in the text.',
    'pages-without-text': 'Numbers of pages without text, such as `3 4`: they are blank, scanned or drawn.',
  },
  needs: {
    packages: ['pdfjs-dist'],
    packageFiles: {
      'pdfjs-dist': [
        'LICENSE',
        'legacy/build/pdf.min.mjs',
        'legacy/build/pdf.worker.min.mjs',
        'cmaps/*',
        'standard_fonts/*',
        // The playground draws scans with these files.
        'wasm/*_nowasm_fallback.js',
      ],
    },
  },
  guarded: true,
} as const satisfies Manifest;
