import type { Manifest } from '../../../core/kit.ts';

export default {
  kind: 'reader',
  name: 'epub',
  summary:
    'Books in EPUB 2 and 3 as Markdown, in their reading order, with the chapter that each chunk comes from.',
  formats: { extensions: ['.epub'], mediaTypes: ['application/epub+zip'] },
  reports: {
    'left-out':
      'What of the book is not in the text, such as `hidden elements 2; navigation 1`; missing if nothing is.',
  },
  needs: { packages: ['parse5', 'entities'] },
  guarded: true,
} as const satisfies Manifest;
