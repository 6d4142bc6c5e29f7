import type { Answer } from '../service/answer.ts';

/** An answer, and how long its task waited until it could run. */
export interface RunAnswer extends Answer {
  readonly queueSeconds: number;
}
