import { chunker } from '../../../support/plugins.ts';

/** A chunker whose pieces are as long as its options say, so that a page shows overlaps and gaps. */
export const PIECES = chunker(
  'pieces',
  `const spans = [];
    const { size, overlap, skip, mode } = options;
    for (let at = 0; at < text.length; at += size) {
      if (skip && spans.length % 3 === 1) { at += 1; }
      spans.push({ start: Math.max(0, at - overlap), end: Math.min(text.length, at + size), extra: { mode } });
    }
    return spans.filter(({ start, end }) => start < end);`,
  {
    uses: ['tokenizer'],
    options: {
      type: 'object',
      properties: {
        size: { type: 'integer', minimum: 2, default: 10, description: 'How long pieces are.' },
        overlap: { type: 'integer', minimum: 0, default: 0 },
        skip: { type: 'boolean', default: false },
        mode: { enum: ['one', 'two', null], default: 'one' },
        only: { type: 'string', default: 'x', effectiveWith: { mode: ['two'] } },
        chunk_size: { type: 'integer', minimum: 1, default: 100 },
      },
    },
    example: { text: 'Some text.', size: 4 },
  },
);

export const TEXT = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** The stages of a setting of the page: pieces with these options. */
export const pieces = (options: object = {}) => [{ kind: 'chunker', name: 'pieces', options }];
