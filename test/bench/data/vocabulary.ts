import { readFileSync } from 'node:fs';

/** The words of `vocabulary.txt` below a heading, frequent ones first. Stems are inflected, so there are more. */
function wordsOf(heading: string): string[] {
  const [, words = ''] = VOCABULARY.split(`# ${heading}\n`);
  return words.replace(/^#.*/ms, '').trim().split(/\s+/);
}

const VOCABULARY = readFileSync(new URL('vocabulary.txt', import.meta.url), 'utf8');

export const GLUE = wordsOf('glue');
export const NOUNS = wordsOf('nouns');
export const VERBS = wordsOf('verbs');
export const QUALITIES = wordsOf('qualities');
export const SYLLABLES = wordsOf('syllables');
export const SYMBOLS = wordsOf('symbols');

/** What the sentences of a language are made of. If `space` is empty, words follow each other directly. */
export interface Language {
  readonly heading: string;
  readonly words: readonly string[];
  readonly space: string;
  readonly comma: string;
  readonly ends: readonly string[];
}

const fullWidth = (heading: string, comma = '，'): Language => {
  return { heading, words: wordsOf(heading), space: '', comma, ends: ['。', '。', '。', '！', '？'] };
};
const spaced = (heading: string, ends = ['. ', '. ', '. ', '! ', '? '], comma = ', '): Language => {
  return { heading, words: wordsOf(heading), space: ' ', comma, ends };
};

export const LANGUAGES: readonly Language[] = [
  fullWidth('语言的历史'),
  fullWidth('言葉と文化', '、'),
  spaced('언어와 사회'),
  spaced('История города'),
  spaced('تاريخ المدينة', ['. ', '. ', '؟ '], '، '),
  spaced('भाषा और समाज', ['। ', '। ', '? ']),
  spaced('Über die Größe'),
  spaced('À propos de la forêt', ['. ', '. ', ' ! ', ' ? ']),
];
