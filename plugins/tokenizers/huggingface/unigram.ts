import type { UnigramFile } from './tokenizer-file.ts';
import { createTrie } from './trie.ts';
import { createWordBuilder, hasInnerMetaspace, type Model } from './word.ts';

/** What an unknown character costs below the worst token. */
const UNKNOWN_PENALTY = 10;

/** Stands for the id of the unknown token where the vocabulary has none. */
const NONE = -1;

/**
 * Scores are read in steps of this size, which single-precision ones are anyway. Sums are exact then,
 * so the best reading of a word does not depend on rounding, nor on what stands before the word.
 */
const SCORE_STEP = 2 ** -24;

/** The most probable reading of a word (Viterbi), in time linear in the word. */
export function createUnigram(file: UnigramFile): Model {
  const ids = new Map(file.vocabulary.map(([token], id) => [token, id]));
  const scores = file.vocabulary.map(([, score]) => Math.round(score / SCORE_STEP) * SCORE_STEP);
  const unknownScore = scores.reduce((least, score) => Math.min(least, score), Infinity) - UNKNOWN_PENALTY;
  if (file.unknownId !== undefined) scores[file.unknownId] = unknownScore;
  const unknownId = file.unknownId ?? NONE;
  const trie = createTrie([...ids.keys()].filter((token) => token !== '' && token.isWellFormed()));
  const idOfNode = new Int32Array(trie.size).fill(-1);
  for (const [token, id] of ids) idOfNode[trie.find(token)] = id;

  /** For each offset of the word, the start and the id of the token that the best reading up to there ends with. */
  function findBest(word: string) {
    const best = new Float64Array(word.length + 1).fill(-Infinity);
    const starts = new Int32Array(word.length + 1);
    const bestIds = new Int32Array(word.length + 1);
    const offer = (start: number, end: number, score: number, id: number): void => {
      const total = (best[start] as number) + score;
      if (total <= (best[end] as number)) return;
      best[end] = total;
      starts[end] = start;
      bestIds[end] = id;
    };

    best[0] = 0;
    for (let start = 0; start < word.length; ) {
      const next = start + ((word.codePointAt(start) as number) > 0xffff ? 2 : 1);
      let hasSingle = false;
      let node = trie.root;
      for (let end = start; end < word.length; ) {
        node = trie.child(node, word.charCodeAt(end++));
        if (node === trie.none) break;
        const id = idOfNode[node] as number;
        if (id === -1) continue;
        offer(start, end, scores[id] as number, id);
        if (end === next) hasSingle = true;
      }
      if (!hasSingle) offer(start, next, unknownScore, unknownId);
      start = next;
    }
    return { starts, bestIds };
  }

  return {
    fusesUnknown: true,
    cutsAtMetaspace: ![...ids.keys()].some(hasInnerMetaspace),
    read(word) {
      const { starts, bestIds } = findBest(word);
      const ends: number[] = [];
      for (let end = word.length; end > 0; end = starts[end] as number) ends.push(end);
      const tokens = createWordBuilder(true);
      for (const end of ends.reverse()) {
        const id = bestIds[end] as number;
        tokens.add(end, id === NONE ? undefined : id, id === unknownId);
      }
      return tokens.word();
    },
  };
}
