import t from 'tap';
import { checkLinearChunker } from '../../../../support/linear-work.ts';
import { HOSTILE_SHAPES } from '../hostile-shapes.ts';

t.test('the work is linear in the text, however it is nested or broken', (t) =>
  checkLinearChunker(t, 'xml', HOSTILE_SHAPES, [
    { chunk_size: 40, carry: ['headings'], count_context: true },
    { chunk_size: 3, min_chunk_size: 0 },
  ]),
);
