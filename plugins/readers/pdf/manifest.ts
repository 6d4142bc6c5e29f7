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
    'unread-pages': 'Numbers of pages that are broken, such as `3 7-9`, which are not in the text.',
    'unreadable-characters': 'Characters that are left out, because no font of the file says what they are.',
    'inferred-ligatures':
      'Ligatures of fonts that do not name them, such as fi, which were read by where their codes are.',
    'pages-without-text': 'Numbers of pages without text, such as `3 7-9`: they are blank, scanned or drawn.',
  },
  options: {
    type: 'object',
    properties: {
      keep_furniture: {
        type: 'boolean',
        default: false,
        description:
          'Keeps headers, footers, page numbers and stamps in margins in the text, where they stand.',
      },
      tables: {
        enum: ['auto', 'markdown'],
        default: 'auto',
        description:
          '`auto` writes tables as Markdown tables, but those without rules, blank cells and wrapped cells as lines with tabs between the cells. `markdown` writes all as Markdown tables.',
      },
    },
  },
  needs: {
    packages: ['@hyzyla/pdfium'],
    packageFiles: { '@hyzyla/pdfium': ['LICENSE.md', 'dist/index.esm.js', 'dist/pdfium.wasm'] },
  },
  guarded: true,
} as const satisfies Manifest;

export interface PdfOptions {
  readonly keep_furniture: boolean;
  readonly tables: 'auto' | 'markdown';
}
