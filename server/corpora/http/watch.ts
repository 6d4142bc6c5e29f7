import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { ServiceError } from '../../../core/errors.ts';
import { LINES } from '../../http/transport/media.ts';
import type { JobRecord, JobStore } from '../../store/jobs/contract.ts';
import { jobAnswer } from '../jobs/answers.ts';

export const EVENTS = 'text/event-stream';

const WRITTEN = {
  [EVENTS]: {
    event: (job: JobRecord) => `id: ${eventId(job)}\ndata: ${JSON.stringify(jobAnswer(job))}\n\n`,
    keepAlive: () => ':\n\n',
  },
  [LINES]: {
    event: (job: JobRecord) => `${JSON.stringify(jobAnswer(job))}\n`,
    keepAlive: (job: JobRecord) => `${JSON.stringify(jobAnswer(job))}\n`,
  },
} as const;

/** The id of an event is the job's state. A client that has seen the final state gets no further events. */
export function eventId({ state }: JobRecord): string {
  return state;
}

const PAUSE = 1000;
/** Number of polls without a change after which a keep-alive is sent. */
const QUIET = 15;

/** Streams the changes of jobs. All streams of a job share one poll of the store per second. */
export class JobWatch {
  readonly #jobs: Pick<JobStore, 'get'>;
  readonly #polls = new Map<string, Promise<JobRecord | undefined>>();
  readonly #closing = new AbortController();

  constructor(jobs: Pick<JobStore, 'get'>) {
    this.#jobs = jobs;
  }

  /**
   * Streams the job now and after every change, until the job ends. The next poll waits until the client has
   * read. A slow client therefore gets fewer events, but always the latest state, and memory does not grow.
   */
  stream(job: JobRecord, type: keyof typeof WRITTEN): Readable {
    return Readable.from(this.#events(job, WRITTEN[type]), { objectMode: false });
  }

  close(): void {
    this.#closing.abort();
  }

  async *#events(
    first: JobRecord,
    { event, keepAlive }: (typeof WRITTEN)[keyof typeof WRITTEN],
  ): AsyncGenerator<string> {
    yield event(first);
    let job = first;
    let quiet = 0;
    while (!isOver(job)) {
      const now = await this.#next(job).catch(() => undefined);
      if (now === undefined) return;
      const isSame = JSON.stringify(now) === JSON.stringify(job);
      quiet = isSame ? quiet + 1 : 0;
      job = now;
      if (!isSame) yield event(job);
      else if (quiet % QUIET === 0) yield keepAlive(job);
    }
  }

  /**
   * Returns the job at the next poll; unchanged if the store cannot be reached.
   *
   * @throws if the job is removed, or on `close`
   */
  async #next(job: JobRecord): Promise<JobRecord> {
    const poll = this.#polls.get(job.id) ?? this.#poll(job.id).finally(() => this.#polls.delete(job.id));
    this.#polls.set(job.id, poll);
    return (await poll) ?? job;
  }

  async #poll(id: string): Promise<JobRecord | undefined> {
    await wait(PAUSE, undefined, { signal: this.#closing.signal });
    return this.#jobs.get(id).catch((error: unknown) => {
      if (error instanceof ServiceError && error.code === 'job_not_found') throw error;
      return undefined;
    });
  }
}

export function isOver({ finished_at }: JobRecord): boolean {
  return finished_at !== null;
}
