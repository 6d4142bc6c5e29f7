import pMap from 'p-map';
import { splitsCodePoint } from '../../../../core/engine/cuts/cuts.ts';
import { findMarkdownBlocks } from '../../../../plugins/toolkit/markdown/find-blocks.ts';
import { findSentences } from '../../../../plugins/toolkit/prose/find-sentences.ts';
import type { ServerCradle } from '../../../container.ts';
import { withLinkedStop } from '../../../engine/abort.ts';
import type { CorpusDocument, CorpusQuestion } from './read-corpus.ts';
import { codeChunker, isCode } from './search.ts';

const MIN_QUESTIONS = 60;
const MAX_QUESTIONS = 400;
/** Minimum characters between questions of a document: the first of these that gives enough questions. */
const DISTANCES = [1500, 500, 0];
/** Lengths in UTF-16 code units. */
const QUESTION = { least: 25, most: 300 };
const ANSWER = { least: 40, most: 1500 };

/** A sentence that can be cut out of its text and used as a question. Offsets refer to the whole text. */
interface Derived {
  readonly document: number;
  readonly question: string;
  /** The sentence is `[from, to)`, and its answer `[to, end)`. */
  readonly from: number;
  readonly to: number;
  readonly end: number;
}

export interface Unit {
  readonly start_index: number;
  readonly end_index: number;
  readonly scope?: readonly string[];
}

export type UnitsOf = (document: CorpusDocument) => readonly Unit[] | undefined;

export async function findUnits(
  documents: readonly CorpusDocument[],
  { registry, runner, config }: Pick<ServerCradle, 'registry' | 'runner' | 'config'>,
  signal: AbortSignal,
): Promise<UnitsOf> {
  const { name, options } = codeChunker();
  const isReady = registry.find('chunker', name)?.missing.length === 0;
  const unitsIn = async ({ filename, text }: CorpusDocument): Promise<readonly Unit[]> => {
    const asked = { ...options, oversize: 'members', chunk_size: ANSWER.most, offset_unit: 'utf16' };
    const body = Buffer.from(JSON.stringify({ ...asked, documents: [{ text, filename }] }));
    const { bytes } = await withLinkedStop(signal, (stop) =>
      runner.run({ run: 'chunk', name }, body, stop, { hasNoDeadline: true }),
    );
    const [chunks = []] = JSON.parse(Buffer.from(bytes).toString()) as { readonly nodes: Unit[] }[][];
    return chunks.flatMap(({ nodes }) => nodes);
  };
  const code = documents.filter(({ filename }) => isCode(filename));
  const concurrency = Math.max(1, config.workers);
  const found = await pMap(code, async (one) => [one, isReady ? await unitsIn(one) : []] as const, {
    concurrency,
  });
  const units = new Map(found);
  return (document) => units.get(document);
}

/**
 * Derives questions from the first sentences of paragraphs and of code comments. A question is cut out of its
 * text, and the text that follows is the answer.
 *
 * @param random returns a number from 0 to 1
 */
export function deriveQuestions(
  documents: readonly CorpusDocument[],
  unitsOf: UnitsOf,
  random: () => number,
): { readonly documents: CorpusDocument[]; readonly questions: CorpusQuestion[] } {
  const all = documents.flatMap((one, document) => {
    const units = unitsOf(one);
    const found = units === undefined ? inProse(one.text) : inCode(one.text, units);
    return [...found].map((sentence) => ({ document, ...sentence }));
  });
  const spaced = DISTANCES.map((distance) => apart(all, distance));
  const enough = spaced.find(({ length }) => length >= MIN_QUESTIONS) ?? spaced.at(-1) ?? [];
  const drawn = enough.map((one) => ({ one, key: random() })).sort((a, b) => a.key - b.key);
  const chosen = new Set(drawn.slice(0, MAX_QUESTIONS).map(({ one }) => one));
  const byDocument = Map.groupBy(
    enough.filter((one) => chosen.has(one)),
    ({ document }) => document,
  );
  const questions: CorpusQuestion[] = [];
  const shortened = documents.map((document, index) => {
    let text = '';
    let copied = 0;
    let counted = 0;
    let line = 1;
    for (const { question, from, to, end } of byDocument.get(index) ?? []) {
      text += document.text.slice(copied, from);
      line += document.text.slice(counted, from).split('\n').length - 1;
      copied = to;
      counted = from;
      const answers = [{ document: index, start_index: text.length, end_index: text.length + end - to }];
      questions.push({ question, answers, place: `${document.id}:${line}` });
    }
    return { ...document, text: text + document.text.slice(copied) };
  });
  return { documents: shortened, questions };
}

function apart(all: readonly Derived[], distance: number): Derived[] {
  let last: Derived | undefined;
  return all.filter((one) => {
    const isNear = last?.document === one.document && one.from < Math.max(last.end, last.from + distance);
    if (!isNear) last = one;
    return !isNear;
  });
}

type Sentence = Omit<Derived, 'document'>;

function* inProse(text: string): Generator<Sentence> {
  for (const { kind, inner, end } of findMarkdownBlocks(text)) {
    if (kind !== 'paragraph') continue;
    const paragraph = text.slice(inner, end);
    const [first, second] = findSentences(paragraph, 'en');
    if (first === undefined || second === undefined) continue;
    yield* usable(text, paragraph.slice(0, first), inner, inner + first, inner + paragraph.trimEnd().length);
  }
}

function* inCode(text: string, units: readonly Unit[]): Generator<Sentence> {
  let before: Unit = { start_index: 0, end_index: 0 };
  for (const unit of units) {
    const { start_index: start, end_index: end } = unit;
    // Only comments separate two units of one scope. The text before the first unit may be a comment too.
    const isNext = String(before.scope ?? '') === String(unit.scope ?? '');
    const afterLine = before.end_index === 0 ? 0 : text.indexOf('\n', before.end_index) + 1;
    const line = text.lastIndexOf('\n', start - 1) + 1;
    if (isNext && afterLine < line) yield* inComment(text, blockBefore(text, afterLine, line), line, end);
    const [head = '', quotes = ''] = DOCSTRING.exec(text.slice(start, end)) ?? [];
    const inner = start + head.length;
    if (quotes !== '') yield* inComment(text, inner - quotes.length, text.indexOf(quotes, inner), end);
    before = unit;
  }
}

function blockBefore(text: string, from: number, to: number): number {
  let start = to;
  while (start > from) {
    const previous = text.lastIndexOf('\n', start - 2) + 1;
    if (text.slice(previous, start).trim() === '') break;
    start = previous;
  }
  return start;
}

const DOCSTRING = /^[^"'#]*:\s*\n\s*("""|''')/;
const MARKER = /^[^\p{L}\p{N}`(@:]*/u;
const NO_SENTENCE = /^[@<[!:]|\b(?:copyright|licen[cs]ed?|SPDX)\b/i;

/** Finds a comment's first sentence in `[from, to)`. @param end of the unit that the comment documents */
function* inComment(text: string, from: number, to: number, end: number): Generator<Sentence> {
  let start = from;
  let unmarked = '';
  for (const line of text.slice(from, Math.min(to, from + 2 * QUESTION.most)).split(/(?<=\n)/)) {
    const [marker = ''] = MARKER.exec(line) ?? [];
    const isText = marker.length < line.trimEnd().length;
    if (unmarked === '' && !isText) {
      start += line.length;
      continue;
    }
    // The sentence ends at a blank line, at a tag such as `@param`, or with the comment.
    if (unmarked !== '' && (!isText || NO_SENTENCE.test(line.slice(marker.length)))) break;
    if (unmarked === '') start += marker.length;
    else unmarked += ' '.repeat(marker.length);
    unmarked += line.slice(marker.length);
  }
  // Without a comment marker, the line is code, such as the head of a class after its decorators.
  if (text.slice(from, start).trim() === '') return;
  const content = unmarked.replace(/\s*(?:\*\/|-->)?\s*$/, '');
  const [sentence = content.length] = findSentences(content, 'en');
  yield* usable(text, content.slice(0, sentence), start, start + sentence, end);
}

function* usable(text: string, sentence: string, from: number, to: number, end: number): Generator<Sentence> {
  const plain = sentence
    .slice(0, 2 * QUESTION.most)
    .replace(/!?\[([^\][]*)\]\([^()]*\)/g, '$1')
    .replace(/\*\*|`/g, '');
  const question = plain.replace(/\s+/g, ' ').trim();
  const { length } = question;
  if (NO_SENTENCE.test(question)) return;
  if (length < QUESTION.least || length > QUESTION.most || end - to < ANSWER.least) return;
  const last = Math.min(end, to + ANSWER.most);
  yield { question, from, to, end: splitsCodePoint(text, last) ? last - 1 : last };
}
