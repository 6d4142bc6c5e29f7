import t from 'tap';
import type { Collaborators } from '../../../../../core/contracts/plugin.ts';
import { startBlockCounter } from '../../../../support/executed-blocks.ts';
import { checkLinearWork, repeated } from '../../../../support/linear-work.ts';

t.test('counting all spans of a text does work linear in their number', async (t) => {
  const counter = await startBlockCounter(t);
  const { default: create } = await import('../../../../../plugins/tokenizers/byte/index.ts');
  const byte = await (await create({} as Collaborators & Record<string, unknown>)).open('byte');
  const countAll = async (text: string) => {
    const tokens = byte?.tokenize(text);
    for (let start = 0; start < text.length; start += 5) tokens?.count(start, text.length);
  };
  await checkLinearWork(t, repeated('aé漢👍'), [{}], countAll, counter);
});
