import t from 'tap';
import { checkLinearChunker } from '../../../../support/linear-work.ts';
import { HOSTILE_SHAPES, optionsFor } from '../hostile-shapes.ts';

t.test('the work is linear in the text', (t) =>
  checkLinearChunker(
    t,
    'markdown',
    HOSTILE_SHAPES,
    [
      { chunk_size: 3 },
      { chunk_size: 64, numbered_headings: true },
      { chunk_size: 64, carry: ['headings', 'header', 'fence'], count_context: true, include_blocks: true },
    ],
    optionsFor,
  ),
);
