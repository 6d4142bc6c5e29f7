import type { Tree } from 'web-tree-sitter';
import type { Span } from '../../../core/contracts/chunk.ts';
import type { ChunkContext, Chunker } from '../../../core/contracts/chunker.ts';
import type { Factory } from '../../../core/contracts/plugin.ts';
import { ServiceError } from '../../../core/errors.ts';
import { type Cuts, cutAtLines, findCuts } from './cutter.ts';
import { createDetector } from './detection/detect.ts';
import { findLanguage, LANGUAGES, type Language } from './languages.ts';
import type manifest from './manifest.ts';
import type { CodeOptions, LanguageName } from './manifest.ts';
import { placeNodes } from './nodes.ts';
import { createParsers, type Parsers } from './parsers.ts';
import { createSyntax } from './syntax.ts';

/**
 * Steps that a parse may take: a base, and so many for each character, several times what the worst texts of the tests
 * take. Time would not do: the same text would be cut differently on a busy machine.
 */
const BUDGET_BASE = 20_000;
const BUDGET_PER_CHARACTER = 0.1;

const DEFAULT: LanguageName = 'python';

const createCodeChunker: Factory<typeof manifest> = async () => createChunker(await createParsers());

export default createCodeChunker;

/** @param budgetOf steps that the parse of a text of so many characters may take */
export function createChunker(
  parsers: Parsers,
  budgetOf = (characters: number) => BUDGET_BASE + BUDGET_PER_CHARACTER * characters,
): Chunker<CodeOptions> {
  const detect = createDetector();
  return {
    async chunk(text, options, context) {
      const language = await languageOf(text, options, context);
      const limits = { budget: budgetOf(text.length), signal: context.signal };
      return parsers.parse(language, text, limits, (tree) => {
        return tree === null
          ? chunkLines(text, options, context)
          : chunkTree(tree, language, text, options, context);
      });
    },
  };

  async function languageOf(
    text: string,
    { filename, language: given }: CodeOptions,
    context: ChunkContext,
  ): Promise<Language> {
    const name = filename ?? context.document.filename;
    const language = given ?? (name === undefined ? DEFAULT : 'auto');
    if (language !== 'auto') return findLanguage(language) ?? refuse(language);
    const found = await detect(text, name ?? context.document.id);
    context.report('code-language', found.name);
    return found;
  }
}

function chunkTree(
  { rootNode }: Tree,
  language: Language,
  text: string,
  { chunk_size, oversize, include_nodes }: CodeOptions,
  context: ChunkContext,
): readonly Span[] {
  const syntax = createSyntax(language, text);
  const limits = { size: chunk_size, splitsUnits: oversize === 'split', wantsNodes: include_nodes };
  const cuts: Cuts = findCuts(rootNode, text, syntax, context, limits);
  const spans = context.pack([0, ...cuts.offsets, text.length], { size: chunk_size });
  return include_nodes ? placeNodes(spans, cuts.nodes, text, syntax) : spans;
}

function chunkLines(text: string, { chunk_size }: CodeOptions, { divide, report }: ChunkContext): Span[] {
  report('code-fallback', 'lines');
  return divide({ start: 0, end: text.length }, [cutAtLines], { size: chunk_size });
}

function refuse(language: string): never {
  const known = LANGUAGES.map(({ name }) => name).join(', ');
  const problems = `language: there is no language ${JSON.stringify(language)}; known are ${known} and auto.`;
  throw new ServiceError('invalid_parameters', { problems });
}
