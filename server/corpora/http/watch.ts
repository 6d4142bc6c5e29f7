import { ServiceError } from '../../../core/errors.ts';
import type { JobRecord, JobStore } from '../../store/jobs/contract.ts';

/** Who is told of a job. */
export interface Watcher {
  /** The job as it is now. */
  tell(job: JobRecord): void;
  /** Nothing has changed for a while. */
  keepAlive(): void;
  /** There is no more to tell. */
  end(): void;
}

/** Milliseconds between questions to the store. */
const PAUSE = 1000;
/** Questions without a change after which watchers are told that the connection is still there. */
const QUIET = 15;

/** Tells watchers of jobs whenever these change. All who watch one job share one question a second to the store. */
export class JobWatch {
  readonly #jobs: Pick<JobStore, 'get'>;
  readonly #watched = new Map<string, Watched>();
  #isClosed = false;

  constructor(jobs: Pick<JobStore, 'get'>) {
    this.#jobs = jobs;
  }

  /** Tells a watcher of a job now, and then of each change, until the job is over. @param job as it is now */
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

  /** Ends all that is watched, for good. */
  close(): void {
    this.#isClosed = true;
    for (const [id, watched] of this.#watched) this.#end(id, watched);
  }

  #wait(id: string, watched: Watched): void {
    watched.timer = setTimeout(() => void this.#ask(id, watched), PAUSE);
  }

  async #ask(id: string, watched: Watched): Promise<void> {
    const job = await this.#jobs.get(id).catch((error: unknown) => {
      // A job that was removed is watched no longer; a store that is away may come back.
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
  /** The job as its watchers know it, as JSON. */
  last: string;
  /** Questions since the last change. */
  quiet: number;
  timer: NodeJS.Timeout | undefined;
}

/** Whether a job changes no more by itself. */
export function isOver({ finished_at }: JobRecord): boolean {
  return finished_at !== null;
}
