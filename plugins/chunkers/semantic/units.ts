import { isBlank } from '../../../core/kit.ts';
import { findMarkdownBlocks, type MarkdownBlock } from '../../toolkit/markdown/index.ts';

/**
 * The boundaries of the units of a text that may begin a topic: sentences, and blocks of Markdown that stay together. A
 * heading goes with the text below it. A list, a table or a fence stays whole, with a paragraph above it that ends in a
 * colon.
 *
 * @param sentences the boundaries of all sentences, rising
 */
export function unitBoundaries(text: string, sentences: readonly number[]): number[] {
  const kept: number[] = [];
  let at = 0;
  for (const { from, to, begins, ends } of joinedStretches(text)) {
    while ((sentences[at] as number) <= from) kept.push(sentences[at++] as number);
    // The sentence before a short heading may include it.
    if (begins && !isBlank(text.slice(kept.at(-1), from))) kept.push(from);
    while ((sentences[at] as number) < to) at++;
    // The sentence after a short last line, as of a fence, may include it.
    if (ends && !isBlank(text.slice(to, sentences[at]))) kept.push(to);
  }
  return kept.concat(sentences.slice(at));
}

/** A stretch of the text without boundaries inside. */
interface Stretch {
  readonly from: number;
  to: number;
  /** Whether `from` is always a boundary, and whether `to` is one. */
  readonly begins: boolean;
  ends: boolean;
}

const WHOLE: ReadonlySet<string> = new Set<MarkdownBlock['kind']>(['front_matter', 'fence', 'list', 'table']);

const COLON = /[:：]\s*$/;

function joinedStretches(text: string): Stretch[] {
  const blocks = findMarkdownBlocks(text).filter(({ depth }) => depth === 0);
  const stretches: Stretch[] = [];
  const add = (from: number, to: number, begins: boolean, ends: boolean) => {
    const last = stretches.at(-1);
    if (last === undefined || from >= last.to) stretches.push({ from, to, begins, ends });
    else if (to > last.to) Object.assign(last, { to, ends });
  };
  for (const [index, { kind, start, end }] of blocks.entries()) {
    const next = blocks[index + 1];
    if (kind === 'heading') add(start, next === undefined ? end : next.start + 1, true, false);
    else if (WHOLE.has(kind)) add(start, end, false, true);
    else if (
      next !== undefined &&
      WHOLE.has(next.kind) &&
      COLON.test(text.slice(Math.max(end - 8, start), end))
    )
      add(end - 1, next.start + 1, false, false);
  }
  return stretches;
}

/**
 * A space between letters of Thai or Lao, which have no mark that ends a sentence: spaces are between sentences and clauses.
 */
const CLAUSE_END = /(?<=[\p{sc=Thai}\p{sc=Laoo}]) +(?=[\p{sc=Thai}\p{sc=Laoo}])/gv;
/** Minimum UTF-16 units of a piece that ends at a clause. The topic of a shorter one is unreliable. */
const MIN_CLAUSES = 80;

/** Adds boundaries at ends of clauses in scripts that have no mark for the end of a sentence. */
export function withClauses(text: string, sentences: readonly number[]): readonly number[] {
  const found: number[] = [];
  let next = 1;
  for (const { 0: spaces, index } of text.matchAll(CLAUSE_END)) {
    const at = index + spaces.length;
    while ((sentences[next] as number) <= at) found.push(sentences[next++] as number);
    const last = found.at(-1) ?? 0;
    if (at - last >= MIN_CLAUSES && (sentences[next] as number) - at >= MIN_CLAUSES) found.push(at);
  }
  return found.length === 0 ? sentences : [0, ...found, ...sentences.slice(next)];
}
