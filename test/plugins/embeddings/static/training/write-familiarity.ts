import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EncodingTokenizer } from '../../../../../plugins/embeddings/static/model.ts';
import { composeQuietly } from '../../../../support/service.ts';

/**
 * Writes how familiar each token of a model is: `node write-familiarity.ts PAGES MODEL OUTPUT`. PAGES has a folder of plain texts
 * for each language; `en` is the one that the model knows. OUTPUT has a signed byte for each token: sixteenths of the
 * logarithm of how much more frequent the token is in `en` than in the mean of the other languages.
 */
const [pages = '', name = '', output = ''] = process.argv.slice(2);
const KNOWN = 'en';
const STEPS = 16;
/** No logarithm is further from zero. */
const MAX = 4;
/** Occurrences per million that a token has in addition, like the mean of tokens of its kind. */
const PRIOR = 20;
/** Characters that are read of a language. */
const MAX_CHARACTERS = 4_000_000;

/** How often paragraphs are left out that look like the known language. */
const ROUNDS = 2;

const LATIN = /\p{sc=Latin}/u;

const file = `../../../../../plugins/embeddings/static/models/${name}/tokenizer.json`;
const { vocab } = JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')).model;
const tokens: string[] = [];
for (const [token, id] of Object.entries<number>(vocab)) tokens[id] = token;
const { openers } = await composeQuietly();
const tokenizer = (await openers.tokenizer(name)) as EncodingTokenizer;

/** What a token is without its letters: whether it begins a word, and how long it is. */
const kinds = tokens.map((token) => (LATIN.test(token) ? `${token.startsWith('##')} ${token.length}` : ''));

/** The tokens with letters of each paragraph. */
function paragraphsOf(language: string): Uint32Array[] {
  const paragraphs: Uint32Array[] = [];
  let rest = MAX_CHARACTERS;
  for (const path of globSync('**/*.txt', { cwd: join(pages, language) }).sort()) {
    const text = readFileSync(join(pages, language, path), 'utf8').slice(0, rest);
    rest -= text.length;
    for (const line of text.split('\n')) {
      const ids = tokenizer.encode(line).filter((id) => id === tokenizer.unknownId || kinds[id] !== '');
      if (ids.length > 0) paragraphs.push(ids);
    }
  }
  return paragraphs;
}

/** Occurrences per million, by token. */
function frequencies(paragraphs: readonly Uint32Array[]): Float64Array {
  const counts = new Float64Array(tokens.length);
  let total = 0;
  for (const ids of paragraphs) {
    total += ids.length;
    for (const id of ids) (counts[id] as number)++;
  }
  return counts.map((count) => (count * 1e6) / Math.max(total, 1));
}

function levelsOf(others: readonly (readonly Uint32Array[])[]): Float64Array {
  const each = others.map(frequencies);
  const unknown = known.map((_, id) => each.reduce((sum, one) => sum + (one[id] as number), 0) / each.length);
  const sums = new Map<string, { known: number; unknown: number }>();
  for (const [id, kind] of kinds.entries()) {
    const sum = sums.get(kind) ?? { known: 0, unknown: 0 };
    sum.known += known[id] as number;
    sum.unknown += unknown[id] as number;
    sums.set(kind, sum);
  }
  return Float64Array.from(tokens, (token, id) => {
    if (kinds[id] === '') return 0;
    const kind = sums.get(kinds[id] as string) as { known: number; unknown: number };
    const share = kind.known / (kind.known + kind.unknown);
    const odds = ((known[id] as number) + PRIOR * share) / ((unknown[id] as number) + PRIOR * (1 - share));
    return Math.min(Math.max(Math.log(odds), -MAX), MAX);
  });
}

const known = frequencies(paragraphsOf(KNOWN));
let others = globSync('*/', { cwd: pages })
  .filter((language) => language !== KNOWN)
  .map(paragraphsOf);
// Translations have paragraphs that nobody translated.
for (let round = 0; round < ROUNDS; round++) {
  const levels = levelsOf(others);
  const isOther = (ids: Uint32Array) => ids.reduce((sum, id) => sum + (levels[id] as number), 0) < 0;
  others = others.map((paragraphs) => paragraphs.filter(isOther));
}
const levels = levelsOf(others);
writeFileSync(output, Int8Array.from(levels, (level) => (level === 0 ? 0 : Math.round(STEPS * level) || 1)));
process.stdout.write(`${name}: ${tokens.length} tokens, ${others.length} other languages\n`);
process.exit(0);
