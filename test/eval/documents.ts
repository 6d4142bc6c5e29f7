import { between, type Random } from '../support/random.ts';

/** Documents whose topics change at known places, joined from paragraphs of different topics. */

export interface Topic {
  readonly topic: string;
  readonly paragraphs: readonly Paragraph[];
}

export interface Paragraph {
  readonly text: string;
  /** What the paragraph answers, mostly in other words. */
  readonly question: string;
}

export interface JoinedDocument {
  readonly text: string;
  /** UTF-16 offset behind each sentence, rising. */
  readonly ends: readonly number[];
  /** Sentences, counted from the beginning, that a new topic starts with; the first one is left out. */
  readonly starts: readonly number[];
}

/** Joins 3 to 10 sentences on each of `topics` topics, in random order. */
export function joinTopics(all: readonly Topic[], topics: number, random: Random): JoinedDocument {
  const sections = shuffle(all, random)
    .slice(0, topics)
    .map(({ paragraphs }) => {
      const sentences = shuffle(paragraphs, random)
        .slice(0, 2)
        .flatMap(({ text }) => sentencesOf(text));
      return sentences.slice(0, between(random, 3, sentences.length));
    });
  const sentences = sections.flat();
  let end = 0;
  let start = 0;
  return {
    text: sentences.join(' '),
    ends: sentences.map(({ length }) => (end += length + 1)),
    starts: sections.slice(0, -1).map(({ length }) => (start += length)),
  };
}

function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.?!]) /);
}

/** The values in random order. */
export function shuffle<T>(values: readonly T[], random: Random): T[] {
  const order = values.map((value) => ({ value, key: random() }));
  return order.sort((a, b) => a.key - b.key).map(({ value }) => value);
}
