import t from 'tap';
import { WordTokens } from '../../../../plugins/tokenizers/huggingface/words/word-tokens.ts';

/** One token for each unit; its id is the unit. Counts how often it is asked. */
function createReader() {
  const reader = {
    calls: 0,
    read(word: string) {
      reader.calls++;
      const ids = Array.from(word, (_, index) => word.charCodeAt(index));
      return { ids, ends: ids.map((_, index) => index + 1) };
    },
  };
  return reader;
}

function tokensOf(words: WordTokens, word: string, hash: number): string {
  const text = `<${word}>`;
  const index = words.find(text, 1, 1 + word.length, hash);
  const [from, to] = [words.first[index], words.first[index + 1]];
  if (words.ends.subarray(from, to).at(-1) !== word.length) return 'wrong ends';
  return String.fromCharCode(...words.ids.subarray(from, to));
}

const wordOf = (number: number): string => `w${number.toString(36)}`;

t.test('reads a word once, and tells words of one hash apart', async (t) => {
  const reader = createReader();
  const words = new WordTokens(reader.read);
  for (let round = 0; round < 3; round++) {
    for (let number = 0; number < 10; number++) t.equal(tokensOf(words, wordOf(number), 7), wordOf(number));
  }
  t.equal(reader.calls, 10);
});

t.test('more words than it holds, of one hash or of many', async (t) => {
  for (const hashOf of [() => 7, (number: number) => Math.imul(number, 0x9e3779b1)]) {
    const words = new WordTokens(createReader().read);
    let wrong = 0;
    for (let number = 0; number < 200_000; number++) {
      if (tokensOf(words, wordOf(number), hashOf(number)) !== wordOf(number)) wrong++;
      const earlier = number >> 1;
      if (tokensOf(words, wordOf(earlier), hashOf(earlier)) !== wordOf(earlier)) wrong++;
    }
    t.equal(wrong, 0);
  }
});

t.test('long words and words of many tokens', async (t) => {
  const words = new WordTokens(createReader().read);
  for (const length of [63, 64, 65, 5_000, 300_000, 1_000_000, 64]) {
    const index = words.find('x'.repeat(length), 0, length, length);
    t.equal((words.first[index + 1] as number) - (words.first[index] as number), length);
  }
});
