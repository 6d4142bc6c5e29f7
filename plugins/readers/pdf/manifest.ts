import type { Manifest } from '../../../core/kit.ts';

export default {
  kind: 'reader',
  name: 'pdf',
  summary: 'PDF as Markdown, with the page and the box of each line.',
  formats: { extensions: ['.pdf'], mediaTypes: ['application/pdf'] },
  reports: {
    'heading-sources': 'What headings were found by: `bookmark 12, style 5, uncertain 7`.',
    'left-out-lines':
      'Lines of headers and footers, and header rows that a table repeats on later pages, which are left out.',
    'hidden-texts': 'Texts of hidden layers and outside the page, which are left out.',
    'cut-strings': 'Strings of more than 32,767 bytes, whose rest is left out.',
    'unread-pages': 'Broken pages, such as `3 7-9`, which are left out.',
    'unreadable-characters': 'Characters that no font explains, which are left out.',
    'inferred-ligatures': 'Ligatures that a font does not name, read by where their codes are.',
    'pages-without-text': 'Numbers of pages without text, such as `3 7-9`: they are blank, scanned or drawn.',
  },
  options: {
    type: 'object',
    properties: {
      keep_furniture: {
        type: 'boolean',
        default: false,
        description:
          'Keeps headers, footers, page numbers, stamps in margins and repeated header rows of tables in the text, where they stand.',
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
  chooses: ['reader/ocr'],
  guarded: true,
} as const satisfies Manifest;

export interface PdfOptions {
  readonly keep_furniture: boolean;
  readonly tables: 'auto' | 'markdown';
}
