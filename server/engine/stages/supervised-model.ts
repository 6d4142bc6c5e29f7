import type { Log } from '../../../core/contracts/collaborators.ts';
import type { EmbeddingModel, LongTexts, Vectors } from '../../../core/contracts/embedding.ts';
import { brokenPromise } from '../../../core/engine/chunking.ts';
import type { Timer } from '../answer/response-metadata.ts';
import { embedWithin, placeRefusal } from './windows.ts';

/** Minimum milliseconds between two progress lines in the log. */
const PROGRESS_MS = 1000;

/** How a request uses a model. */
export interface Supervision {
  readonly log: Log;
  readonly timer: Timer;
  /** What to do with texts beyond the model's window. */
  readonly longTexts: LongTexts;
  /** What a text is, for an error about one: `chunks`; default an error without a place. */
  readonly unit?: string;
  /**
   * Whether each text whose vector means nothing is counted and named, or they are only counted if a call has no
   * others; default `each`.
   */
  readonly counts?: 'each' | 'all';
}

/**
 * The model as one request sees it: its progress is logged, its time is measured, its vectors are checked, those that
 * mean nothing are counted, and texts beyond its window are treated as requested, and counted.
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
      timer.embedded({
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

/** The indexes of zero vectors. */
function findZeros({ dimensions, values }: Vectors): number[] {
  const zeros: number[] = [];
  for (let from = 0; from < values.length; from += dimensions) {
    let at = from;
    while (at < from + dimensions && values[at] === 0) at++;
    if (at === from + dimensions) zeros.push(from / dimensions);
  }
  return zeros;
}

/** Numbers that are not finite have all bits of the exponent set. Has no branch per number. */
function areFinite({ buffer, byteOffset, length }: Float32Array): boolean {
  const bits = new Int32Array(buffer, byteOffset, length);
  let overflow = 0;
  for (let index = 0; index < length; index++) overflow |= ((bits[index] as number) & SIZE) + MIN_EXPONENT;
  return overflow >= 0;
}

/** The bits of a number in single precision without its sign, and the lowest one of its exponent. */
const [SIZE, MIN_EXPONENT] = [0x7fffffff, 0x00800000];
