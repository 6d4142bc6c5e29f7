import { splitsCodePoint } from '../../../../core/kit.ts';
import type { UnigramConfig } from '../tokenizer-file.ts';
import { hasInnerMetaspace, WordBuilder, type WordModel } from './word.ts';

/** How much lower an unknown character scores than the worst token. */
const UNKNOWN_PENALTY = 10;

const NONE = -1;

/**
 * Scores are rounded to multiples of this step, like scores in single precision. Sums of scores are then
 * exact: the best reading of a word does not depend on the text before the word.
 */
const SCORE_STEP = 2 ** -24;

/** Finds the most probable reading of a word (Viterbi) in linear time. */
export function createUnigram(config: UnigramConfig): WordModel {
  const vocabulary = readVocabulary(config);
  return {
    fusesUnknown: true,
    cutsAtMetaspace: !config.vocabulary.some(([token]) => hasInnerMetaspace(token)),
    read(word) {
      const { starts, ids } = findBest(vocabulary, word);
      const ends: number[] = [];
      for (let end = word.length; end > 0; end = starts[end] as number) ends.push(end);
      const tokens = new WordBuilder(true);
      for (const end of ends.reverse()) {
        const id = ids[end] as number;
        tokens.add(end, id === NONE ? undefined : id, id === vocabulary.unknownId);
      }
      return tokens;
    },
  };
}

interface Vocabulary {
  readonly trie: TokenTrie;
  readonly scores: readonly number[];
  readonly unknownId: number;
  readonly unknownScore: number;
}

function readVocabulary({ vocabulary, unknownId }: UnigramConfig): Vocabulary {
  const ids = new Map(vocabulary.map(([token], id) => [token, id]));
  const scores = vocabulary.map(([, score]) => Math.round(score / SCORE_STEP) * SCORE_STEP);
  const unknownScore = scores.reduce((least, score) => Math.min(least, score), Infinity) - UNKNOWN_PENALTY;
  if (unknownId !== undefined) scores[unknownId] = unknownScore;
  const trie = createTokenTrie([...ids].filter(([token]) => token.isWellFormed()));
  return { trie, scores, unknownId: unknownId ?? NONE, unknownScore };
}

/** Returns, for each offset in the word, the last token of the best reading up to there: its start and id. */
function findBest({ trie, scores, unknownId, unknownScore }: Vocabulary, word: string) {
  const best = new Float64Array(word.length + 1).fill(-Infinity);
  const starts = new Int32Array(word.length + 1);
  const ids = new Int32Array(word.length + 1);
  const offer = (start: number, end: number, score: number, id: number): void => {
    const total = (best[start] as number) + score;
    if (total <= (best[end] as number)) return;
    best[end] = total;
    starts[end] = start;
    ids[end] = id;
  };

  best[0] = 0;
  for (let start = 0; start < word.length; ) {
    const next = start + (splitsCodePoint(word, start + 1) ? 2 : 1);
    let hasSingle = false;
    let node = ROOT;
    for (let end = start; end < word.length; ) {
      node = trie.child(node, word.charCodeAt(end++));
      if (node === NO_NODE) break;
      const id = trie.ids[node] as number;
      if (id === NONE) continue;
      offer(start, end, scores[id] as number, id);
      if (end === next) hasSingle = true;
    }
    if (!hasSingle) offer(start, next, unknownScore, unknownId);
    start = next;
  }
  return { starts, ids };
}

interface TokenTrie {
  readonly ids: Int32Array;
  child(node: number, unit: number): number;
}

const ROOT = 0;

const NO_NODE = -1;

function createTokenTrie(tokens: readonly (readonly [token: string, id: number])[]): TokenTrie {
  const units = tokens.reduce((total, [token]) => total + token.length, 0);
  const capacity = 2 ** Math.ceil(Math.log2(2 * units + 2));
  const mask = capacity - 1;
  const parents = new Int32Array(capacity).fill(NO_NODE);
  const edges = new Uint16Array(capacity);
  const children = new Int32Array(capacity);
  const ids = new Int32Array(units + 1).fill(NONE);
  let size = 1;

  function slotOf(node: number, unit: number): number {
    let slot = (Math.imul(node, 0x9e3779b1) ^ Math.imul(unit, 0x85ebca6b)) >>> 0;
    slot = (slot ^ (slot >>> 15)) & mask;
    while (parents[slot] !== NO_NODE && (parents[slot] !== node || edges[slot] !== unit))
      slot = (slot + 1) & mask;
    return slot;
  }

  function child(node: number, unit: number): number {
    const slot = slotOf(node, unit);
    return parents[slot] === NO_NODE ? NO_NODE : (children[slot] as number);
  }

  function childOrNew(node: number, unit: number): number {
    const slot = slotOf(node, unit);
    if (parents[slot] === NO_NODE) {
      parents[slot] = node;
      edges[slot] = unit;
      children[slot] = size++;
    }
    return children[slot] as number;
  }

  for (const [token, id] of tokens) {
    let node = ROOT;
    for (let index = 0; index < token.length; index++) node = childOrNew(node, token.charCodeAt(index));
    ids[node] = id;
  }
  return { ids, child };
}
