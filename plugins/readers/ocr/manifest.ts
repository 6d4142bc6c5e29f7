import type { Manifest } from '../../../core/kit.ts';

export default {
  kind: 'reader',
  name: 'ocr',
  summary:
    'Images of text as Markdown, with the box and confidence of each line; scanned pages for the reader of PDFs.',
  formats: {
    extensions: ['.png', '.jpg', '.jpeg', '.tif', '.tiff', '.webp'],
    mediaTypes: ['image/png', 'image/jpeg', 'image/tiff', 'image/webp'],
  },
  reports: {
    'ocr-pages': 'Numbers of pages whose text was recognized in a picture, such as `3 7-9`.',
    'ocr-confidence': 'Mean confidence of what was recognized, from 0 to 1.',
    'uncertain-lines': 'Lines that were recognized with a confidence below 0.8, and are in the text.',
    'unreadable-lines': 'Lines that could not be recognized, which are left out.',
    'unreadable-pages': 'Numbers of pages whose writing could not be recognized, which are left out.',
  },
  options: {
    type: 'object',
    properties: {
      languages: {
        type: 'array',
        items: { type: 'string', pattern: '^[a-z]{3}(_[a-z]{3,8}){0,2}$' },
        maxItems: 6,
        default: [],
        description:
          'Languages to expect in pictures, the most frequent first, such as `["deu", "eng"]`. Each is a package, `@tesseract.js-data/deu`. By default, all that are installed.',
      },
    },
  },
  needs: {
    packages: ['@tesseract.js-data/eng', 'sharp', 'tesseract.js-core'],
    packageFiles: {
      '@tesseract.js-data/eng': ['index.js', '4.0.0_best_int/*'],
      'tesseract.js-core': ['LICENSE', 'tesseract-core-simd-lstm.{js,wasm}'],
    },
  },
  guarded: true,
} as const satisfies Manifest;

export interface OcrOptions {
  readonly languages: readonly string[];
}
