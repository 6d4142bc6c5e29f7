import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../../core/errors.ts';
import { LINES } from '../../http/transport/media.ts';
import type { JobRecord, JobStore } from '../../store/jobs/contract.ts';
import { jobAnswer } from '../jobs/answers.ts';

/** The media type of server-sent events. */
export const EVENTS = 'text/event-stream';

/** Milliseconds between two looks at a job. */
const PAUSE = 1000;
/** Milliseconds for which an answer of the store serves all clients that watch a job. */
const SHARED = 500;
/** Looks without a change after which a client gets a sign that the connection is alive. */
const QUIET = 15;

const line = (job: JobRecord) => `${JSON.stringify(jobAnswer(job))}\n`;

/** How events are written, by the media type of the stream. The id of an event is the state of the job. */
const WRITTEN = {
  [EVENTS]: { event: (job: JobRecord) => `id: ${job.state}\ndata: ${line(job)}\n`, keepAlive: () => ':\n\n' },
  [LINES]: { event: line, keepAlive: line },
} as const;

/** Returns a job from the store; those who ask at about the same time share an answer. */
export type Ask = JobStore['get'];

export function sharedAsk(jobs: Pick<JobStore, 'get'>): Ask {
  const asked = new Map<string, Promise<JobRecord>>();
  return (id) => {
    const answer = asked.get(id) ?? jobs.get(id);
    if (!asked.has(id)) setTimeout(() => asked.delete(id), SHARED).unref();
    asked.set(id, answer);
    return answer;
  };
}

/**
 * Writes the job at once, and whenever it has changed, until it ends or is removed. A client that reads slowly gets
 * fewer events, and always the latest state, so that memory does not grow.
 *
 * @param job its current state
 * @param signal ends the events
 */
export async function* jobEvents(
  job: JobRecord,
  type: keyof typeof WRITTEN,
  ask: Ask,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { event, keepAlive } = WRITTEN[type];
  yield event(job);
  let [now, last, quiet] = [job, JSON.stringify(job), 0];
  while (!isOver(now)) {
    await sleep(PAUSE, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    try {
      now = await ask(job.id);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'job_not_found') return;
      // An unreachable store may come back.
      continue;
    }
    const json = JSON.stringify(now);
    quiet = json === last ? quiet + 1 : 0;
    last = json;
    if (quiet === 0) yield event(now);
    else if (quiet % QUIET === 0) yield keepAlive(now);
  }
}

/** Whether a job no longer changes by itself. */
export function isOver({ finished_at }: JobRecord): boolean {
  return finished_at !== null;
}
