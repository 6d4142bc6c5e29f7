import { plugin } from './plugins.ts';
import type { Client } from './server.ts';

/** What tests of POST /v1/evaluate share. */

export interface Scores {
  readonly recall: number;
  readonly precision: number;
  readonly iou: number;
  readonly precision_at_full_recall: number;
}

export interface Found {
  readonly document: number;
  readonly start_index: number;
  readonly end_index: number;
  readonly token_count: number;
  readonly score: number;
}

export interface EvaluatedQuestion extends Scores {
  readonly tokens: number;
  readonly found: readonly Found[];
}

export interface EvaluatedCandidate extends Scores {
  readonly index: number;
  readonly name: string;
  readonly same_as?: number;
  readonly tokens_per_question: number;
  readonly chunks: number;
  readonly questions: readonly EvaluatedQuestion[];
  readonly error?: { readonly status: number; readonly detail: string };
}

export interface Evaluation {
  readonly embedding_model: string;
  readonly k: number;
  readonly candidates: readonly EvaluatedCandidate[];
}

/**
 * An embedding plugin with the model `letters`, whose vector counts the letters a to z, and the last number the purpose of
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
          if (purpose === 'query') values[index * 27 + 26] = 1;
        });
        return { dimensions: 27, values };
      },
    } : undefined,
  });`,
);

/** A request about one document, whose answers are stretches of its text. */
export function requestAbout(
  text: string,
  questions: Readonly<Record<string, string>>,
  candidates: object[],
) {
  const given = Object.entries(questions).map(([question, answer]) => {
    const start_index = text.indexOf(answer);
    return { question, answers: [{ document: 0, start_index, end_index: start_index + answer.length }] };
  });
  return { documents: [{ text }], questions: given, candidates, embedding_model: 'letters' };
}

/** Evaluates, and throws where that fails. */
export async function evaluate({ post }: Client, request: object): Promise<Evaluation> {
  const answer = await post('/v1/evaluate', request);
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.bytes}`);
  return answer.json<Evaluation>();
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
