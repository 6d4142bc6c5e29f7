import type { LanguageName } from './manifest.ts';
import { ROWS } from './rows.ts';

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
   * Where the name of a node is, if the common rules do not find it. Of several words the first that finds one counts:
   * a field or the type of a child, `first` (child), `itself`, `identifiers` (from the first to the last of its
   * children), `call` (its first argument, if that is a string and a function is given too), `from:operator`
   * and `from:this` (from that word to the parameters), `parameters` (the child before them), `*` (the first within), `common` (by the common rules), or `none`.
   */
  readonly names: Readonly<Record<string, string>>;
}

/** What the chunker knows about a language. */
export interface Language extends Rules {
  readonly name: LanguageName;
  /** Aliases that a request may use. */
  readonly aliases: readonly string[];
  /** The npm package with its grammar as WebAssembly; the second has those that are missing or broken in the first. */
  readonly package: 'tree-sitter-wasms' | 'tree-sitter-wasm';
  /** Name of the grammar in its package. */
  readonly grammar: string;
  /** Makes a text of the same length that the grammar can read. */
  readonly prepare?: ((text: string) => string) | undefined;
}

const NO_RULES: Rules = {
  worded: [],
  units: {},
  spaces: {},
  wrappers: [],
  leads: [],
  tails: [],
  openings: [],
  closings: [],
  flat: [],
  containers: [],
  groups: [],
  calls: [],
  names: {},
};

/** How the elements and blocks of templates are cut. */
export const MARKUP: Rules = {
  ...NO_RULES,
  spaces: { element: '', block: '', front_matter: '' },
  openings: ['start'],
  closings: ['end'],
};

/** All languages, sorted by name. */
export const LANGUAGES: readonly Language[] = (Object.keys(ROWS) as LanguageName[]).map((name) => ({
  name,
  aliases: [],
  package: 'tree-sitter-wasms',
  grammar: name,
  ...NO_RULES,
  ...ROWS[name],
}));

const BY_NAME: ReadonlyMap<string, Language> = new Map(
  LANGUAGES.flatMap((language) =>
    [language.name, ...language.aliases].map((name): [string, Language] => [name, language]),
  ),
);

/** The language with a name or an alias, case-insensitively. */
export function findLanguage(name: string): Language | undefined {
  return BY_NAME.get(name.toLowerCase());
}
