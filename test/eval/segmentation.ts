import { createRandom } from '../bench/data/random.ts';
import { type JoinedDocument, joinTopics, shuffle, type Topic } from './documents.ts';
import { meanScore, type Score, scoreBoundaries } from './scores.ts';

/** Chunks a text and gives the ends of the chunks in UTF-16 units. */
export type Chunk = (chunker: string, options: object) => Promise<readonly number[]>;

export interface SegmentationResult extends Score {
  readonly name: string;
}

const DOCUMENTS = 200;
const TOPICS = 6;

const WAYS: readonly { readonly name: string; readonly chunker: string; readonly options: object }[] = [
  { name: 'semantic, threshold 0.5 (default)', chunker: 'semantic', options: {} },
  { name: 'semantic, threshold auto', chunker: 'semantic', options: { threshold: 'auto' } },
  { name: 'semantic, cluster', chunker: 'semantic', options: { mode: 'cluster' } },
  { name: 'sentence, 500 characters', chunker: 'sentence', options: { chunk_size: 500 } },
];

/** How well chunkers find the places where joined documents change their topic. */
export async function evaluateSegmentation(
  topics: readonly Topic[],
  chunk: Chunk,
): Promise<SegmentationResult[]> {
  const random = createRandom(1);
  const documents = Array.from({ length: DOCUMENTS }, () => joinTopics(topics, TOPICS, random));
  const results: SegmentationResult[] = [];
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

function score({ starts, ends }: JoinedDocument, found: readonly number[]): Score {
  return scoreBoundaries(found, starts, ends.length);
}

/** The sentences, without the first one, that chunks begin with. */
function startsOf({ ends }: JoinedDocument, chunkEnds: readonly number[]): number[] {
  return chunkEnds.map((end) => ends.indexOf(end) + 1).filter((place) => place > 0 && place < ends.length);
}
