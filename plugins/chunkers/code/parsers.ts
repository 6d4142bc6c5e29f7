import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import type { Parser, Range, Tree } from 'web-tree-sitter';
import type { Language } from './languages.ts';

export interface Parsers {
  /**
   * Passes the syntax tree of a text to `use`, then deletes the tree. The tree is null if the parse exceeded its
   * budget. After an exception, all grammars are loaded again, because their memory may be corrupt.
   */
  parse<T>(language: Language, text: string, limits: ParseLimits, use: (tree: Tree | null) => T): Promise<T>;
}

export interface ParseLimits {
  /** Maximum parser steps, each of a hundred operations. A text takes the same number of steps on every machine. */
  readonly budget: number;
  readonly signal: AbortSignal;
  /** Stretches to parse, at least one; default: the whole text. */
  readonly ranges?: Range[] | undefined;
}

export async function createParsers(): Promise<Parsers> {
  let current: Promise<ParserOf> | undefined = createInstance();
  await current;
  return {
    async parse(language, text, limits, use) {
      for (;;) {
        current ??= createInstance();
        const instance = current;
        try {
          const parser = await (await instance)(language);
          if (instance === current) return parseWith(parser, text, limits, use);
        } catch (error) {
          if (error !== limits.signal.reason && instance === current) current = undefined;
          throw error;
        }
      }
    },
  };
}

function parseWith<T>(
  parser: Parser,
  text: string,
  { budget, signal, ranges }: ParseLimits,
  use: (tree: Tree | null) => T,
): T {
  let steps = 0;
  const tree = parser.parse(text, null, {
    progressCallback: () => ++steps > budget || signal.aborted,
    ...(ranges === undefined ? {} : { includedRanges: ranges }),
  });
  if (tree === null) parser.reset();
  try {
    signal.throwIfAborted();
    return use(tree);
  } finally {
    tree?.delete();
  }
}

type ParserOf = (language: Language) => Promise<Parser>;

async function createInstance(): Promise<ParserOf> {
  const binding = importFresh();
  await binding.Parser.init();
  const parsers = new Map<string, Promise<Parser>>();

  async function load(file: string): Promise<Parser> {
    const parser = new binding.Parser();
    parser.setLanguage(await binding.Language.load(await readCompiled(file)));
    return parser;
  }

  return (language) => {
    const file = fileOf(language);
    const parser = parsers.get(file) ?? load(file);
    parsers.set(file, parser);
    return parser;
  };
}

/** The ECMAScript types lack this global. */
declare const WebAssembly: { compile(bytes: Uint8Array): Promise<object> };

/** Keeps one module per file alive, so that V8 does not compile the same bytes again. */
const compiled = new Map<string, object>();

async function readCompiled(file: string): Promise<Uint8Array> {
  const bytes = await readGrammar(file);
  if (!compiled.has(file)) compiled.set(file, await WebAssembly.compile(bytes));
  return bytes;
}

const require = createRequire(import.meta.url);

/**
 * Loads a new copy of `web-tree-sitter`. Node can release a CommonJS module, but not an ES module. Each copy needs its
 * own `require`, because a `require` keeps a reference to each module that it loaded.
 */
function importFresh(): typeof import('web-tree-sitter') {
  const require = createRequire(import.meta.url);
  const file = require.resolve('web-tree-sitter');
  delete require.cache[file];
  const binding = require(file) as typeof import('web-tree-sitter');
  delete require.cache[file];
  return binding;
}

/** The file of a language's grammar; bundled files are compressed. */
export function fileOf({ isBundled, grammar }: Language): string {
  const file = `tree-sitter-${grammar}.wasm`;
  return isBundled
    ? join(import.meta.dirname, 'grammars', `${file}.br`)
    : join(dirname(require.resolve('tree-sitter-wasms/package.json')), 'out', file);
}

export async function readGrammar(file: string): Promise<Uint8Array> {
  const bytes = await readFile(file);
  return file.endsWith('.br') ? brotliDecompressSync(bytes) : bytes;
}
