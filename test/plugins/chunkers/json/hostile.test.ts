import t from 'tap';
import { checkLinearWork } from '../../../support/linear-work.ts';
import { composeQuietly, runTask } from '../../../support/service.ts';
import { HOSTILE_SHAPES, optionsFor } from './hostile-shapes.ts';

const REQUESTS = [{}, { chunk_size: 3 }];
const { service } = await composeQuietly();

t.test('the work is linear in the text', (t) =>
  checkLinearWork(t, HOSTILE_SHAPES, REQUESTS, (text, options, shape) =>
    runTask(service, { run: 'chunk', name: 'json' }, { text, ...options, ...optionsFor(shape) }),
  ),
);
