import { between, createRandom, pick, pickByRank, type Random } from '../../support/random.ts';
import { GLUE, LANGUAGES, type Language, NOUNS, QUALITIES, SYLLABLES, SYMBOLS, VERBS } from './vocabulary.ts';

/**
 * Texts for the benchmarks, made from word lists and the same in every run. They contain what makes real
 * text slow: headings, lists, code, long paragraphs, numbers, rare names, and letters beyond Latin-1.
 */
export function generateEnglish(bytes: number): string {
  const random = createRandom(1);
  return fill(bytes, () => englishSection(random));
}

/** Chinese, Japanese, Korean, Russian, Arabic, Hindi, German, French and symbols in turn. */
export function generateMultilingual(bytes: number): string {
  const random = createRandom(2);
  let turn = 0;
  return fill(bytes, () => foreignSection(random, LANGUAGES[turn++ % LANGUAGES.length] as Language));
}

function fill(bytes: number, section: () => string): string {
  const sections: string[] = [];
  for (let size = 0; size < bytes; ) {
    const text = section();
    sections.push(text);
    size += Buffer.byteLength(text);
  }
  return sections.join('');
}

function englishSection(random: Random): string {
  const title = `${'#'.repeat(between(random, 1, 4))} ${capital(`${pick(random, QUALITIES)} ${noun(random)}`)}\n\n`;
  const blocks = Array.from({ length: between(random, 2, 6) }, () => englishBlock(random));
  return title + blocks.join('\n\n').concat('\n\n');
}

function englishBlock(random: Random): string {
  const kind = random();
  if (kind < 0.06) return codeBlock(random);
  if (kind < 0.16) return listOf(between(random, 3, 9), () => `- ${sentence(random)}`, '\n');
  const sentences = random() < 0.05 ? between(random, 30, 80) : between(random, 2, 9);
  return listOf(sentences, () => sentence(random), ' ');
}

function codeBlock(random: Random): string {
  const line = () =>
    `  ${pick(random, VERBS)}${capital(pick(random, NOUNS))}(${pick(random, NOUNS)}[${between(random, 0, 99)}], '${name(random)}');`;
  return `\`\`\`js\n${listOf(between(random, 3, 12), line, '\n')}\n\`\`\``;
}

function sentence(random: Random): string {
  const words = listOf(between(random, 5, 26), () => phrase(random), ' ');
  return capital(words) + pick(random, ['.', '.', '.', '.', '?', '!', '…', ':']);
}

function phrase(random: Random): string {
  const kind = random();
  if (kind < 0.42) return pickByRank(random, GLUE);
  if (kind < 0.62) return noun(random);
  if (kind < 0.76) return pickByRank(random, VERBS) + pick(random, ['', 's', 'ed', 'ing', 'er']);
  if (kind < 0.86) return pickByRank(random, QUALITIES) + pick(random, ['', '', 'ly', 'ness', ',']);
  if (kind < 0.9) return capital(name(random));
  if (kind < 0.92) return String(between(random, 0, pick(random, [9, 99, 2030, 1_000_000])));
  if (kind < 0.94) return pick(random, ["don't", "it's", "we'll", "they've", 'isn’t', 'one’s']);
  if (kind < 0.96) return `${noun(random)} —`;
  if (kind < 0.98) return `“${pick(random, QUALITIES)} ${noun(random)}”`;
  if (kind < 0.99)
    return `(${pick(random, GLUE)} ${noun(random)}, ${between(random, 1, 12)}.${between(random, 0, 9)} %)`;
  return random() < 0.5 ? `https://example.org/${name(random)}/${name(random)}.html` : pick(random, SYMBOLS);
}

function noun(random: Random): string {
  return pickByRank(random, NOUNS) + pick(random, ['', '', '', 's', 's', ',', "'s"]);
}

function name(random: Random): string {
  return listOf(between(random, 2, 4), () => pick(random, SYLLABLES), '');
}

function foreignSection(random: Random, language: Language): string {
  const paragraph = () =>
    listOf(between(random, 2, 12), () => foreignSentence(random, language), '').trimEnd();
  return `## ${language.heading}\n\n${listOf(between(random, 1, 5), paragraph, '\n\n')}\n\n`;
}

function foreignSentence(random: Random, { words, space, comma, ends }: Language): string {
  const clause = () => listOf(between(random, 3, 12), () => foreignWord(random, words), space);
  return listOf(between(random, 1, 3), clause, comma) + pick(random, ends);
}

function foreignWord(random: Random, words: readonly string[]): string {
  if (random() < 0.01) return String(between(random, 1, 3000));
  return random() < 0.01 ? pick(random, SYMBOLS) : pickByRank(random, words);
}

function listOf(length: number, item: () => string, separator: string): string {
  return Array.from({ length }, item).join(separator);
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
