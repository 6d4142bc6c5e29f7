import { readFile } from 'node:fs/promises';
import { LANGUAGE_NAMES, type LanguageName } from '../manifest.ts';

export interface Guess {
  readonly name: LanguageName;
  readonly probability: number;
}

/** Returns all languages, most likely first. */
export type Guesser = (text: string) => Guess[];

/** A stored byte times this factor is a weight. */
export const WEIGHT_STEP = 1 / 12;

/**
 * Loads the linear model, which `test/plugins/chunkers/code/training` trains. The file has a row for each bucket of
 * features, with one signed byte for each of `LANGUAGE_NAMES`.
 */
export async function loadModel(): Promise<Guesser> {
  const bytes = await readFile(new URL('weights.bin', import.meta.url));
  const weights = new Int8Array(bytes.buffer, bytes.byteOffset, BUCKETS * LANGUAGE_NAMES.length);
  return (text) => guess(weights, text);
}

function guess(weights: Int8Array, text: string): Guess[] {
  const { buckets, values } = featuresOf(text);
  const count = LANGUAGE_NAMES.length;
  const scores = new Float64Array(count);
  buckets.forEach((bucket, index) => {
    const value = (values[index] as number) * WEIGHT_STEP;
    const row = bucket * count;
    for (let language = 0; language < count; language++) {
      scores[language] = (scores[language] as number) + value * (weights[row + language] as number);
    }
  });
  const largest = Math.max(...scores);
  const likelihoods = scores.map((score) => Math.exp(score - largest));
  const sum = likelihoods.reduce((total, one) => total + one, 0);
  const guesses = LANGUAGE_NAMES.map((name, index) => ({
    name,
    probability: (likelihoods[index] as number) / sum,
  }));
  return guesses.sort((a, b) => b.probability - a.probability);
}

export const BUCKETS = 1 << 15;

export interface Features {
  /** Hash buckets of the features found, each once. */
  readonly buckets: readonly number[];
  /** One value for each bucket; their squares add up to 1. */
  readonly values: Float32Array;
}

/**
 * Finds the features of a text: words, pairs of tokens, shapes of up to four tokens, and how lines begin and end. Only
 * a sample of a long text is read, to limit the time.
 */
export function featuresOf(text: string): Features {
  const counts = new Map<number, number>();
  const reader: Reader = { counts, words: [0, 0], shapes: [0, 0, 0], atLineStart: true, isUnclosed: false };
  const excerpt = excerptOf(text);
  const end = excerpt.length;
  for (let at = 0; at < end; )
    at = readComment(reader, excerpt, at, end) ?? readToken(reader, excerpt, at, end);
  return normalised(counts);
}

const HEAD = 8192;
/** Number of characters read in the middle of a long text, and again at its end. */
const SAMPLE = 4096;

function excerptOf(text: string): string {
  const { length } = text;
  if (length <= HEAD + 2 * SAMPLE) return text;
  const middle = Math.floor((length - SAMPLE) / 2);
  return `${lines(text, 0, HEAD)}\n${lines(text, middle, middle + SAMPLE)}\n${lines(text, length - SAMPLE, length)}`;
}

/** The whole lines in a stretch; the entire stretch if the whole lines are less than half of it. */
function lines(text: string, start: number, end: number): string {
  const stretch = text.slice(start, end);
  const from = start === 0 ? 0 : stretch.indexOf('\n') + 1;
  const to = end === text.length ? stretch.length : stretch.lastIndexOf('\n');
  return to - from > stretch.length / 2 ? stretch.slice(from, to) : stretch;
}

/** State of the reading, with the last tokens as hashes of their texts (`words`) and as `shapes`. */
interface Reader {
  readonly counts: Map<number, number>;
  readonly words: [before: number, last: number];
  readonly shapes: [earlier: number, before: number, last: number];
  atLineStart: boolean;
  /** Whether the rest of the text has no end of a block comment. */
  isUnclosed: boolean;
}

const LINE_COMMENT = /\/\/|-- |#{1,6} /y;
const BLOCK_START = '/*';
const BLOCK_END = '*/';

/**
 * Reads a comment. Only its opening sign counts, because the words of a comment are prose in any language.
 *
 * @returns the end of the comment; undefined if no comment begins at `start`
 */
function readComment(reader: Reader, text: string, start: number, end: number): number | undefined {
  const code = text.charCodeAt(start);
  if (code !== 47 && code !== 45 && code !== 35) return undefined;
  if (start > 0 && text.charCodeAt(start - 1) > 32) return undefined;
  if (text.startsWith(BLOCK_START, start)) {
    const close = reader.isUnclosed ? -1 : text.indexOf(BLOCK_END, start + 2);
    reader.isUnclosed = close < 0;
    if (close < 0) return undefined;
    addSign(reader, BLOCK_START);
    return close + 2;
  }
  LINE_COMMENT.lastIndex = start;
  const sign = LINE_COMMENT.exec(text)?.[0];
  if (sign === undefined || (sign !== '//' && !reader.atLineStart)) return undefined;
  addSign(reader, sign);
  const close = text.indexOf('\n', start);
  return close < 0 ? end : close;
}

function addSign(reader: Reader, sign: string): void {
  let hash = 41;
  for (let at = 0; at < sign.length; at++) hash = mixed(hash, sign.charCodeAt(at));
  add(reader, hash, hash);
}

/** Codes of tokens. The code of any other token is its character code. */
const NEW_LINE = 10;
const WORD = 1;
const CAPITALISED = 2;
const NUMBER = 3;
const FOREIGN = 4;
const MAX_WORD_LENGTH = 24;

/** @returns where the token ends */
function readToken(reader: Reader, text: string, start: number, end: number): number {
  const first = text.charCodeAt(start);
  if (isWordStart(first)) return readWord(reader, text, start, end);
  if (isDigit(first)) {
    let at = start + 1;
    while (at < end && (isDigit(text.charCodeAt(at)) || isWordStart(text.charCodeAt(at)))) at++;
    add(reader, NUMBER, NUMBER);
    return at;
  }
  if (first === NEW_LINE) endLine(reader);
  else if (first > 32) add(reader, first < 128 ? first : FOREIGN, first < 128 ? first : FOREIGN);
  return start + 1;
}

function readWord(reader: Reader, text: string, start: number, end: number): number {
  let hash = 7;
  let at = start;
  for (let code = text.charCodeAt(at); at < end && isWordPart(code); code = text.charCodeAt(++at)) {
    if (at - start < MAX_WORD_LENGTH) hash = mixed(hash, code);
  }
  const first = text.charCodeAt(start);
  add(reader, hash, first >= 65 && first <= 90 ? CAPITALISED : WORD);
  return at;
}

function add(reader: Reader, word: number, shape: number): void {
  const { counts, words, shapes, atLineStart } = reader;
  count(counts, mixed(11, word));
  count(counts, mixed(mixed(13, words[1]), word));
  count(counts, mixed(mixed(17, shapes[2]), word));
  count(counts, mixed(mixed(19, words[1]), shape));
  const three = mixed(mixed(mixed(23, shapes[1]), shapes[2]), shape);
  count(counts, three);
  count(counts, mixed(mixed(29, shapes[0]), three));
  if (atLineStart) count(counts, mixed(31, word));
  reader.atLineStart = false;
  words[0] = words[1];
  words[1] = word;
  shapes[0] = shapes[1];
  shapes[1] = shapes[2];
  shapes[2] = shape;
}

/** Consecutive empty lines count once. */
function endLine(reader: Reader): void {
  if (reader.atLineStart) return;
  const { counts, words } = reader;
  count(counts, mixed(mixed(37, words[0]), words[1]));
  add(reader, NEW_LINE, NEW_LINE);
  reader.atLineStart = true;
}

function count(counts: Map<number, number>, hash: number): void {
  const bucket = (hash ^ (hash >>> 15)) & (BUCKETS - 1);
  counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
}

function mixed(hash: number, value: number): number {
  const product = Math.imul(hash ^ value, 0x9e3779b1);
  return (product ^ (product >>> 15)) >>> 0;
}

function normalised(counts: Map<number, number>): Features {
  const values = Float32Array.from(counts.values(), (times) => 1 + Math.log(times));
  let squares = 0;
  for (const value of values) squares += value * value;
  const length = Math.sqrt(squares) || 1;
  return { buckets: [...counts.keys()], values: values.map((value) => value / length) };
}

function isWordStart(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95;
}

function isWordPart(code: number): boolean {
  return isWordStart(code) || isDigit(code);
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
