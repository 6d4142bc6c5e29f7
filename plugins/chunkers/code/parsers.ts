import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Parser, Tree } from 'web-tree-sitter';
import type { Language } from './languages.ts';

/** Parses code with grammars that are loaded at first use, and keeps one parser per language. */
export interface Parsers {
  /**
   * Gives the tree of a text to `use` and deletes it afterwards; no tree if the parse took longer than the
   * budget.
   */
  parse<T>(language: Language, text: string, limits: ParseLimits, use: (tree: Tree | null) => T): Promise<T>;
}

export interface ParseLimits {
  /** Milliseconds. */
  readonly budget: number;
  readonly signal: AbortSignal;
}

export async function createParsers(): Promise<Parsers> {
  const { Parser, Language: Grammar } = await import('web-tree-sitter');
  await Parser.init();
  const parsers = new Map<string, Promise<Parser>>();

  async function load(language: Language): Promise<Parser> {
    const parser = new Parser();
    parser.setLanguage(await Grammar.load(fileOf(language)));
    return parser;
  }

  function parserOf(language: Language): Promise<Parser> {
    const key = `${language.package}/${language.grammar}`;
    let parser = parsers.get(key);
    if (parser === undefined) {
      parser = load(language);
      parser.catch(() => parsers.delete(key));
      parsers.set(key, parser);
    }
    return parser;
  }

  return {
    async parse(language, text, { budget, signal }, use) {
      const parser = await parserOf(language);
      const end = performance.now() + budget;
      const tree = parser.parse(text, null, {
        progressCallback: () => performance.now() > end || signal.aborted,
      });
      if (tree === null) parser.reset();
      signal.throwIfAborted();
      try {
        return use(tree);
      } finally {
        tree?.delete();
      }
    },
  };
}

const require = createRequire(import.meta.url);

function fileOf({ package: name, grammar }: Language): string {
  const file = `tree-sitter-${grammar}.wasm`;
  return name === 'tree-sitter-wasms'
    ? join(dirname(require.resolve('tree-sitter-wasms/package.json')), 'out', file)
    : join(dirname(require.resolve('tree-sitter-wasm/manifest.json')), 'out', grammar, file);
}
