import t from 'tap';
import { checkLinearChunker } from '../../../../support/linear-work.ts';
import { HOSTILE_SHAPES } from '../hostile-shapes.ts';

t.test('the work is linear in the text, however it is nested or broken', (t) =>
  checkLinearChunker(t, 'html', HOSTILE_SHAPES, [
    { chunk_size: 40, carry: ['headings', 'header'], count_context: true },
    { chunk_size: 3, split_level: 6, oversize: 'keep', skip: ['i', 'section', 'svg'] },
  ]),
);
