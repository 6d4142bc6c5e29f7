import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EncodingTokenizer } from '../../../../../plugins/embeddings/static/model.ts';
import { composeQuietly } from '../../../../support/service.ts';

/**
 * Writes how familiar each token of a model is: `node write-familiarity.ts PAGES MODEL OUTPUT`. PAGES has a folder for each
 * language, of folders of plain texts; `en` is the language that the model knows. OUTPUT has a signed byte for each token: sixteenths
 * of the logarithm of how much more frequent the token is in `en` than in the quadratic mean of the other languages.
 */
const [pages = '', name = '', output = ''] = process.argv.slice(2);
const KNOWN = 'en';
const STEPS = 16;
/** No logarithm is further from zero. */
const MAX = 4;
/** Occurrences per million that a token has in addition, distributed like those of tokens of its kind. */
const PRIOR = 5;
/** Characters of a source from which only a part of its lines is read. */
const MAX_CHARACTERS = 1_000_000;
/** Tokens from which a language has its full weight. */
const ENOUGH = 200_000;
/** How often paragraphs are left out that look like the known language. */
const ROUNDS = 2;

const LATIN = /\p{sc=Latin}/u;
const SPECIAL = /^\[.+\]$/;

const file = `../../../../../plugins/embeddings/static/models/${name}/tokenizer.json`;
const { vocab } = JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')).model;
const tokens: string[] = [];
for (const [token, id] of Object.entries<number>(vocab)) tokens[id] = token;
const { openers } = await composeQuietly();
const tokenizer = (await openers.tokenizer(name)) as EncodingTokenizer;

/** What a token is without its letters: whether it begins a word, and how long it is. */
const kinds = tokens.map((token) =>
  LATIN.test(token) && !SPECIAL.test(token) ? `${token.startsWith('##')} ${token.length}` : '',
);

/** The tokens with letters of each paragraph. */
function paragraphsOf(language: string): Uint32Array[] {
  return globSync('*/', { cwd: join(pages, language) }).flatMap((source) => {
    const folder = join(pages, language, source);
    const files = globSync('**/*.txt', { cwd: folder }).sort();
    const text = files.map((path) => readFileSync(join(folder, path), 'utf8')).join('\n');
    const every = Math.ceil(text.length / MAX_CHARACTERS);
    const lines = text.split('\n').filter((_, line) => line % every === 0);
    const isWord = (id: number) => id === tokenizer.unknownId || kinds[id] !== '';
    return lines.map((line) => tokenizer.encode(line).filter(isWord)).filter(({ length }) => length > 0);
  });
}

/** Occurrences per million by token, and the weight of the paragraphs. */
function frequencies(paragraphs: readonly Uint32Array[]) {
  const counts = new Float64Array(tokens.length);
  let total = 0;
  for (const ids of paragraphs) {
    total += ids.length;
    for (const id of ids) (counts[id] as number)++;
  }
  return {
    weight: Math.min(total, ENOUGH),
    counts: counts.map((count) => (count * 1e6) / Math.max(total, 1)),
  };
}

/** The quadratic mean: a word that is frequent in one language says more than one that is in each sometimes. */
function meanOf(languages: readonly (readonly Uint32Array[])[]): Float64Array {
  const each = languages.map(frequencies);
  const weight = each.reduce((sum, one) => sum + one.weight, 0);
  return Float64Array.from(tokens, (_, id) =>
    Math.sqrt(each.reduce((sum, one) => sum + one.weight * (one.counts[id] as number) ** 2, 0) / weight),
  );
}

function levelsOf(others: readonly (readonly Uint32Array[])[]): Float64Array {
  const unknown = meanOf(others);
  const sums = new Map<string, { known: number; unknown: number }>();
  for (const [id, kind] of kinds.entries()) {
    const sum = sums.get(kind) ?? { known: 0, unknown: 0 };
    sum.known += known[id] as number;
    sum.unknown += unknown[id] as number;
    sums.set(kind, sum);
  }
  return Float64Array.from(kinds, (kind, id) => {
    if (kind === '') return 0;
    const sum = sums.get(kind) as { known: number; unknown: number };
    const share = sum.known / (sum.known + sum.unknown);
    const odds = ((known[id] as number) + PRIOR * share) / ((unknown[id] as number) + PRIOR * (1 - share));
    return Math.min(Math.max(Math.log(odds), -MAX), MAX);
  });
}

const known = meanOf([paragraphsOf(KNOWN)]);
let others = globSync('*/', { cwd: pages })
  .filter((language) => language !== KNOWN)
  .map(paragraphsOf);
// Translations have paragraphs that nobody translated.
for (let round = 0; round < ROUNDS; round++) {
  const levels = levelsOf(others);
  const isOther = (ids: Uint32Array) => ids.reduce((sum, id) => sum + (levels[id] as number), 0) < 0;
  others = others.map((paragraphs) => paragraphs.filter(isOther));
}
const bytes = levelsOf(others).map((level) => (level === 0 ? 0 : Math.round(STEPS * level) || 1));
writeFileSync(output, Int8Array.from(bytes));
process.stdout.write(`${name}: ${tokens.length} tokens, ${others.length} other languages\n`);
process.exit(0);
