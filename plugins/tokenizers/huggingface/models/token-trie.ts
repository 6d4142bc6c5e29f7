/** A set of strings that can be walked one code unit at a time, in one flat hash table. */
export interface TokenTrie {
  /** Number of nodes. */
  readonly size: number;
  /** The node after `node` on that code unit, or `NO_NODE`. */
  child(node: number, unit: number): number;
}

/** The node that every walk starts at. */
export const ROOT = 0;

/** Stands for a node that is not there. */
export const NO_NODE = -1;

/** Builds a trie of the tokens. */
export function createTokenTrie(tokens: readonly string[]): TokenTrie {
  const units = tokens.reduce((total, token) => total + token.length, 0);
  const capacity = 2 ** Math.ceil(Math.log2(2 * units + 2));
  const mask = capacity - 1;
  const parents = new Int32Array(capacity).fill(NO_NODE);
  const edges = new Uint16Array(capacity);
  const children = new Int32Array(capacity);
  let size = 1;

  /** The slot of an edge, or the free slot where it would be. */
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

  for (const token of tokens) walk(token, childOrNew);
  return { size, child };
}

/** The node of a string, or `NO_NODE`. */
export function findNode(trie: TokenTrie, token: string): number {
  return walk(token, (node, unit) => (node === NO_NODE ? NO_NODE : trie.child(node, unit)));
}

function walk(token: string, step: (node: number, unit: number) => number): number {
  let node = ROOT;
  for (let index = 0; index < token.length; index++) node = step(node, token.charCodeAt(index));
  return node;
}
