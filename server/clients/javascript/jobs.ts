import type { Job, JobInput, JobManifest, PipelineChunk, Shard } from './api-types.ts';
import { ChunksmithError } from './errors.ts';
import { wait } from './retries.ts';
import type { CallSettings, Transport } from './transport.ts';

const ROOT = '/v1/jobs';
const BETWEEN_CONNECTIONS = 250;

export interface CreateJobSettings extends CallSettings {
  /**
   * Makes the request repeatable: a repeated request with the same key returns the existing job. The service answers
   * a different request with the same key with status 422.
   */
  readonly idempotencyKey?: string | undefined;
}

export interface WaitSettings extends CallSettings {
  /** Called with the current job at once, and with the changed job after every change. */
  readonly onProgress?: ((job: Job) => void) | undefined;
}

/** Selects the entries and the page of a list of jobs or shards. */
export interface JobQuery<State> {
  readonly state?: State;
  readonly limit?: number;
  /** The header `x-next-cursor` of the previous page; undefined for the first page. */
  readonly cursor?: string;
}

/** A document that failed or was skipped, with its position in `source`: `byte`, `row` or `part`. */
export interface JobError {
  /** The file that contains the document. */
  readonly source: string;
  readonly id?: string | null;
  /** Missing if the document was skipped. */
  readonly status?: number;
  /** Why the document was skipped. */
  readonly skipped?: string;
  readonly detail: string;
  readonly [place: string]: unknown;
}

/** One line of the output: a chunk or, with `group: 'document'`, a document with its chunks. */
export type JobLine = Partial<PipelineChunk> & { readonly chunks?: PipelineChunk[] };

export class Jobs {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** `POST /v1/jobs`. Repeated after a lost connection only with an `idempotencyKey`, to avoid a second job. */
  create(job: JobInput, settings: CreateJobSettings = {}): Promise<Job> {
    const { idempotencyKey: key } = settings;
    const headers = key === undefined ? {} : { 'idempotency-key': key };
    return this.#transport.json({ path: ROOT, json: job, headers, idempotent: key !== undefined }, settings);
  }

  /** `GET /v1/jobs`, newest first. */
  list(query: JobQuery<Job['state']> = {}, settings?: CallSettings): Promise<Job[]> {
    return this.#transport.json({ method: 'GET', path: ROOT, query }, settings);
  }

  /** `GET /v1/jobs/<id>` */
  get(id: string, settings?: CallSettings): Promise<Job> {
    return this.#transport.json({ method: 'GET', path: pathOf(id) }, settings);
  }

  /** `DELETE /v1/jobs/<id>`: removes the job and its output. Fails with status 409 if the job has not ended. */
  delete(id: string, settings?: CallSettings): Promise<void> {
    return this.#transport.json({ method: 'DELETE', path: pathOf(id) }, settings);
  }

  /** `POST /v1/jobs/<id>/cancel` */
  cancel(id: string, settings?: CallSettings): Promise<Job> {
    return this.#transport.json({ path: `${pathOf(id)}/cancel` }, settings);
  }

  /** `POST /v1/jobs/<id>/retry`: runs the unfinished shards again. Never repeated after a lost connection. */
  retry(id: string, settings?: CallSettings): Promise<Job> {
    return this.#transport.json({ path: `${pathOf(id)}/retry`, idempotent: false }, settings);
  }

  /** `GET /v1/jobs/<id>/shards` */
  shards(id: string, query: JobQuery<Shard['state']> = {}, settings?: CallSettings): Promise<Shard[]> {
    return this.#transport.json({ method: 'GET', path: `${pathOf(id)}/shards`, query }, settings);
  }

  /** `GET /v1/jobs/<id>/events`: yields the job now and after each change, until the job ends or the server stops. */
  events(id: string, settings?: CallSettings): AsyncGenerator<Job, void, undefined> {
    return this.#transport.lines({ method: 'GET', path: `${pathOf(id)}/events` }, settings);
  }

  /** `GET /v1/jobs/<id>/result`: yields the output line by line. Fails with status 409 if the job is not done. */
  result(id: string, settings?: CallSettings): AsyncGenerator<JobLine, void, undefined> {
    return this.#transport.lines({ method: 'GET', path: `${pathOf(id)}/result` }, settings);
  }

  /** `GET /v1/jobs/<id>/result` as JSON: lists the output files with their sizes and hashes. */
  manifest(id: string, settings?: CallSettings): Promise<JobManifest> {
    const headers = { accept: 'application/json' };
    return this.#transport.json({ method: 'GET', path: `${pathOf(id)}/result`, headers }, settings);
  }

  /** `GET /v1/jobs/<id>/errors`: yields the documents that failed or were skipped. */
  errors(id: string, settings?: CallSettings): AsyncGenerator<JobError, void, undefined> {
    return this.#transport.lines({ method: 'GET', path: `${pathOf(id)}/errors` }, settings);
  }

  /** Waits until a job is done, failed or cancelled. Reconnects up to `maxRetries` times in a row. */
  async wait(id: string, settings: WaitSettings = {}): Promise<Job> {
    for (;;) {
      const job = await this.#transport.retried({}, settings, () => this.#watched(id, settings));
      if (job.finished_at !== null) return job;
      await wait(BETWEEN_CONNECTIONS, settings.signal);
    }
  }

  /** Follows a job over one connection, and returns its last state. @throws if it fails before the first state */
  async #watched(id: string, settings: WaitSettings): Promise<Job> {
    const { onProgress, ...once } = { ...settings, maxRetries: 0 };
    let last: Job | undefined;
    try {
      for await (last of this.events(id, once)) onProgress?.(last);
    } catch (error) {
      if (last === undefined || !(error instanceof ChunksmithError)) throw error;
    }
    return last ?? this.get(id, once);
  }
}

const pathOf = (id: string) => `${ROOT}/${encodeURIComponent(id)}`;
