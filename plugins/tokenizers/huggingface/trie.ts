/** A set of strings that can be walked one code unit at a time, in one flat hash table. */
export interface Trie {
  /** Number of nodes. */
  readonly size: number;
  readonly root: number;
  /** Stands for a node that is not there. */
  readonly none: number;
  /** The node after `node` on that code unit. */
  child(node: number, unit: number): number;
  /** The node of a string. */
  find(token: string): number;
}

const ROOT = 0;
const NONE = -1;

/** Builds a trie of the tokens. */
export function createTrie(tokens: readonly string[]): Trie {
  const units = tokens.reduce((total, token) => total + token.length, 0);
  const capacity = 2 ** Math.ceil(Math.log2(2 * units + 2));
  const mask = capacity - 1;
  const parents = new Int32Array(capacity).fill(NONE);
  const edges = new Uint16Array(capacity);
  const children = new Int32Array(capacity);
  let size = 1;

  /** The slot of an edge, or the free slot where it would be. */
  function slotOf(node: number, unit: number): number {
    let slot = (Math.imul(node, 0x9e3779b1) ^ Math.imul(unit, 0x85ebca6b)) >>> 0;
    slot = (slot ^ (slot >>> 15)) & mask;
    while (parents[slot] !== NONE && (parents[slot] !== node || edges[slot] !== unit))
      slot = (slot + 1) & mask;
    return slot;
  }

  function child(node: number, unit: number): number {
    const slot = slotOf(node, unit);
    return parents[slot] === NONE ? NONE : (children[slot] as number);
  }

  for (const token of tokens) {
    let node = ROOT;
    for (let index = 0; index < token.length; index++) {
      const unit = token.charCodeAt(index);
      const slot = slotOf(node, unit);
      if (parents[slot] === NONE) {
        parents[slot] = node;
        edges[slot] = unit;
        children[slot] = size++;
      }
      node = children[slot] as number;
    }
  }

  return {
    size,
    root: ROOT,
    none: NONE,
    child,
    find(token) {
      let node = ROOT;
      for (let index = 0; index < token.length && node !== NONE; index++)
        node = child(node, token.charCodeAt(index));
      return node;
    },
  };
}
