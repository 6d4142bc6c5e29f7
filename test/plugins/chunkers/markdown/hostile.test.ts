import t from 'tap';
import { checkLinearWork } from '../../../support/linear-work.ts';
import { composeQuietly, runTask } from '../../../support/service.ts';
import { HOSTILE_SHAPES } from './hostile-shapes.ts';

const REQUESTS = [
  { chunk_size: 3 },
  { chunk_size: 64, carry: ['headings', 'header', 'fence'], count_context: true, include_blocks: true },
];

const { service } = await composeQuietly();
const chunk = (text: string, options: object) =>
  runTask(service, { run: 'chunk', name: 'markdown' }, { text, ...options });
t.test('the work is linear in the text', (t) => checkLinearWork(t, HOSTILE_SHAPES, REQUESTS, chunk));
