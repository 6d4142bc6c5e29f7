import type { Log } from '../../../core/contracts/collaborators.ts';
import type { EmbeddingModel, LongTexts, Vectors } from '../../../core/contracts/embedding.ts';
import type { TokenizedText, Tokenizer } from '../../../core/contracts/tokenizer.ts';
import { brokenPromise } from '../../../core/engine/chunking.ts';
import type { Timer } from '../answer/response-metadata.ts';
import { embedWithin, placeRefusal } from './windows.ts';

/** Minimum milliseconds between two progress lines in the log. */
const PROGRESS_MS = 1000;

export interface Supervision {
  readonly log: Log;
  readonly timer: Timer;
  readonly longTexts: LongTexts;
  /** What the texts are, such as `chunks`, to name the place in errors. By default, errors have no place. */
  readonly unit?: string;
  /**
   * `each`, the default, counts and lists every text with a meaningless vector. `all` counts these texts only if
   * all texts of a call have such vectors.
   */
  readonly counts?: 'each' | 'all';
}

/**
 * Wraps a model for one request: logs progress, measures time, checks vectors, and counts meaningless vectors.
 * Texts longer than the model's window are treated as requested, and counted too.
 */
export function supervisedModel(
  model: EmbeddingModel,
  { log, timer, longTexts, unit, counts = 'each' }: Supervision,
): EmbeddingModel {
  const { calibrate, window } = model;
  return {
    name: model.name,
    bytes: model.bytes,
    tokenizer: () => model.tokenizer(),
    ...(window !== undefined && { window }),
    ...(calibrate === undefined ? {} : { calibrate: (cosine) => calibrate.call(model, cosine) }),
    async embed(texts, request) {
      let said = performance.now();
      const progress = (done: number) => {
        request.progress?.(done);
        if (performance.now() - said < PROGRESS_MS) return;
        said = performance.now();
        log.debug({ model: model.name, done, of: texts.length }, 'embedding');
      };
      const embed = () => embedWithin(model, texts, { ...request, progress }, longTexts);
      const { vectors, long } = await timer.time('embed', model.name, embed).catch((error: unknown) => {
        throw unit === undefined ? error : placeRefusal(error, unit);
      });
      const reason = findFault(vectors, texts.length);
      if (reason !== undefined) throw brokenPromise({ kind: 'embedding', name: model.name }, reason);
      const { wordless = findZeros(vectors), fallback } = vectors;
      timer.count({
        empty: counts === 'each' || wordless.length === texts.length ? wordless.length : 0,
        emptyAt: counts === 'each' ? wordless : [],
        cut: long,
        fallback: fallback?.texts ?? 0,
        fallbackNames: fallback !== undefined && fallback.texts > 0 ? [fallback.name] : [],
      });
      return vectors;
    },
  };
}

function findFault(vectors: Vectors, texts: number): string | undefined {
  const { dimensions, values, wordless } = vectors ?? {};
  if (!(values instanceof Float32Array)) {
    const given = Array.isArray(vectors) || Array.isArray(values) ? 'a list' : 'no vectors';
    return `embed gave ${given}; return { dimensions, values }, a Float32Array with all vectors one after the other`;
  }
  if (!(Number.isInteger(dimensions) && (dimensions > 0 || texts === 0))) {
    return `a vector of ${dimensions} numbers`;
  }
  if (values.length !== texts * dimensions) {
    return `${values.length} numbers for ${texts} texts of ${dimensions} each`;
  }
  if (wordless !== undefined && !Array.isArray(wordless)) {
    return '`wordless` that is not a list; return the indexes of the texts with no known word';
  }
  return areFinite(values) ? undefined : 'a number that is not finite';
}

function findZeros({ dimensions, values }: Vectors): number[] {
  const zeros: number[] = [];
  for (let from = 0; from < values.length; from += dimensions) {
    let at = from;
    while (at < from + dimensions && values[at] === 0) at++;
    if (at === from + dimensions) zeros.push(from / dimensions);
  }
  return zeros;
}

/** Whether all numbers are finite. Infinities and NaN have all bits of the exponent set. The loop has no branches. */
function areFinite({ buffer, byteOffset, length }: Float32Array): boolean {
  const bits = new Int32Array(buffer, byteOffset, length);
  let overflow = 0;
  for (let index = 0; index < length; index++) overflow |= ((bits[index] as number) & SIZE) + MIN_EXPONENT;
  return overflow >= 0;
}

/** Bits of a single-precision number: all except the sign, and the lowest bit of the exponent. */
const SIZE = 0x7fffffff;
const MIN_EXPONENT = 0x00800000;

/**
 * The tokenizer of a model, changed to count text that its vocabulary does not know. One unknown token may represent a whole sentence,
 * so that its letters count instead. Where a model reads texts of any length, letters that are tokens of their own
 * count by groups: a chunk then has about as much text in every language.
 */
export async function countingTokenizer(model: EmbeddingModel): Promise<Tokenizer> {
  const readsAll = model.window === null;
  const tokenizer = await model.tokenizer();
  const { encode, unknownId } = tokenizer;
  if (encode === undefined || unknownId === undefined) return tokenizer;
  const encoded = (text: string) => tokenizer.encode?.(text) as Uint32Array;
  const shareOf = readsAll ? shareOfLetter : () => 1;
  const endsOf = (part: string, tokenized: TokenizedText, ids = encoded(part)) =>
    groupedEnds(part, tokenized.ends(), (at) => ids[at] === unknownId, shareOf);
  return {
    ...tokenizer,
    name: tokenizer.name,
    encode: encoded,
    tokenize(text) {
      const whole = tokenizer.tokenize(text);
      const hasLongWord = LONG_WORD.test(text);
      const mayBeUnknown = (part: string) =>
        (BEYOND_LATIN.test(part) && OTHER_LETTER.test(part)) || (hasLongWord && LONG_WORD.test(part));
      if (!mayBeUnknown(text)) return whole;
      return {
        count(start, end) {
          const part = text.slice(start, end);
          if (!mayBeUnknown(part)) return whole.count(start, end);
          const ids = encoded(part);
          if (!readsAll && !ids.includes(unknownId)) return ids.length;
          return endsOf(part, tokenizer.tokenize(part), ids).length;
        },
        ends: () => endsOf(text, whole),
      };
    },
  };
}

/** A non-Latin letter. Vocabularies have all Latin words, so Latin letters count only in words above `MAX_WORD`. */
const LETTERS = /[\p{L}--\p{Script=Latin}]/gv;
const CHARACTERS = /\P{M}/gu;
/** Units that letters of other scripts may have: a fast test before `OTHER_LETTER`. */
const BEYOND_LATIN = /[\xb5\u02b9-\uffff]/;
const OTHER_LETTER = /[\p{L}--\p{Script=Latin}]/v;
const LONG_WORD = /\S{101}/;
/** Maximum characters of a word; tokenizers of models treat longer words as unknown. */
const MAX_WORD = 100;

/** A token of English has about four letters. A syllable or an ideograph says more than a letter. */
const LETTER = 0.25;
const SYLLABLE = 0.5;
const HANGUL = /\p{Script=Hangul}/u;
const WHOLE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Latin}]|\P{L}/u;

function shareOfLetter(letter: string): number {
  if (WHOLE.test(letter)) return 1;
  return HANGUL.test(letter) ? SYLLABLE : LETTER;
}

/**
 * The ends of groups of letters, each of at most one token, and of all other tokens.
 *
 * @param ends of the tokens of the vocabulary
 * @param shareOf the share of a token that a letter counts
 */
function groupedEnds(
  text: string,
  ends: Uint32Array,
  isUnknown: (token: number) => boolean,
  shareOf: (letter: string) => number,
): Uint32Array {
  const grouped: number[] = [];
  let filled = 1;
  let start = 0;
  for (const [at, end] of ends.entries()) {
    const token = text.slice(start, end);
    const letters = [...token.matchAll(token.length > MAX_WORD && isUnknown(at) ? CHARACTERS : LETTERS)];
    if (letters.length === 0 || (letters.length > 1 && !isUnknown(at))) {
      grouped.push(end);
      filled = 1;
    } else {
      for (const [index, letter] of letters.entries()) {
        const share = shareOf(letter[0]);
        const before = index === 0 ? 0 : (letters[index - 1]?.index as number) + 1;
        if (filled + share > 1 || WHITE_SPACE.test(token.slice(before, letter.index))) filled = 0;
        if (filled > 0) grouped.pop();
        grouped.push(start + (letters[index + 1]?.index ?? token.length));
        filled += share;
      }
    }
    start = end;
  }
  return Uint32Array.from(grouped);
}

const WHITE_SPACE = /\s/u;
