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
  const { calibrate } = model;
  return {
    name: model.name,
    bytes: model.bytes,
    tokenizer: () => model.tokenizer(),
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

/** Wraps a tokenizer to count each letter of unknown text, because one token may represent a whole sentence. */
export function countingUnknownText(tokenizer: Tokenizer): Tokenizer {
  const { encode, unknownId } = tokenizer;
  if (encode === undefined || unknownId === undefined) return tokenizer;
  const tokens = (text: string) => ({ ids: tokenizer.encode?.(text) as Uint32Array, unknownId });
  return {
    ...tokenizer,
    name: tokenizer.name,
    encode: (text) => tokenizer.encode?.(text) as Uint32Array,
    tokenize(text) {
      const whole = tokenizer.tokenize(text);
      if (!MAY_BE_UNKNOWN.test(text)) return whole;
      const splitEnds = (part: string, tokenized: TokenizedText) =>
        endsOf(part, tokenized.ends(), tokens(part));
      return {
        count(start, end) {
          const part = text.slice(start, end);
          if (!MAY_BE_UNKNOWN.test(part)) return whole.count(start, end);
          const { ids } = tokens(part);
          return ids.includes(unknownId) ? splitEnds(part, tokenizer.tokenize(part)).length : ids.length;
        },
        ends: () => splitEnds(text, whole),
      };
    },
  };
}

/** A non-Latin letter. Vocabularies have all Latin words, so Latin letters count only in words above `MAX_WORD`. */
const LETTERS = /[\p{L}--\p{Script=Latin}]/gv;
const CHARACTERS = /\P{M}/gu;
const MAY_BE_UNKNOWN = /[\p{L}--\p{Script=Latin}]|\S{101}/v;
/** Maximum characters of a word; tokenizers of models treat longer words as unknown. */
const MAX_WORD = 100;

function endsOf(
  text: string,
  ends: Uint32Array,
  { ids, unknownId }: { readonly ids: Uint32Array; readonly unknownId: number },
): Uint32Array {
  const split: number[] = [];
  let start = 0;
  for (const [at, end] of ends.entries()) {
    if (ids[at] === unknownId) addLetterEnds(split, text.slice(start, end), start);
    split.push(end);
    start = end;
  }
  return Uint32Array.from(split);
}

/** Adds the end of each letter in a token. The last letter is skipped, because it ends with the token. */
function addLetterEnds(ends: number[], token: string, start: number): void {
  const letters = token.length > MAX_WORD ? CHARACTERS : LETTERS;
  let isFirst = true;
  for (const { index } of token.matchAll(letters)) {
    if (!isFirst) ends.push(start + index);
    isFirst = false;
  }
}
