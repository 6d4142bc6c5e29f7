import { createRandom } from '../support/random.ts';
import { type JoinedDocument, joinTopics, shuffle, type Topic } from './documents.ts';

/** Chunks a text and gives the ends of the chunks in UTF-16 units. */
export type Chunk = (chunker: string, options: object) => Promise<readonly number[]>;

/** Scores of boundaries, as the literature on text segmentation defines them. */
export interface Score {
  /** Harmonic mean of precision and recall of the boundaries; 1 is best. */
  readonly f1: number;
  /** Share of pairs of sentences at a typical distance that are wrongly parted or joined; 0 is best. */
  readonly pk: number;
  /** Boundaries found for each true one. */
  readonly ratio: number;
}

const DOCUMENTS = 200;
const TOPICS = 6;

const WAYS = [
  { name: 'semantic, threshold 0.5 (default)', chunker: 'semantic', options: {} },
  { name: 'semantic, threshold auto', chunker: 'semantic', options: { threshold: 'auto' } },
  { name: 'semantic, cluster', chunker: 'semantic', options: { mode: 'cluster' } },
  { name: 'sentence, 500 characters', chunker: 'sentence', options: { chunk_size: 500 } },
];

/** How well chunkers find the places where joined documents change their topic. */
export async function evaluateSegmentation(topics: readonly Topic[], chunk: Chunk) {
  const random = createRandom(1);
  const documents = Array.from({ length: DOCUMENTS }, () => joinTopics(topics, TOPICS, random));
  const results: (Score & { readonly name: string })[] = [];
  for (const { name, chunker, options } of WAYS) {
    const scores: Score[] = [];
    for (const document of documents) {
      const ends = await chunk(chunker, { text: document.text, ...options });
      scores.push(score(document, startsOf(document, ends)));
    }
    results.push({ name, ...meanScore(scores) });
  }
  const guesses = documents.map((document) => {
    const places = document.ends.slice(1).map((_, index) => index + 1);
    return score(document, shuffle(places, random).slice(0, document.starts.length));
  });
  return [...results, { name: 'as many at random places', ...meanScore(guesses) }];
}

/** The sentences, without the first one, that chunks begin with. */
function startsOf({ ends }: JoinedDocument, chunkEnds: readonly number[]): number[] {
  return chunkEnds.map((end) => ends.indexOf(end) + 1).filter((place) => place > 0 && place < ends.length);
}

/** Scores the found boundaries against the true ones. A boundary is the sentence that it stands before. */
export function score({ starts, ends }: JoinedDocument, found: readonly number[]): Score {
  const hits = found.filter((place) => starts.includes(place)).length;
  const f1 = (2 * hits) / Math.max(found.length + starts.length, 1);
  return { f1, pk: pk(found, starts, ends.length), ratio: found.length / Math.max(starts.length, 1) };
}

/** Beeferman's Pk: the distance is half of the mean length of a true segment. */
function pk(found: readonly number[], truth: readonly number[], sentences: number): number {
  const distance = Math.max(Math.round(sentences / (truth.length + 1) / 2), 1);
  const segmentOf = (boundaries: readonly number[], sentence: number) =>
    boundaries.filter((boundary) => boundary <= sentence).length;
  let wrong = 0;
  const pairs = sentences - distance;
  for (let sentence = 0; sentence < pairs; sentence++) {
    const isJoined = (boundaries: readonly number[]) =>
      segmentOf(boundaries, sentence) === segmentOf(boundaries, sentence + distance);
    if (isJoined(found) !== isJoined(truth)) wrong++;
  }
  return wrong / Math.max(pairs, 1);
}

export function meanScore(scores: readonly Score[]): Score {
  const mean = (key: keyof Score) => scores.reduce((sum, score) => sum + score[key], 0) / scores.length;
  return { f1: mean('f1'), pk: mean('pk'), ratio: mean('ratio') };
}
