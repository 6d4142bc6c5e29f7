import t from 'tap';
import { startBlockCounter } from '../../../../support/executed-blocks.ts';
import { checkLinearWork } from '../../../../support/linear-work.ts';
import { shapesOf } from '../../shapes.ts';

const counter = await startBlockCounter(t);
const { choose } = await import('../../../../../plugins/chunkers/auto/choose.ts');

const SHAPES = shapesOf(
  ...['«a »', '«<!--»', '«[a](b»', '«"»', '«\n"""\n»', '«{»', '«a,»', '«```\n»', '«# a\n»', '«    x»'],
  ...['«=ab\n»', '«a = 1;\n»', '«<p>»', '«--- a\n»', '«--- a\n+++ b\n@@ -1 +1 @@\n»', '«@@\n»'],
  ...['«2026-11-27 22:50:39 a\n»', '«Nov »', '2026-11-27 22:50:39 «a »', '«INFO: »'],
);
const UNNAMED = { filename: undefined, mediaType: undefined };

t.test('the work to choose is linear in the text', (t) => {
  const run = async (text: string) => choose({ text, ...UNNAMED, isTolerant: false, isHere: () => true });
  return checkLinearWork(t, SHAPES, [{}], run, counter);
});
