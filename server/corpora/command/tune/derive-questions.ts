import { splitsCodePoint } from '../../../../core/engine/cuts/cuts.ts';
import { findMarkdownBlocks } from '../../../../plugins/toolkit/markdown/find-blocks.ts';
import { findSentences } from '../../../../plugins/toolkit/prose/find-sentences.ts';
import type { CorpusDocument, CorpusQuestion } from './read-corpus.ts';

/** How many questions are derived, and the smallest distances between two in a document, the first that gives enough. */
const MIN_QUESTIONS = 60;
const MAX_QUESTIONS = 400;
const DISTANCES = [1500, 500, 0];
/** Lengths of a question and of an answer, in UTF-16 code units. */
const QUESTION = { least: 25, most: 300 };
const ANSWER = { least: 40, most: 1500 };

/** A sentence that can be taken out of its text as a question. */
interface Derived {
  readonly document: number;
  readonly question: string;
  /** The stretch that is taken out, and the one after it that answers; in the text as it was. */
  readonly from: number;
  readonly to: number;
  readonly end: number;
}

/**
 * Questions for documents that come without any: the first sentences of paragraphs and of comments on code, which are
 * taken out of the texts. What follows them is the answer.
 *
 * @param isCode whether a file is source code
 * @param random from 0 to 1
 */
export function deriveQuestions(
  documents: readonly CorpusDocument[],
  isCode: (name: string) => boolean,
  random: () => number,
): { readonly documents: CorpusDocument[]; readonly questions: CorpusQuestion[] } {
  const all = documents.flatMap(({ filename, text }, document) =>
    [...(isCode(filename) ? inCode(text) : inProse(text))].map((one) => ({ document, ...one })),
  );
  const found = DISTANCES.map((distance) => apart(all, distance));
  const enough = found.find(({ length }) => length >= MIN_QUESTIONS) ?? found.at(-1) ?? [];
  const drawn = enough.map((one) => ({ one, key: random() })).sort((a, b) => a.key - b.key);
  const chosen = new Set(drawn.slice(0, MAX_QUESTIONS).map(({ one }) => one));
  const byDocument = Map.groupBy(
    enough.filter((one) => chosen.has(one)),
    ({ document }) => document,
  );
  const questions: CorpusQuestion[] = [];
  const shortened = documents.map((document, at) => {
    let [text, kept, counted, line] = ['', 0, 0, 1];
    for (const { question, from, to, end } of byDocument.get(at) ?? []) {
      text += document.text.slice(kept, from);
      line += document.text.slice(counted, from).split('\n').length - 1;
      [kept, counted] = [to, from];
      const answers = [{ document: at, start_index: text.length, end_index: text.length + end - to }];
      questions.push({ question, answers, place: `${document.id}:${line}` });
    }
    return { ...document, text: text + document.text.slice(kept) };
  });
  return { documents: shortened, questions };
}

/** Those that neither overlap nor are closer to the one before. */
function apart(all: readonly Derived[], distance: number): Derived[] {
  let last: Derived | undefined;
  return all.filter((one) => {
    const isNear = last?.document === one.document && one.from < Math.max(last.end, last.from + distance);
    if (!isNear) last = one;
    return !isNear;
  });
}

type Found = Omit<Derived, 'document'>;

/** First sentences of paragraphs with at least three. */
function* inProse(text: string): Generator<Found> {
  for (const { kind, inner, end } of findMarkdownBlocks(text)) {
    if (kind !== 'paragraph') continue;
    const paragraph = text.slice(inner, end);
    const [first, second] = findSentences(paragraph, 'en');
    if (first === undefined || second === undefined) continue;
    yield* usable(text, inner, inner + first, inner + paragraph.trimEnd().length);
  }
}

const COMMENT = /^\s*(?:\/\*\*|\/\/+|#+|"""|''')!?\s*/;
const DOCUMENTS = /^\s*(?:\/\*\*|\/\/\/|"""|''')/;
const INNER = /^\s*\*?\s*(?!\/)/;
/** A line in which a sentence may continue: neither a tag nor an item of a list. */
const CONTINUES = /^\s*(?:\*|\/\/+|#+)?\s*(?:[\p{L}(`]|:\w+:`)/u;
const MARKERS = /\n\s*(?:\*|\/\/+|#+)(?=\s)/g;
const DECLARES =
  /^\s*(?:(?:export|default|pub|public|private|protected|static|async|abstract) )*(?:class|const|def|enum|fn|func|function|interface|module|struct|sub|trait|type)\b/;
const NO_SENTENCE = /^[@<[!]|\b(?:copyright|licen[cs]ed?|SPDX)\b/i;

/** First sentences of comments that document what follows them. */
function* inCode(text: string): Generator<Found> {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const lineAt = (index: number) =>
    text.slice(starts[index] ?? text.length, starts[index + 1] ?? text.length);
  for (let index = 0, next = 0; index < starts.length; index = next) {
    next = index + 1;
    const [opening] = COMMENT.exec(lineAt(index)) ?? [];
    if (opening === undefined) continue;
    const quotes = /"""|'''/.exec(opening)?.[0];
    if (quotes === undefined) while (/^\s*(?:\/\/|#|\*)/.test(lineAt(next))) next++;
    else if (!lineAt(index).slice(opening.length).includes(quotes))
      while (next < starts.length && !lineAt(next++).includes(quotes));
    if (!DOCUMENTS.test(lineAt(index)) && !DECLARES.test(lineAt(next))) continue;
    const isBelow = lineAt(index).trim() === opening.trim();
    const at = isBelow ? index + 1 : index;
    const [marker = ''] = isBelow ? (INNER.exec(lineAt(at)) ?? []) : [opening];
    const from = (starts[at] ?? text.length) + marker.length;
    let last = at;
    while (last + 1 < next && CONTINUES.test(lineAt(last + 1))) last++;
    const to = Math.min(starts[last + 1] ?? text.length, from + 2 * QUESTION.most);
    const paragraph = text.slice(from, to).replace(/(?:\*\/|"""|''')?\s*$/, '');
    const unmarked = paragraph.replace(MARKERS, (marks) => ' '.repeat(marks.length));
    const [sentence = paragraph.length] = findSentences(unmarked, 'en');
    yield* usable(text, from, from + sentence, endOfUnit(text, starts, last + 1));
  }
}

/** Lines of code that an answer has at least, if there are so many. */
const MIN_LINES = 3;

/** Where the first blank line is after a few lines of code. */
function endOfUnit(text: string, starts: readonly number[], line: number): number {
  let filled = 0;
  for (let index = line; index < starts.length; index++) {
    const [start, end] = [starts[index] as number, starts[index + 1] ?? text.length];
    const isBlank = text.slice(start, end).trim() === '';
    if (isBlank && filled >= MIN_LINES) return start;
    if (end - (starts[line] as number) > ANSWER.most) return start;
    if (!isBlank) filled++;
  }
  return text.length;
}

/** A question without the syntax of links and emphasis, if it and its answer have a useful length. */
function* usable(text: string, from: number, to: number, end: number): Generator<Found> {
  const sentence = text.slice(from, Math.min(to, from + 2 * QUESTION.most));
  const plain = sentence.replace(/!?\[([^\][]*)\]\([^()]*\)/g, '$1').replace(/\*\*|`/g, '');
  const question = plain.replace(MARKERS, ' ').replace(/\s+/g, ' ').trim();
  const { length } = question;
  if (NO_SENTENCE.test(question)) return;
  if (length < QUESTION.least || length > QUESTION.most || end - to < ANSWER.least) return;
  const last = Math.min(end, to + ANSWER.most);
  yield { question, from, to, end: splitsCodePoint(text, last) ? last - 1 : last };
}
