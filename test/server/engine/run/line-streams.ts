import fc from 'fast-check';
import { ServiceError } from '../../../../core/errors.ts';
import type { StreamPlan } from '../../../../server/engine/read/plan.ts';
import type { RunAnswer } from '../../../../server/engine/run/executor.ts';
import { LineReader } from '../../../../server/engine/run/line-reader.ts';
import {
  answerLines,
  type LineRunner,
  type LineStream,
  Throughput,
} from '../../../../server/engine/run/stream.ts';
import type { LinesTask } from '../../../../server/engine/tasks.ts';
import { type AnswerLine, linesIn } from '../../../support/streams.ts';

/** What runs lines in place of the threads: each line is a JSON text that says what becomes of it. */
export interface Fate {
  readonly id: string;
  /** Fails all lines that run together with it, as a thread does that ends. */
  readonly fails?: 'worker_lost' | 'timed_out' | 'internal';
  /** Fails the lines that run together with it for a reason that concerns the whole request. */
  readonly refuses?: boolean;
  readonly filling?: string;
}

/** Notes how much work there was at once, and how many bytes of lines. */
export const newLoad = () => ({ runs: 0, running: 0, maxRunning: 0, bytes: 0, maxBytes: 0 });

/**
 * Answers lines as their fates say.
 *
 * @param turn waits until a run may end
 */
export function fatefulRunner(turn: () => Promise<unknown>, load = newLoad()): LineRunner {
  return {
    async run(task, body, stop) {
      const { length } = body;
      load.runs++;
      load.maxRunning = Math.max(load.maxRunning, ++load.running);
      load.bytes += length;
      load.maxBytes = Math.max(load.maxBytes, load.bytes);
      const aborted = new Promise((resolve) => stop.signal.addEventListener('abort', resolve));
      try {
        await Promise.race([turn(), aborted]);
        stop.signal.throwIfAborted();
        return answerOf(task, Buffer.from(body));
      } finally {
        load.running--;
        load.bytes -= length;
      }
    },
  };
}

function answerOf({ first, lengths }: LinesTask, body: Buffer): RunAnswer {
  let at = 0;
  const fates = lengths.map((length) => {
    at += length;
    return JSON.parse(body.toString('utf8', at - length, at)) as Fate;
  });
  for (const { fails, refuses } of fates) {
    if (refuses) throw new ServiceError('unknown_tokenizer', { received: 'x', hint: '', names: [] });
    if (fails) throw new ServiceError(fails, { timeout: 1 });
  }
  const lines = fates.map(({ id }, place) => `${JSON.stringify({ index: first + place, id })}\n`);
  const bytes = new Uint8Array(Buffer.from(lines.join('')));
  const timings = { times: [{ stage: 'chunk', by: 'x', seconds: 1e-8 * body.length }] };
  return { bytes, reported: [], timings, queueSeconds: 0 } as unknown as RunAnswer;
}

type Options = Partial<LineStream> & { readonly limit?: number };

export function streamOf(
  source: AsyncIterator<Buffer>,
  { limit = 1_000_000, ...given }: Options,
): LineStream {
  return {
    plan: {} as StreamPlan,
    reader: new LineReader(source, { limit, isStrict: false, beforeReading: async () => {} }),
    runner: fatefulRunner(() => Promise.resolve()),
    rate: new Throughput().of([]),
    slots: 3,
    signal: new AbortController().signal,
    onAnswer() {},
    onFailure() {},
    onHeld() {},
    ...given,
  };
}

/** Reads a whole answer; throws if a piece of it does not end with a whole line. */
export async function answersOf(stream: LineStream): Promise<AnswerLine[]> {
  const found: AnswerLine[] = [];
  for await (const { bytes } of answerLines(stream)) found.push(...linesIn(bytes));
  return found;
}

/** The lines of fates in pieces of so many bytes. */
export async function* sent(fates: readonly (Fate | 'too long')[], size: number, limit = 1_000_000) {
  const lines = fates.map((fate) => (fate === 'too long' ? 'x'.repeat(limit + 2) : JSON.stringify(fate)));
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Fates of up to so many lines. */
export function anyFates(maxLength: number): fc.Arbitrary<(Omit<Fate, 'id'> | 'too long')[]> {
  const failing = fc.constantFrom<Omit<Fate, 'id'>>({ fails: 'worker_lost' }, { fails: 'timed_out' });
  const fate = fc.oneof(
    { weight: 8, arbitrary: fc.record({ filling: fc.string({ maxLength: 30 }) }) },
    { weight: 1, arbitrary: failing },
    { weight: 1, arbitrary: fc.constant('too long' as const) },
  );
  return fc.array(fate, { maxLength });
}
