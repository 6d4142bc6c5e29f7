import fc from 'fast-check';
import { TRAINING_TEXT } from '../../../../fixtures/tokenizers/tokenizer-files.ts';

const traps = '[SEP] [UNK] <s> <unk> <|endoftext|> <0x41> ▁ ▁▁ ##ing \u0301 e\u0301 ㅋㅋㅏ'.split(' ');
const oddities = '\ud83d|\udc4d|\0|\ufffd|\u200b|\u00a0|\r\n|ΑΣ |ΑΣ.Β|İ|ﬁ|½|…|ｶﾞ|～| |  |\n\n|\t'.split('|');
/** Texts of what tokenizers find hard, between words that they know. */
export const texts = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...TRAINING_TEXT.split(/(?<= )/)) },
      fc.constantFrom(...traps, ...oddities, '각'.normalize('NFD'), 'x'.repeat(101)),
      fc.string({ unit: 'binary', maxLength: 5 }),
      fc.string({ unit: 'grapheme', maxLength: 5 }),
    ),
    { maxLength: 10 },
  )
  .map((parts) => parts.join(''));
