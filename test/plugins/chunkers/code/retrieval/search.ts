import type { EmbeddingModel } from '../../../../../core/contracts/embedding.ts';
import type { Tokenizer } from '../../../../../core/contracts/tokenizer.ts';
import { Bm25 } from '../../../../../server/engine/operations/evaluation/bm25.ts';
import {
  fuse,
  LISTED,
  Nearest,
  type Ranked,
  withinBudget,
} from '../../../../../server/engine/operations/evaluation/ranking.ts';
import { scoresOf } from '../../../../../server/engine/operations/evaluation/scores.ts';
import type { CodeSet, Range } from './functions.ts';

/** A stretch of a document of a set, and what is searched in front of it. */
export interface Chunk extends Range {
  readonly document: number;
  readonly context?: string | null | undefined;
}

export const RETRIEVERS = ['dense', 'bm25', 'hybrid'] as const;

/** What questions find. */
export interface Found {
  readonly chunks: number;
  /** Mean tokens of a chunk. */
  readonly tokens: number;
  /** The recall of each question, by the retriever. */
  readonly recalls: Readonly<Record<(typeof RETRIEVERS)[number], readonly number[]>>;
}

const signal = AbortSignal.any([]);
const BATCH = 1024;

/** Searches chunks, whoever made them, as an evaluation does. @param budget tokens that each question finds */
export async function search(
  { documents, questions }: CodeSet,
  chunks: readonly Chunk[],
  { model, tokenizer, budget }: { model: EmbeddingModel; tokenizer: Tokenizer; budget: number },
): Promise<Found> {
  const asked = questions.map(({ question }) => question);
  const vectors = await model.embed(asked, { purpose: 'query', signal });
  const nearest = new Nearest(vectors, asked.length, LISTED);
  const words = new Bm25();
  const texts = chunks.map(({ document, start, end }) => documents[document]?.text.slice(start, end) ?? '');
  const embedded = chunks.map(({ context }, at) =>
    context ? `${context}\n${texts[at]}` : (texts[at] as string),
  );
  for (let at = 0; at < embedded.length; at += BATCH) {
    const batch = embedded.slice(at, at + BATCH);
    nearest.add(await model.embed(batch, { purpose: 'document', signal }), batch.length, signal);
  }
  for (const text of embedded) words.add(text);
  const tokens = texts.map((text) => tokenizer.tokenize(text).count(0, text.length));
  const rangesOf = (list: readonly Ranked[], document: number) =>
    list.map(({ chunk }) => chunks[chunk] as Chunk).filter((one) => one.document === document);
  const recallOf = (list: readonly Ranked[], { document, ...answer }: CodeSet['questions'][number]) => {
    const bought = withinBudget(list, budget, (chunk) => tokens[chunk] as number);
    return scoresOf([answer], rangesOf(bought, document), []).recall;
  };
  const lists = questions.map(({ question }, at) => {
    const both = [nearest.of(at), words.search(question, LISTED)] as const;
    return { dense: both[0], bm25: both[1], hybrid: fuse(both) };
  });
  const recallsBy = (name: (typeof RETRIEVERS)[number]) =>
    questions.map((question, at) => recallOf(lists[at]?.[name] ?? [], question));
  return {
    chunks: chunks.length,
    tokens: tokens.reduce((sum, count) => sum + count, 0) / chunks.length,
    recalls: { dense: recallsBy('dense'), bm25: recallsBy('bm25'), hybrid: recallsBy('hybrid') },
  };
}
