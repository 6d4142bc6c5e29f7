import type { Log } from '../../../core/contracts/collaborators.ts';
import type { EmbeddingModel, LongTexts, Vectors } from '../../../core/contracts/embedding.ts';
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
