import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cutAtDelimiters } from '../../../core/engine/delimiters.ts';
import { cutAtSentences } from '../../../core/engine/prose/cut-at-sentences.ts';
import { delimiters } from '../../../core/options.ts';
import { readTexts, type Text } from '../data/texts.ts';
import { race } from '../race/race.ts';
import { printSpeeds, printTable, printTitle } from '../race/report.ts';

/** A function that finds the sentences of a text. */
interface Splitter {
  readonly name: string;
  readonly isOurs?: boolean;
  /** Whether its speed is compared: delimiters do less. */
  readonly isRaced: boolean;
  split(text: string): readonly string[];
  /** Finds the boundaries alone. */
  find(text: string): unknown;
}

const rules = cutAtSentences('en');
const delim = cutAtDelimiters(delimiters.default);
const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

const SPLITTERS: readonly Splitter[] = [
  {
    name: 'chunksmith, rules',
    isOurs: true,
    isRaced: true,
    split: (text) => slices(text, rules(text, 0, text.length)),
    find: (text) => rules(text, 0, text.length),
  },
  {
    name: 'chunksmith, delimiters',
    isRaced: false,
    split: (text) => slices(text, delim(text, 0, text.length)),
    find: (text) => delim(text, 0, text.length),
  },
  {
    name: 'Intl.Segmenter',
    isRaced: true,
    split: (text) => Array.from(segmenter.segment(text), (one) => one.segment),
    find: (text) => Array.from(segmenter.segment(text), ({ index }) => index),
  },
];

printTitle('Boundaries of sentences alone, one thread');
for (const text of readTexts()) await raceOn(text);
printGoldenRules();

async function raceOn({ name, text, bytes }: Text): Promise<void> {
  const candidates = SPLITTERS.filter(({ isRaced }) => isRaced).map(({ name, isOurs = false, find }) => ({
    name,
    isOurs,
    run: () => find(text),
  }));
  printSpeeds(`sentences, ${name}`, await race(candidates), bytes);
}

function slices(text: string, cuts: readonly number[]): string[] {
  return [...cuts, text.length].map((cut, index) => text.slice(cuts[index - 1] ?? 0, cut));
}

interface GoldenRule {
  readonly text: string;
  readonly sentences: readonly string[];
}

/** How many of the English golden rules hold, and in how many of their texts nothing is lost. */
function printGoldenRules(): void {
  const file = join(import.meta.dirname, '../../core/engine/prose/golden-rules-en.json');
  const golden = JSON.parse(readFileSync(file, 'utf8')) as GoldenRule[];
  const rows = SPLITTERS.map(({ name, split }) => {
    const held = golden.filter(({ text, sentences }) => clean(split(text)) === clean(sentences));
    const lossless = golden.filter(({ text }) => split(text).join('') === text);
    return [name, `${held.length} of ${golden.length}`, `${lossless.length} of ${golden.length}`];
  });
  printTable('English golden rules of pragmatic_segmenter', ['', 'held', 'lossless'], rows);
}

function clean(sentences: readonly string[]): string {
  return sentences.map((sentence) => sentence.replace(/\s+/g, ' ').trim()).join('\n');
}
