import type { LanguageName } from './manifest.ts';

/**
 * How the syntax nodes of a language are cut. A key is the type of a syntax node, or `type:word` for nodes of that type
 * whose first named child is that word (`call:def`).
 */
export interface Rules {
  /** Types of nodes that have a meaning only with their first word, as in `call:def`. */
  readonly worded: readonly string[];
  /** Functions and classes, which are never broken, and their names in a scope (`class Parser`). */
  readonly units: Readonly<Record<string, string>>;
  /** Nodes that contain units and may be cut between them, and their names in a scope. */
  readonly spaces: Readonly<Record<string, string>>;
  /** Nodes around a unit that are one with it: `export`, decorators, assignments of functions. */
  readonly wrappers: readonly string[];
  /** Nodes that stay with what follows them, besides comments: attributes, annotations, signatures. */
  readonly leads: readonly string[];
  /** Nodes that stay with what precedes them. */
  readonly tails: readonly string[];
  /** Nodes that open and close what contains them: they stay with what follows or precedes them if that fits. */
  readonly openings: readonly string[];
  readonly closings: readonly string[];
  /** Nodes without a meaning of their own: their children count as children of their parent. */
  readonly flat: readonly string[];
  /** Nodes that list what is in them even if they are not cut, as `spaces` or because units may be in them. */
  readonly containers: readonly string[];
  /** Those of `containers` that only group: what is in them counts as if they were not there. */
  readonly groups: readonly string[];
  /** Nodes between a function and the call that it is given to, with that call. */
  readonly calls: readonly string[];
  /**
   * Where the name of a node is, if the common rules do not find it. The first word that finds a name counts. A word is
   * a field or the type of a child, `first` (child), `itself`, `identifiers` (from the first to the last of its
   * children), `call` (its first argument, if that is a string and a function is given too), `from:operator`
   * and `from:this` (from that word to the parameters), `parameters` (the child before the parameters), `*` (the first within), `common` (by the common rules), or `none`.
   */
  readonly names: Readonly<Record<string, string>>;
}

/** What the chunker knows about a language. */
export interface Language extends Rules {
  readonly name: LanguageName;
  /** Aliases that a request may use. */
  readonly aliases: readonly string[];
  /** Whether its grammar is one of `grammars/`, because the package `tree-sitter-wasms` lacks it or has a broken one. */
  readonly isBundled: boolean;
  /** Name of the grammar in its file's name. */
  readonly grammar: string;
  /** Makes a text of the same length that the grammar can read. */
  readonly prepare?: ((text: string) => string) | undefined;
}

/** What is particular to a language. */
export type Row = Partial<Omit<Language, 'name'>>;
