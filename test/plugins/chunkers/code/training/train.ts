import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { featuresOf } from '../../../../../plugins/chunkers/code/detection/model.ts';
import { LANGUAGE_NAMES } from '../../../../../plugins/chunkers/code/manifest.ts';
import { type KnownFile, readKnownFiles } from '../languages/known-files.ts';
import { createClassifier, type Sample } from './classifier.ts';

/**
 * Trains the model that tells languages: `train.ts FOLDER`, with a folder for each repository of `sources.tsv` in
 * FOLDER. Writes `plugins/chunkers/code/detection/weights.bin`.
 */
const [folder] = process.argv.slice(2) as [string];
const WEIGHTS = join(import.meta.dirname, '../../../../../plugins/chunkers/code/detection/weights.bin');
const EPOCHS = 16;
const RATE = 0.4;
/** Texts of each language in an epoch, whatever there are of it. */
const TEXTS_PER_EPOCH = 900;
/** Files of a repository for each language, so that none speaks for all. */
const MAX_FILES = 60;
const MIN_LENGTH = 100;

const random = createRandom(42);
const samples = await readSamples(folder);
const classifier = createClassifier();
for (let epoch = 0; epoch < EPOCHS; epoch++) {
  const rate = RATE * (1 - (0.95 * epoch) / EPOCHS);
  const loss = classifier.learn(pickSamples(), rate);
  console.log(`epoch ${epoch + 1}: loss ${loss.toFixed(4)}`);
}
writeFileSync(WEIGHTS, classifier.weights());

/** The samples of each language, by repository. */
async function readSamples(folder: string): Promise<Sample[][][]> {
  const all: Sample[][][] = LANGUAGE_NAMES.map(() => []);
  const rows = readFileSync(join(import.meta.dirname, 'sources.tsv'), 'utf8');
  for (const repository of rows.match(/^[^#\s][^\t\n]*/gm) ?? []) {
    const files = await readKnownFiles(join(folder, repository.replace('/', '+')));
    console.log(repository, files.length);
    LANGUAGE_NAMES.forEach((name, language) => {
      const own = shuffled(files.filter((file) => file.language === name)).slice(0, MAX_FILES);
      if (own.length > 0) all[language]?.push(own.flatMap((file) => samplesOf(file, language)));
    });
  }
  return all.map((groups) => groups.filter((group) => group.length > 0));
}

/** A file as it is, its beginning and something from its midst. */
function samplesOf({ text }: KnownFile, language: number): Sample[] {
  const start = text.indexOf('\n', Math.floor(random() * Math.max(text.length - 1500, 0))) + 1;
  const texts = [
    text,
    wholeLines(text, 600 + Math.floor(random() * 1500)),
    wholeLines(text.slice(start), 800 + Math.floor(random() * 5000)),
  ];
  return texts
    .filter((one) => one.length > MIN_LENGTH)
    .map((one) => ({ features: featuresOf(one), language }));
}

function wholeLines(text: string, length: number): string {
  const end = text.lastIndexOf('\n', length);
  return text.slice(0, text.length > length && end > length / 2 ? end : length);
}

/** As many samples of each language; a repository of more files has more, but not in proportion. */
function pickSamples(): Sample[] {
  return shuffled(
    samples.flatMap((groups) => {
      const weighted = groups.flatMap(
        (group) => Array(Math.ceil(Math.sqrt(group.length))).fill(group) as Sample[][],
      );
      return Array.from({ length: TEXTS_PER_EPOCH }, () => pick(pick(weighted)));
    }),
  );
}

function pick<T>(list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T;
}

function shuffled<T>(list: readonly T[]): T[] {
  const copy = [...list];
  for (let at = copy.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [copy[at], copy[other]] = [copy[other] as T, copy[at] as T];
  }
  return copy;
}

/** Numbers from 0 to 1, the same ones at each run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
