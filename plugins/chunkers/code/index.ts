import type { Tree } from 'web-tree-sitter';
import {
  type ChunkContext,
  type Chunker,
  type Factory,
  type Located,
  refusedError,
  type Span,
} from '../../../core/kit.ts';
import { type Cuts, cutAtLines, type FoundNode, findCuts } from './cutter.ts';
import { createDetector } from './detection/detect.ts';
import { findLanguage, LANGUAGES, type Language } from './languages.ts';
import type manifest from './manifest.ts';
import type { CodeOptions, LanguageName } from './manifest.ts';
import { createParsers, type Parsers } from './parsers.ts';
import { nameOf, type Syntax, unitOf } from './syntax.ts';

/**
 * Steps that a parse may take: a base plus a number per character, several times what the worst texts of the tests
 * take. A time limit would cut the same text differently on a busy machine.
 */
const BUDGET_BASE = 20_000;
const BUDGET_PER_CHARACTER = 0.1;

const DEFAULT: LanguageName = 'python';

const createCodeChunker: Factory<typeof manifest> = async () => createChunker(await createParsers());

export default createCodeChunker;

/** @param budgetOf steps that the parse of a text of this many characters may take */
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
  { chunk_size, oversize, include_nodes, separate_functions }: CodeOptions,
  context: ChunkContext,
): readonly Span[] {
  const syntax: Syntax = { ...language, text };
  const limits = {
    size: chunk_size,
    oversize,
    wantsNodes: include_nodes,
    separatesFunctions: separate_functions,
  };
  const cuts: Cuts = findCuts(rootNode, syntax, context, limits);
  const runs = runsOf(cuts, text);
  const spans = runs.flatMap((run) => context.pack(run, { size: chunk_size }));
  return include_nodes ? placeNodes(spans, cuts.nodes, syntax) : spans;
}

/** The cuts between each two seams, with these. Punctuation alone, such as the end of a class, is not separated. */
function runsOf({ offsets, seams }: Cuts, text: string): number[][] {
  const runs: [number, ...number[]][] = [[0]];
  for (const offset of [...offsets, text.length]) {
    const run = runs.at(-1) as [number, ...number[]];
    run.push(offset);
    const isEnd = offset < text.length && seams.has(offset);
    if (isEnd && /[\p{L}\p{N}]/u.test(text.slice(run[0], offset))) runs.push([offset]);
  }
  return runs;
}

function chunkLines(text: string, { chunk_size }: CodeOptions, { divide, report }: ChunkContext): Span[] {
  report('code-fallback', 'lines');
  return divide({ start: 0, end: text.length }, [cutAtLines], { size: chunk_size });
}

function refuse(language: string): never {
  const known = LANGUAGES.map(({ name }) => name).join(', ');
  const problems = `language: there is no language ${JSON.stringify(language)}; available: ${known} and auto.`;
  throw refusedError(problems);
}

/** Gives each span the list `nodes` of what it contains; a node that was cut at lines is in several spans. */
function placeNodes(spans: readonly Span[], found: readonly FoundNode[], syntax: Syntax): Span[] {
  let first = 0;
  return spans.map((span) => {
    const nodes: Located[] = [];
    while (first < found.length && (found[first] as FoundNode).end <= span.start) first++;
    for (let index = first; index < found.length; index++) {
      const node = found[index] as FoundNode;
      if (node.start >= span.end) break;
      const start = Math.max(node.start, span.start);
      const end = Math.min(node.end, span.end);
      if (start < end) nodes.push({ start, end, fields: fieldsOf(node, start, end, syntax) });
    }
    return { ...span, located: { nodes } };
  });
}

function fieldsOf({ node, scope, ...whole }: FoundNode, start: number, end: number, syntax: Syntax) {
  const { text } = syntax;
  const unit = unitOf(syntax, node) ?? node;
  const name = nameOf(syntax, node);
  const first = node.startPosition.row + 1 + lineBreaks(text, whole.start, start);
  return {
    type: unit.type,
    ...(name === undefined ? {} : { name }),
    start_line: first,
    end_line: first + lineBreaks(text, start, endOfText(text, start, end)),
    ...(scope.length === 0 ? {} : { scope }),
  };
}

/** The end without line breaks; in some grammars a node includes the one after it. */
function endOfText(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && (text[at - 1] === '\n' || text[at - 1] === '\r')) at--;
  return at;
}

function lineBreaks(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', start); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
