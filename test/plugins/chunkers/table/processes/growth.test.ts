import t from 'tap';
import { checkLinearChunker } from '../../../../support/linear-work.ts';
import { HOSTILE_SHAPES } from '../hostile-shapes.ts';

t.test('the work is linear in the text', (t) =>
  checkLinearChunker(t, 'table', HOSTILE_SHAPES, [{}, { chunk_size: 3, count_context: true }]),
);
