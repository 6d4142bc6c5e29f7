import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { termsOf } from '../../server/engine/operations/evaluation/bm25.ts';
import { printTable, printTitle } from '../bench/race/report.ts';
import { createRandom, type Random } from '../support/random.ts';
import type { Cleanup } from '../support/server.ts';
import { openService } from '../support/service.ts';
import { type JoinedDocument, shuffle } from './documents.ts';
import type { DataSet } from './retrieval/data-sets.ts';
import { LIMITS, Measured, RETRIEVERS, recallsOf, TOKENS, withInterval } from './retrieval/rows.ts';
import { meanScore, type Score, score } from './segmentation.ts';

/** The questions or articles to look at during development are `odd`, those that nothing was chosen by are `even`. */
export type Half = 'odd' | 'even';

const QUESTIONS = 300;
const BUDGET = 1000;
const TEXTS = 40;
const PIECES = 10;
/** Sentences on either side of a gap that TextTiling compares. */
const WINDOW = 5;

const WAYS = [
  { name: 'default', options: {} },
  { name: 'auto', options: { threshold: 'auto' } },
  { name: 'cluster', options: { mode: 'cluster' } },
] as const;

/** A file in the layout of SQuAD, as many languages have one. */
interface Squad {
  readonly data: readonly { readonly paragraphs: readonly Paragraph[] }[];
}

interface Paragraph {
  readonly context: string;
  readonly qas: readonly {
    readonly question: string;
    readonly answers: readonly { readonly text: string; readonly answer_start: number }[];
  }[];
}

/**
 * Prints how well questions find their answers, and `semantic` finds topics, in the languages of a folder.
 *
 * @param folder has files in the layout of SQuAD, each in one language: `<set>.<language>.json`
 */
export async function evaluateWorld(folder: string, half: Half): Promise<void> {
  const ends: (() => unknown)[] = [];
  const t: Cleanup = { teardown: (end) => void ends.unshift(end) };
  try {
    const measured = new Measured(t, await openService(t, LIMITS));
    const found: string[][] = [];
    const cut: string[][] = [];
    for (const path of globSync('**/*.json', { cwd: folder }).sort()) {
      const name = basename(path, '.json');
      const { data }: Squad = JSON.parse(readFileSync(join(folder, path), 'utf8'));
      console.error(name);
      found.push([name, ...(await retrievalOf(questionsOf(name, data, half), measured))]);
      cut.push([name, ...(await topicsOf(data.filter(isIn(half)), measured))]);
    }
    printTitle(`Languages: the ${half} half of questions and articles`);
    printTable(
      `Recall of answers within ${BUDGET} tokens, recursive 256, percent`,
      ['', ...RETRIEVERS],
      found,
    );
    printTable(
      `Topics: ${TEXTS} texts of ${PIECES} paragraphs of different articles, Pk (lower is better) / F1`,
      ['', ...WAYS.map(({ name }) => name), 'random', 'TextTiling'],
      cut,
    );
  } finally {
    for (const end of ends) await end();
  }
}

const isIn = (half: Half) => (_: unknown, at: number) => at % 2 === (half === 'odd' ? 1 : 0);

/** Articles as documents, with the questions of a half whose answer stands where the file says. */
function questionsOf(name: string, data: Squad['data'], half: Half): DataSet {
  const questions: DataSet['questions'][number][] = [];
  const documents = data.map(({ paragraphs }, document) => {
    let text = '';
    for (const { context, qas } of paragraphs) {
      for (const { question, answers } of qas) {
        const [answer] = answers;
        if (answer === undefined || !context.startsWith(answer.text, answer.answer_start)) continue;
        const start_index = text.length + answer.answer_start;
        const stretch = { document, start_index, end_index: start_index + answer.text.length };
        questions.push({ question, answers: [stretch], place: `${name} ${document}` });
      }
      text += `${context}\n\n`;
    }
    return { id: `${document}`, filename: `${document}.txt`, text };
  });
  const kept = shuffle(questions.filter(isIn(half)), createRandom(1)).slice(0, QUESTIONS);
  return { name, kind: 'prose', documents, questions: kept };
}

async function retrievalOf(set: DataSet, measured: Measured): Promise<string[]> {
  const config = { ...TOKENS, chunk_size: 256 };
  const candidates = RETRIEVERS.map((retriever) => ({ chunker: 'recursive', config, retriever }));
  const evaluation = await measured.evaluate(set, { candidates, budget: BUDGET, embed: 'text' });
  return Promise.all(evaluation.candidates.map((candidate) => withInterval(recallsOf(candidate))));
}

async function topicsOf(articles: Squad['data'], measured: Measured): Promise<string[]> {
  if (articles.length < PIECES) return [];
  const random = createRandom(7);
  const texts = Array.from({ length: TEXTS }, () => joinParagraphs(articles, random));
  const cells: string[] = [];
  for (const { options } of WAYS) {
    const scores: Score[] = [];
    for (const joined of texts) {
      const chunks = await measured.service.chunk('semantic', {
        ...{ text: joined.text, offset_unit: 'utf16' },
        ...options,
      });
      const places = chunks.slice(0, -1).map(({ end_index }) => nearest(joined.ends, end_index) + 1);
      scores.push(score(joined, places));
    }
    cells.push(inWords(scores));
  }
  const guesses = texts.map((joined) =>
    score(joined, shuffle([...joined.ends.keys()].slice(1), random).slice(0, joined.starts.length)),
  );
  const tiled = texts.map((joined) => score(joined, textTiling(joined)));
  return [...cells, inWords(guesses), inWords(tiled)];
}

function inWords(scores: readonly Score[]): string {
  const { pk, f1 } = meanScore(scores);
  return `${pk.toFixed(3)} / ${f1.toFixed(3)}`;
}

/** Ends of sentences in most scripts. */
const SENTENCE = /[^.!?。！？।؟\n]*[.!?。！？।؟\n]+[\s」』”）)]*|[^.!?。！？।؟\n]+$/g;

/** A text of a paragraph of each of several articles. */
function joinParagraphs(articles: Squad['data'], random: Random): JoinedDocument {
  const pieces = shuffle(articles, random)
    .slice(0, PIECES)
    .map(({ paragraphs }) => {
      const { context } = shuffle(paragraphs, random)[0] as Paragraph;
      return `${context.trim()}\n\n`.match(SENTENCE) ?? [];
    });
  let [end, start] = [0, 0];
  return {
    text: pieces.flat().join(''),
    ends: pieces.flat().map(({ length }) => (end += length)),
    starts: pieces.slice(0, -1).map(({ length }) => (start += length)),
  };
}

/** The index of the nearest of rising numbers. */
function nearest(ends: readonly number[], place: number): number {
  const distances = ends.map((end) => Math.abs(end - place));
  return distances.indexOf(Math.min(...distances));
}

/** Hearst's TextTiling with sentences: cuts where the words before and after a gap differ most from those around. */
function textTiling({ text, ends }: JoinedDocument): number[] {
  const terms = ends.map((end, at) => termsOf(text.slice(at === 0 ? 0 : ends[at - 1], end)));
  const curve = ends
    .slice(1)
    .map((_, gap) =>
      cosine(
        terms.slice(Math.max(0, gap + 1 - WINDOW), gap + 1).flat(),
        terms.slice(gap + 1, gap + 1 + WINDOW).flat(),
      ),
    );
  const depths = curve.map((here, gap) => climb(curve, gap, -1) + climb(curve, gap, 1) - 2 * here);
  const mean = depths.reduce((sum, depth) => sum + depth, 0) / depths.length;
  const deviation = Math.sqrt(depths.reduce((sum, depth) => sum + (depth - mean) ** 2, 0) / depths.length);
  const isLow = (gap: number) =>
    (curve[gap] as number) <= Math.min(curve[gap - 1] ?? 1, curve[gap + 1] ?? 1) &&
    (depths[gap] as number) > mean + deviation / 2;
  return [...depths.keys()].filter(isLow).map((gap) => gap + 1);
}

/** The value up to which a curve rises from a place in a direction. */
function climb(curve: readonly number[], from: number, step: 1 | -1): number {
  let at = from;
  while ((curve[at + step] ?? -1) >= (curve[at] as number)) at += step;
  return curve[at] as number;
}

function cosine(one: readonly string[], other: readonly string[]): number {
  const [counts, others] = [one, other].map((terms) => {
    const counted = new Map<string, number>();
    for (const term of terms) counted.set(term, (counted.get(term) ?? 0) + 1);
    return counted;
  }) as [Map<string, number>, Map<string, number>];
  let product = 0;
  for (const [term, count] of counts) product += count * (others.get(term) ?? 0);
  const square = (counted: Map<string, number>) =>
    [...counted.values()].reduce((sum, count) => sum + count * count, 0);
  return product / Math.sqrt(Math.max(square(counts) * square(others), 1));
}
