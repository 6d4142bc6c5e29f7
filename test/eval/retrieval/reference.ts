/**
 * Retrieval worked out in the plainest way, from chunks and vectors as the service answers them, and from what its
 * documentation says: it shares no code with what it is compared with.
 */

/** A stretch of a document, in the unit of all others. */
export interface Stretch {
  readonly document: number;
  readonly start_index: number;
  readonly end_index: number;
}

export interface PlainChunk extends Stretch {
  readonly token_count: number;
  readonly text: string;
  readonly vector: readonly number[];
}

export interface PlainQuestion {
  readonly text: string;
  readonly vector: readonly number[];
}

/** The indices of the chunks that were found, best first, with their scores. */
export type PlainFound = readonly (readonly [chunk: number, score: number])[];

const MAX_LIST_LENGTH = 100;
const PAIRED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}ー]/u;
const CAPITAL = '[\\p{Lu}\\p{Lt}]';
const EDGES = [
  /(?<=\p{N})(?=\P{N})|(?<=\P{N})(?=\p{N})/gu,
  new RegExp(`(?<!${CAPITAL}|^)(?=${CAPITAL})`, 'gu'),
  new RegExp(`(?<=${CAPITAL})(?=${CAPITAL}[^\\p{Lu}\\p{Lt}\\p{N}_])`, 'gu'),
];

/** Runs of characters of one kind; of the kind '' nothing is kept. */
function runsOf(text: string, kindOf: (character: string) => string): string[] {
  const runs: string[] = [];
  let last = '';
  for (const character of text) {
    const kind = kindOf(character);
    if (kind !== '' && kind === last) runs[runs.length - 1] += character;
    else if (kind !== '') runs.push(character);
    last = kind;
  }
  return runs;
}

function plainTerms(text: string): string[] {
  const kindOf = (one: string) =>
    !/[\p{L}\p{M}\p{N}_]/u.test(one) ? '' : PAIRED.test(one) ? 'paired' : 'word';
  return runsOf(text.normalize('NFKC'), kindOf).flatMap((run) => {
    const characters = [...run];
    if (PAIRED.test(run))
      return characters.length === 1 ? run : characters.slice(1).map((one, at) => `${characters[at]}${one}`);
    const words = EDGES.reduce((parted, edge) => parted.replace(edge, '_'), run)
      .split('_')
      .filter(Boolean);
    return (words.length > 1 ? [run, ...words] : words).map((one) => one.toLowerCase());
  });
}

/** The lists of questions by a retriever, the first of equals first. */
export function plainLists(
  chunks: readonly PlainChunk[],
  questions: readonly PlainQuestion[],
  retriever: 'dense' | 'bm25' | 'hybrid',
): PlainFound[] {
  if (retriever === 'hybrid') {
    const [dense, words] = [plainLists(chunks, questions, 'dense'), plainLists(chunks, questions, 'bm25')];
    return dense.map((list, at) => {
      const sums = new Map<number, number>();
      for (const one of [list, words[at] as PlainFound])
        for (const [rank, [chunk]] of one.entries()) sums.set(chunk, (sums.get(chunk) ?? 0) + 1 / (2 + rank));
      return ranked([...sums]);
    });
  }
  const scorerOf = retriever === 'dense' ? cosineTo : bm25Of(chunks);
  return questions.map((question) => {
    const scores = chunks.map(scorerOf(question)).map((score, at) => [at, score] as const);
    const listed = retriever === 'dense' ? scores : scores.filter(([, score]) => score > 0);
    return ranked(listed).slice(0, MAX_LIST_LENGTH);
  });
}

function ranked(scores: readonly (readonly [number, number])[]): PlainFound {
  return scores.toSorted(([a, one], [b, other]) => other - one || a - b);
}

const dot = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);

function cosineTo({ vector }: PlainQuestion) {
  return (chunk: PlainChunk) => {
    const lengths = Math.sqrt(dot(vector, vector) * dot(chunk.vector, chunk.vector));
    return lengths === 0 ? 0 : dot(vector, chunk.vector) / lengths;
  };
}

function bm25Of(chunks: readonly PlainChunk[]) {
  const terms = chunks.map(({ text }) => plainTerms(text));
  const counts = terms.map((own) => Map.groupBy(own, (term) => term));
  const mean = terms.flat().length / chunks.length;
  const having = Map.groupBy(
    counts.flatMap((own) => [...own.keys()]),
    (term) => term,
  );
  return ({ text }: PlainQuestion) => {
    const asked = [...new Set(plainTerms(text))].map((term) => {
      const n = having.get(term)?.length ?? 0;
      return { term, idf: Math.log(1 + (chunks.length - n + 0.5) / (n + 0.5)) };
    });
    return (_: PlainChunk, at: number) =>
      asked.reduce((sum, { term, idf }) => {
        const count = counts[at]?.get(term)?.length ?? 0;
        const norm = 1.2 * (0.25 + (0.75 * (terms[at]?.length ?? 0)) / mean);
        return sum + (idf * count * 2.2) / (count + norm);
      }, 0);
  };
}

/** What a number of chunks, or a budget of tokens, buys of a list. */
export function plainlyBought(
  list: PlainFound,
  chunks: readonly PlainChunk[],
  by: { readonly k?: number; readonly budget?: number },
): PlainChunk[] {
  const all = list.map(([chunk]) => chunks[chunk] as PlainChunk);
  if (by.budget === undefined) return all.slice(0, by.k);
  const bought: PlainChunk[] = [];
  let rest = by.budget;
  for (const chunk of all.slice(0, MAX_LIST_LENGTH)) {
    if (chunk.token_count > rest) continue;
    rest -= chunk.token_count;
    bought.push(chunk);
  }
  return bought;
}

/** The share of the characters of answers that are in what was found. */
export function plainRecall(answers: readonly Stretch[], found: readonly Stretch[]): number {
  const wanted = new Set<string>();
  for (const { document, start_index, end_index } of answers)
    for (let at = start_index; at < end_index; at++) wanted.add(`${document} ${at}`);
  const got = [...wanted].filter((place) => {
    const [document, at] = place.split(' ').map(Number) as [number, number];
    return found.some((one) => one.document === document && one.start_index <= at && at < one.end_index);
  });
  return got.length / wanted.size;
}
