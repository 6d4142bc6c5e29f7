import {
  type ChunkContext,
  type Chunker,
  countUpTo,
  type Factory,
  type Located,
  refusedError,
  type Span,
} from '../../../core/kit.ts';
import { type CutLimits, type Cuts, type EmbeddedStretch, findCuts } from './cutter.ts';
import { createDetector } from './detection/detect.ts';
import { findLanguage, type Language, MARKUP } from './languages.ts';
import { cutAtLines } from './lines.ts';
import type { FoundNode } from './listing.ts';
import type manifest from './manifest.ts';
import { type CodeOptions, type LanguageName, NAMES } from './manifest.ts';

import { membersOf, nameOf } from './naming.ts';
import { createParsers, type Parsers } from './parsers.ts';
import { withoutRepetition } from './repetition.ts';
import { lineStartsOf, type Syntax, unitOf } from './syntax.ts';
import { type Dialect, findDialect } from './templates/dialects.ts';
import { markupTree } from './templates/tree.ts';

/**
 * Maximum steps of a parse: several times what the slowest test texts need. A time limit would cut texts differently
 * on a busy machine.
 */
const BUDGET_BASE = 20_000;
const BUDGET_PER_CHARACTER = 0.1;

const DEFAULT: LanguageName = 'python';

const createCodeChunker: Factory<typeof manifest> = async () => createChunker(await createParsers());

export default createCodeChunker;

/** @param budgetOf computes the maximum steps of a parse from the number of characters */
export function createChunker(
  parsers: Parsers,
  budgetOf = (characters: number) => BUDGET_BASE + BUDGET_PER_CHARACTER * characters,
): Chunker<CodeOptions> {
  const detect = createDetector();
  return {
    check({ language }) {
      if (typeof language !== 'string' || language === 'auto') return [];
      return (findLanguage(language) ?? findDialect(language)) ? [] : [unknownLanguage(language)];
    },
    async chunk(text, options, context) {
      const language = await languageOf(detect, text, options, context);
      const { chunk_size, oversize, include_nodes, separate_functions } = options;
      const limits = {
        size: chunk_size,
        oversize,
        wantsNodes: include_nodes,
        separatesFunctions: separate_functions,
      };
      const work = { text, context, limits };
      const division = 'tags' in language ? await cutTemplate(language, work) : await cutCode(language, work);
      return division === undefined
        ? divideLines(work, { start: 0, end: text.length })
        : packUnits(division, work);
    },
  };

  /** Cuts a text or an embedded stretch. @returns undefined if it is all repetitive or its parse took too long */
  async function cutCode(
    language: Language,
    work: Work,
    stretch?: EmbeddedStretch,
  ): Promise<Division | undefined> {
    const { text, context, limits } = work;
    const range = stretch?.content.range;
    const part = { start: range?.startIndex ?? 0, end: range?.endIndex ?? text.length };
    const ranges = withoutRepetition(text, part);
    if (ranges?.length === 0) return undefined;
    if (ranges !== undefined) context.report('code-fallback', 'lines');
    const given = ranges ?? (range && [range]);
    const parse = { budget: budgetOf(part.end - part.start), signal: context.signal, ranges: given };
    const readable = language.prepare?.(text) ?? text;
    return parsers.parse(language, readable, parse, (tree) => {
      if (tree === null) return undefined;
      const syntax = { ...language, text };
      return described(findCuts(tree.rootNode, syntax, context, limits, stretch), syntax);
    });
  }

  async function cutTemplate(dialect: Dialect, work: Work): Promise<Division> {
    const { text, context, limits } = work;
    const syntax = { ...MARKUP, text };
    const cuts = findCuts(markupTree(text, dialect), syntax, context, limits);
    const all = [described(cuts, syntax)];
    for (const stretch of cuts.embedded)
      all.push((await cutCode(stretch.content.language, work, stretch)) ?? atLines(work, stretch));
    return joined(all);
  }
}

async function languageOf(
  detect: ReturnType<typeof createDetector>,
  text: string,
  { filename, language: given }: CodeOptions,
  context: ChunkContext,
): Promise<Language | Dialect> {
  const name = filename ?? context.document.filename;
  const language = given ?? (name === undefined ? DEFAULT : 'auto');
  if (language !== 'auto') return findLanguage(language) ?? findDialect(language) ?? refuse(language);
  const detected = await detect(text, name ?? context.document.id);
  context.report('code-language', detected.name);
  return detected;
}

interface Work {
  readonly text: string;
  readonly context: ChunkContext;
  readonly limits: CutLimits;
}

/** The cuts and units of a text, kept after its syntax tree is deleted. */
interface Division extends Pick<Cuts, 'offsets' | 'seams'> {
  readonly units: readonly Unit[];
}

function joined(all: readonly Division[]): Division {
  return {
    offsets: all.flatMap(({ offsets }) => offsets).sort((a, b) => a - b),
    seams: new Set(all.flatMap(({ seams }) => [...seams])),
    units: all.flatMap(({ units }) => units).sort((a, b) => a.start - b.start),
  };
}

interface Unit extends Pick<FoundNode, 'start' | 'end' | 'scope'> {
  readonly type: string;
  readonly name: string | undefined;
  readonly members: readonly string[];
}

function described({ offsets, seams, nodes }: Cuts, syntax: Syntax): Division {
  const units = nodes.map(({ node, start, end, scope }) => ({
    start,
    end,
    scope,
    type: (unitOf(syntax, node) ?? node).type,
    name: nameOf(syntax, node),
    members: membersOf(syntax, node),
  }));
  return { offsets, seams, units };
}

function packUnits(division: Division, { text, context, limits }: Work): readonly Span[] {
  const spans = runsOf(division, text).flatMap((run) => context.pack(run, { size: limits.size }));
  return limits.wantsNodes ? withNodes(spans, division.units, text) : spans;
}

/** Groups the cuts into runs that end at seams. A run of only punctuation, such as a class's end, continues. */
function runsOf({ offsets, seams }: Division, text: string): number[][] {
  const runs: [number, ...number[]][] = [[0]];
  for (const offset of [...offsets, text.length]) {
    const run = runs.at(-1) as [number, ...number[]];
    run.push(offset);
    const isEnd = offset < text.length && seams.has(offset);
    if (isEnd && /[\p{L}\p{N}]/u.test(text.slice(run[0], offset))) runs.push([offset]);
  }
  return runs;
}

function divideLines({ context, limits }: Work, { start, end }: Span): Span[] {
  context.report('code-fallback', 'lines');
  return context.divide({ start, end }, [cutAtLines], { size: limits.size });
}

function atLines(work: Work, stretch: EmbeddedStretch): Division {
  const offsets = divideLines(work, stretch).map(({ start }) => start);
  return { offsets: offsets.slice(1), seams: new Set(), units: [] };
}

function unknownLanguage(language: string): string {
  return `language: there is no language ${JSON.stringify(language)}; available: ${NAMES.join(', ')} and auto.`;
}

function refuse(language: string): never {
  throw refusedError(unknownLanguage(language));
}

/** Adds `nodes` to each span. A node that was cut at lines appears in several spans. */
function withNodes(spans: readonly Span[], units: readonly Unit[], text: string): Span[] {
  const lines = lineStartsOf(text);
  let first = 0;
  return spans.map((span) => {
    const nodes: Located[] = [];
    while (first < units.length && (units[first] as Unit).end <= span.start) first++;
    for (let index = first; index < units.length; index++) {
      const unit = units[index] as Unit;
      if (unit.start >= span.end) break;
      const start = Math.max(unit.start, span.start);
      const end = Math.min(unit.end, span.end);
      if (start < end)
        nodes.push({ start, end, fields: fieldsOf(unit, start, endOfText(text, start, end), lines) });
    }
    return { ...span, located: { nodes } };
  });
}

function fieldsOf(
  { type, name, scope, members }: Unit,
  start: number,
  end: number,
  lines: readonly number[],
) {
  return {
    type,
    ...(name === undefined ? {} : { name }),
    start_line: countUpTo(lines, start),
    end_line: countUpTo(lines, end),
    ...(scope.length === 0 ? {} : { scope }),
    ...(members.length === 0 ? {} : { members }),
  };
}

/** Excludes trailing line breaks, which some grammars include in a node. */
function endOfText(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && (text[at - 1] === '\n' || text[at - 1] === '\r')) at--;
  return at;
}
