const K1 = 1.2;
const B = 0.75;

/** Ranks passages by BM25 over lower-case words, the usual baseline of a search. */
export function createBm25(passages: readonly string[]): (query: string) => number[] {
  const bags = passages.map((passage) => countWords(passage));
  const lengths = passages.map((passage) => wordsOf(passage).length);
  const meanLength = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  const idf = (word: string) => {
    const having = bags.filter((bag) => bag.has(word)).length;
    return Math.log(1 + (passages.length - having + 0.5) / (having + 0.5));
  };
  return (query) => {
    const words = [...new Set(wordsOf(query))].map((word) => ({ word, weight: idf(word) }));
    const scores = bags.map((bag, index) => {
      const norm = K1 * (1 - B + (B * (lengths[index] as number)) / meanLength);
      return words.reduce((sum, { word, weight }) => {
        const count = bag.get(word) ?? 0;
        return sum + (weight * count * (K1 + 1)) / (count + norm);
      }, 0);
    });
    return ranking(scores);
  };
}

/** Indices of the scores, the highest first. */
export function ranking(scores: readonly number[]): number[] {
  return scores.map((_, index) => index).sort((a, b) => (scores[b] as number) - (scores[a] as number));
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function countWords(text: string): Map<string, number> {
  const bag = new Map<string, number>();
  for (const word of wordsOf(text)) bag.set(word, (bag.get(word) ?? 0) + 1);
  return bag;
}
