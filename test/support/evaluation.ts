import type * as api from '../../server/clients/javascript/api-types.ts';
import type { Scores } from '../../server/engine/operations/evaluation/scores.ts';
import { plugin } from './plugins.ts';
import type { Client } from './server.ts';
import { jsonOf } from './service.ts';

/** What tests of POST /v1/evaluate share. */

type MayLack = 'same_as' | 'error';
/** One that did not fail: it has all its scores. */
export type EvaluatedCandidate = Required<Omit<api.EvaluatedCandidate, MayLack>> &
  Pick<api.EvaluatedCandidate, MayLack>;

export interface Evaluation extends api.Evaluation {
  candidates: EvaluatedCandidate[];
}

export type Found = api.FoundChunk;

/**
 * An embedding plugin with the model `letters`, whose vector counts the letters a to z; its last number is the purpose, 1 of
 * a question. It fails on `fail`.
 */
export const LETTERS = plugin(
  { kind: 'embedding', name: 'letters', models: ['letters'] },
  `export default () => ({
    list: () => [{ name: 'letters' }],
    open: async (name) => name === 'letters' ? {
      name, bytes: 0, tokenizer: async () => undefined,
      embed: async (texts, { purpose }) => {
        if (texts.some((text) => text.includes('fail'))) throw new Error('a secret');
        const values = new Float32Array(texts.length * 27);
        texts.forEach((text, index) => {
          for (const letter of text.toLowerCase()) {
            const at = letter.charCodeAt(0) - 97;
            if (letter.length === 1 && at >= 0 && at < 26) values[index * 27 + at]++;
          }
          values[index * 27 + 26] = ['document', 'query', 'similarity'].indexOf(purpose);
        });
        return { dimensions: 27, values };
      },
    } : undefined,
  });`,
);

/** A model that reads ten characters of a text, each a token, and says so. Its vectors count letters. */
export const WINDOWED = plugin(
  { kind: 'embedding', name: 'narrow', models: ['narrow'] },
  `const tokenize = (text) => ({
    count: (start, end) => end - start,
    ends: () => Uint32Array.from({ length: text.length }, (_, at) => at + 1),
  });
  export default () => ({
    list: () => [{ name: 'narrow', dimensions: 26, window: 10 }],
    open: async (name) => name === 'narrow' ? {
      name, bytes: 0, tokenizer: async () => ({ name, tokenize }),
      window: { tokens: 10, count: (text) => text.length },
      embed: async (texts) => {
        const values = new Float32Array(texts.length * 26);
        texts.forEach((text, index) => {
          for (const letter of text.slice(0, 10).toLowerCase()) {
            const at = letter.charCodeAt(0) - 97;
            if (letter.length === 1 && at >= 0 && at < 26) values[index * 26 + at]++;
          }
        });
        return { dimensions: 26, values };
      },
    } : undefined,
  });`,
);

/** A request about one document, whose answers are stretches of its text. */
export function requestAbout(text: string, questions: Record<string, string>, candidates: object[]) {
  const given = Object.entries(questions).map(([question, answer]) => {
    const start_index = text.indexOf(answer);
    return { question, answers: [{ document: 0, start_index, end_index: start_index + answer.length }] };
  });
  return { documents: [{ text }], questions: given, candidates, embedding_model: 'letters' };
}

/** Evaluates, and throws where that fails. */
export async function evaluate({ post }: Pick<Client, 'post'>, request: object): Promise<Evaluation> {
  return jsonOf<Evaluation>(await post('/v1/evaluate', request));
}

/** A stretch of characters. */
export type Stretch = readonly [start: number, end: number];

const charactersOf = (stretches: readonly Stretch[]): number[] =>
  stretches.flatMap(([start, end]) => Array.from({ length: end - start }, (_, at) => start + at));

/** The scores of a question by counting character after character, with six decimals. */
export function countedScores(
  answers: readonly Stretch[],
  found: readonly Stretch[],
  all: readonly Stretch[],
): Scores {
  const wanted = new Set(charactersOf(answers));
  const got = charactersOf(found);
  const touching = all.filter((one) => charactersOf([one]).some((at) => wanted.has(at)));
  const whole = new Set([...charactersOf(touching), ...wanted]);
  const shared = new Set(got.filter((at) => wanted.has(at))).size;
  const inAny = new Set(charactersOf(touching).filter((at) => wanted.has(at))).size;
  const share = (part: number, of: number) => (of === 0 ? 0 : Math.round((1e6 * part) / of) / 1e6);
  return {
    recall: share(shared, wanted.size),
    precision: share(shared, got.length),
    iou: share(shared, wanted.size + got.length - shared),
    precision_at_full_recall: share(inAny, whole.size),
  };
}
