import type { LanguageName } from './manifest.ts';

/**
 * How the syntax nodes of a language are cut. A key is the type of a syntax node, or `type:word` for nodes of that type
 * whose first named child is that word (`call:def`).
 */
export interface Rules {
  /** Types whose nodes have a meaning only with their first word, as in `call:def`. */
  readonly worded: readonly string[];
  /** Functions and classes, each with the word before its name in a scope (`class Parser`). */
  readonly units: Readonly<Record<string, string>>;
  /** Nodes that may be cut between the units in them, each with the word before its name in a scope. */
  readonly spaces: Readonly<Record<string, string>>;
  /** Nodes that wrap a unit: `export`, decorators, assignments of functions. */
  readonly wrappers: readonly string[];
  /** Nodes that stay with what follows them, besides comments: attributes, annotations, signatures. */
  readonly leads: readonly string[];
  /** Nodes that stay with what precedes them. */
  readonly tails: readonly string[];
  /** Nodes that open the node around them: they stay with what follows if that fits. */
  readonly openings: readonly string[];
  /** Nodes that close the node around them: they stay with what precedes if that fits. */
  readonly closings: readonly string[];
  /** Nodes whose children count as children of their parent. */
  readonly flat: readonly string[];
  /** Nodes whose inner units are listed even if the node is not cut. */
  readonly containers: readonly string[];
  /** Containers that only group: the nodes in them count as if the group were not there. */
  readonly groups: readonly string[];
  /** Calls that may be given a function, and the nodes between both. */
  readonly calls: readonly string[];
  /**
   * Where the name of a node is, if the common rules do not find it; the first word that finds a name counts. A word is
   * a field or the type of a child, or one of these:
   * - `first`: the first child; `identifiers`: from the first to the last identifier; `*`: the first name at any depth
   * - `itself`; `common`: by the common rules; `none`: the node has no name
   * - `call`: the first argument, if that is a string and a function is given too
   * - `from:operator`, `from:this`: from that word to the parameters; `parameters`: the child before the parameters
   */
  readonly names: Readonly<Record<string, string>>;
}

export interface Language extends Rules {
  readonly name: LanguageName;
  readonly aliases: readonly string[];
  /** Whether its grammar is in `grammars/`, because the package `tree-sitter-wasms` lacks it or has a broken one. */
  readonly isBundled: boolean;
  /** The grammar's name in the name of its file. */
  readonly grammar: string;
  /** Makes a text readable for the grammar without changing its length. */
  readonly prepare?: ((text: string) => string) | undefined;
}

/** The particulars of a language. */
export type Row = Partial<Omit<Language, 'name'>>;
