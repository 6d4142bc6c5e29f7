/** The delimiters that begin with one unit. */
export interface Trie {
  readonly next: Map<number, Trie>;
  isEnd: boolean;
}

export function newTrie(): Trie {
  return { next: new Map(), isEnd: false };
}

/** The tries of delimiters, each with the unit that its delimiters begin with. */
export type Tries = readonly (readonly [unit: string, trie: Trie])[];

/** One trie for each first unit of a delimiter; its root is the node after that unit. */
export function buildTries(delimiters: readonly string[]): Tries {
  const tries = new Map<string, Trie>();
  for (const delimiter of delimiters.filter((delimiter) => delimiter !== '')) {
    const unit = delimiter.charAt(0);
    let trie = tries.get(unit) ?? newTrie();
    tries.set(unit, trie);
    for (let at = 1; at < delimiter.length; at++) {
      const child = trie.next.get(delimiter.charCodeAt(at)) ?? newTrie();
      trie.next.set(delimiter.charCodeAt(at), child);
      trie = child;
    }
    trie.isEnd = true;
  }
  return [...tries];
}

/** End of the longest delimiter of a trie whose first unit is at `at` and that does not reach past `end`, or -1. */
export function matchEnd(trie: Trie, text: string, at: number, end: number): number {
  let node: Trie | undefined = trie;
  let matched = -1;
  for (let to = at + 1; node !== undefined; to++) {
    if (node.isEnd) matched = to;
    node = node.next.size === 0 || to >= end ? undefined : node.next.get(text.charCodeAt(to));
  }
  return matched;
}
