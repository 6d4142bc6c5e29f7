import { ServiceError } from '../../../core/errors.ts';
import type { JobRecord, JobStore } from '../../store/jobs/contract.ts';

/** Receives the changes of a job. */
export interface Watcher {
  /** Called with the current job. */
  tell(job: JobRecord): void;
  /** Called when nothing has changed for a while. */
  keepAlive(): void;
  /** Called when there are no more changes. */
  end(): void;
}

/** Milliseconds between polls of the store. */
const PAUSE = 1000;
/** Polls without a change after which watchers get a sign that the connection is alive. */
const QUIET = 15;

/** Notifies watchers when jobs change. All watchers of a job share one poll of the store per second. */
export class JobWatch {
  readonly #jobs: Pick<JobStore, 'get'>;
  readonly #watched = new Map<string, Watched>();
  #isClosed = false;

  constructor(jobs: Pick<JobStore, 'get'>) {
    this.#jobs = jobs;
  }

  /** Notifies a watcher of a job now, and then of each change, until the job ends. @param job its current state */
  add(job: JobRecord, watcher: Watcher): void {
    watcher.tell(job);
    if (isOver(job) || this.#isClosed) {
      watcher.end();
      return;
    }
    let watched = this.#watched.get(job.id);
    if (watched === undefined) {
      watched = { watchers: new Set(), last: JSON.stringify(job), quiet: 0, timer: undefined };
      this.#watched.set(job.id, watched);
      this.#wait(job.id, watched);
    }
    watched.watchers.add(watcher);
  }

  remove(id: string, watcher: Watcher): void {
    const watched = this.#watched.get(id);
    watched?.watchers.delete(watcher);
    if (watched?.watchers.size === 0) this.#forget(id, watched);
  }

  /** Stops all watching, for good. */
  close(): void {
    this.#isClosed = true;
    for (const [id, watched] of this.#watched) this.#end(id, watched);
  }

  #wait(id: string, watched: Watched): void {
    watched.timer = setTimeout(() => void this.#ask(id, watched), PAUSE);
  }

  async #ask(id: string, watched: Watched): Promise<void> {
    const job = await this.#jobs.get(id).catch((error: unknown) => {
      // A removed job is no longer watched; an unreachable store may come back.
      if (error instanceof ServiceError && error.code === 'job_not_found') this.#end(id, watched);
    });
    if (this.#watched.get(id) !== watched) return;
    if (job !== undefined) this.#tell(job, watched);
    if (job !== undefined && isOver(job)) this.#end(id, watched);
    else this.#wait(id, watched);
  }

  #tell(job: JobRecord, watched: Watched): void {
    const now = JSON.stringify(job);
    watched.quiet = now === watched.last ? watched.quiet + 1 : 0;
    if (now !== watched.last) for (const watcher of watched.watchers) watcher.tell(job);
    else if (watched.quiet % QUIET === 0) for (const watcher of watched.watchers) watcher.keepAlive();
    watched.last = now;
  }

  #end(id: string, watched: Watched): void {
    this.#forget(id, watched);
    for (const watcher of watched.watchers) watcher.end();
  }

  #forget(id: string, { timer }: Watched): void {
    clearTimeout(timer);
    this.#watched.delete(id);
  }
}

interface Watched {
  readonly watchers: Set<Watcher>;
  /** The job as last sent to its watchers, as JSON. */
  last: string;
  /** Polls since the last change. */
  quiet: number;
  timer: NodeJS.Timeout | undefined;
}

/** Whether a job no longer changes by itself. */
export function isOver({ finished_at }: JobRecord): boolean {
  return finished_at !== null;
}
