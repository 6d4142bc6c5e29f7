import { Readable } from 'node:stream';
import { LINES } from '../../http/transport/media.ts';
import type { JobRecord } from '../../store/jobs/contract.ts';
import { jobAnswer } from '../jobs/answers.ts';
import type { Watcher } from './watch.ts';

/** The media type of server-sent events. */
export const EVENTS = 'text/event-stream';

/** How events are written, by the media type of the stream. */
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

/**
 * The id of the last event of a job is its state, so that a client that reconnects can be told that there is no more.
 */
export function eventId({ state }: JobRecord): string {
  return state;
}

/**
 * A stream of a job's changes. A client that reads slowly gets fewer events, and always the latest state, so that
 * memory does not grow.
 */
export class EventStream extends Readable implements Watcher {
  readonly #written: (typeof WRITTEN)[keyof typeof WRITTEN];
  #job: JobRecord | undefined;
  #next: string | undefined;
  #isWanted = false;
  #isOver = false;

  constructor(type: keyof typeof WRITTEN) {
    super();
    this.#written = WRITTEN[type];
  }

  tell(job: JobRecord): void {
    this.#job = job;
    this.#send(this.#written.event(job));
  }

  keepAlive(): void {
    if (this.#job !== undefined && this.#next === undefined) this.#send(this.#written.keepAlive(this.#job));
  }

  end(): void {
    this.#isOver = true;
    if (this.#next === undefined) this.push(null);
  }

  override _read(): void {
    this.#isWanted = true;
    if (this.#next !== undefined) this.#send(this.#next);
  }

  #send(text: string): void {
    if (this.destroyed || this.readableEnded) return;
    this.#next = this.#isWanted ? undefined : text;
    if (!this.#isWanted) return;
    this.#isWanted = this.push(text);
    if (this.#isOver) this.push(null);
  }
}
