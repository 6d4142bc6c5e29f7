import t from 'tap';
import { startBlockCounter } from '../../../../support/executed-blocks.ts';
import { checkLinearWork, repeated } from '../../../../support/linear-work.ts';

const SHAPES = repeated('a', '狐', '\u0301', 'the');

t.test('grows linearly on one long word', async (t) => {
  const counter = await startBlockCounter(t);
  const { byteLevelBpe, metaspaceBpe, unigram } = await import(
    '../../../../fixtures/tokenizers/tokenizer-files.ts'
  );
  const { open } = await import('../support/open.ts');
  for (const file of [byteLevelBpe(), metaspaceBpe(), unigram()]) {
    const tokenizer = open(file);
    const countAll = async (text: string) => {
      const tokens = tokenizer.tokenize(text);
      if (tokens.ends().length !== tokens.count(0, text.length)) t.fail('as many ends as tokens');
    };
    await checkLinearWork(t, SHAPES, [{ type: file.model.type }], countAll, counter);
  }
});
