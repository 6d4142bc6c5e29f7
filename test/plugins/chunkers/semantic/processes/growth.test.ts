import t from 'tap';
import { checkLinearChunker, repeated } from '../../../../support/linear-work.ts';

const SHAPES = repeated('Bread rises. Dough is baked. A rocket flies. The moon is far away. ');

t.test('the work of all modes is linear in the text', (t) =>
  checkLinearChunker(t, 'semantic', SHAPES, [
    { skip_window: 20 },
    { similarity_window: 1000 },
    { mode: 'cluster', chunk_size: 400 },
  ]),
);
