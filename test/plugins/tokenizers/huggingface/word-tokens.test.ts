import t from 'tap';
import { WordTokens } from '../../../../plugins/tokenizers/huggingface/words/word-tokens.ts';

/** Words with one token for each unit, whose id is the unit, and how often one was read. */
function createWords() {
  const seen = { reads: 0 };
  const words = new WordTokens((word) => {
    seen.reads++;
    const ids = Array.from(word, (_, index) => word.charCodeAt(index));
    return { ids, ends: ids.map((_, index) => index + 1) };
  });
  return { seen, words };
}

const unitsOf = (text: string): Uint16Array =>
  new Uint16Array(Uint8Array.from(Buffer.from(text, 'utf16le')).buffer);

function tokensOf(words: WordTokens, word: string, hash: number): string {
  const text = `<${word}>`;
  const index = words.find(text, 1, 1 + word.length, hash, unitsOf(text));
  const from = words.firstOf(index);
  const to = from + words.countOf(index);
  if (words.idOf(index) !== word.charCodeAt(0)) return 'wrong id';
  if (words.ends.subarray(from, to).at(-1) !== word.length) return 'wrong ends';
  return String.fromCharCode(...words.ids.subarray(from, to));
}

const wordOf = (number: number): string => `w${number.toString(36)}`;

t.test('reads a word once, and tells words of one hash apart', async (t) => {
  const { seen, words } = createWords();
  for (let time = 0; time < 30; time++) t.equal(tokensOf(words, wordOf(time % 10), 7), wordOf(time % 10));
  t.equal(seen.reads, 10);
});

t.test('words of one hash that differ in one character, whatever their length', async (t) => {
  const { words } = createWords();
  for (let time = 0; time < 2; time++)
    for (let length = 1; length <= 12; length++)
      for (const end of 'abc') {
        const word = 'w'.repeat(length - 1) + end;
        t.equal(tokensOf(words, word, 1000 * length), word);
      }
});

t.test('more words than it holds, of one hash or of many', async (t) => {
  for (const hashOf of [() => 7, (number: number) => Math.imul(number, 0x9e3779b1)]) {
    const { words } = createWords();
    let wrong = 0;
    for (let number = 0; number < 100_000; number++) {
      if (tokensOf(words, wordOf(number), hashOf(number)) !== wordOf(number)) wrong++;
      const earlier = number >> 1;
      if (tokensOf(words, wordOf(earlier), hashOf(earlier)) !== wordOf(earlier)) wrong++;
    }
    t.equal(wrong, 0);
  }
});

t.test('long words and words of many tokens', async (t) => {
  const { words } = createWords();
  for (const length of [63, 64, 65, 5_000, 300_000, 1_000_000, 64]) {
    const text = 'x'.repeat(length);
    const index = words.find(text, 0, length, length, unitsOf(text));
    t.equal(words.countOf(index), length);
  }
});
