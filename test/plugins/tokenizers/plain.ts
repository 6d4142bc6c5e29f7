import fc from 'fast-check';
import type { Test } from 'tap';
import type { Collaborators } from '../../../core/contracts/plugin.ts';
import type { Tokenizer, TokenizerProvider } from '../../../core/contracts/tokenizer.ts';

type Create = (
  given: Collaborators & Record<string, unknown>,
) => Promise<TokenizerProvider> | TokenizerProvider;

/** Code points of one to four bytes, halves of pairs and white space, long enough for several checkpoints. */
const UNITS = [...'a \n\t\0é漢👍\u00a0', 'word', '  ', '\r\n', '\ud83d', '\udc4d'];
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.array(fc.constantFrom(...UNITS), { maxLength: 300 }).map((units) => units.join('')),
);

/** Holds that a tokenizer of rules has the tokens of its definition; that spans count as texts the contract holds. */
export async function testPlainTokenizer(
  t: Test,
  create: Create,
  name: string,
  tokensOf: (text: string) => readonly string[],
): Promise<void> {
  const tokenizer = (await (await create({} as Parameters<Create>[0])).open(name)) as Tokenizer;
  t.test('counts every span by its definition, and ends where its tokens do', async () => {
    fc.assert(
      fc.property(anyText, fc.nat(), fc.nat(), (text, one, other) => {
        const start = one % (text.length + 1);
        const end = start + (other % (text.length - start + 1));
        let at = 0;
        const ends = tokensOf(text).map((token) => (at += token.length));
        const tokens = tokenizer.tokenize(text);
        return (
          tokens.count(start, end) === tokensOf(text.slice(start, end)).length &&
          `${tokens.ends()}` === `${ends}`
        );
      }),
    );
  });
}
