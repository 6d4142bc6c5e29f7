import type { Job, JobInput, JobManifest, PipelineChunk, Shard } from './api-types.ts';
import type { CallSettings } from './settings.ts';

export interface CreateJobSettings extends CallSettings {
  /** The same key with the same request is the same job, so that it can be sent again; another request with it is a 422. */
  readonly idempotencyKey?: string;
}

export interface WaitSettings extends CallSettings {
  /** Called with the job whenever it has changed, the first time at once. */
  readonly onProgress?: (job: Job) => void;
}

export interface JobQuery<State> {
  readonly state?: State;
  readonly limit?: number;
  /** Of the header `x-next-cursor`. */
  readonly cursor?: string;
}

/** A document that failed. */
export interface JobError {
  /** The file, or null for documents of the request. */
  readonly source?: string | null;
  readonly id?: string | null;
  readonly status: number;
  readonly detail: string;
  readonly [place: string]: unknown;
}

/** A line of the output: a chunk, or with `group: 'document'` a document with its chunks. */
export type JobLine = Partial<PipelineChunk> & Readonly<Record<string, unknown>>;

/** The jobs of a service. */
export interface Jobs {
  /** `POST /v1/jobs`. Sent again after a failed connection only with a key. */
  create(job: JobInput, settings?: CreateJobSettings): Promise<Job>;
  /** `GET /v1/jobs`, the newest first. */
  list(query?: JobQuery<Job['state']>, settings?: CallSettings): Promise<Job[]>;
  /** `GET /v1/jobs/<id>` */
  get(id: string, settings?: CallSettings): Promise<Job>;
  /** `DELETE /v1/jobs/<id>`, with its output: 409 if it is not over. */
  delete(id: string, settings?: CallSettings): Promise<void>;
  /** `POST /v1/jobs/<id>/cancel` */
  cancel(id: string, settings?: CallSettings): Promise<Job>;
  /** `POST /v1/jobs/<id>/retry`: does again what failed. Not sent again if the connection fails. */
  retry(id: string, settings?: CallSettings): Promise<Job>;
  /** `GET /v1/jobs/<id>/shards` */
  shards(id: string, query?: JobQuery<Shard['state']>, settings?: CallSettings): Promise<Shard[]>;
  /** `GET /v1/jobs/<id>/events`: the job now and whenever it has changed, until it is over. */
  events(id: string, settings?: CallSettings): AsyncGenerator<Job, void, undefined>;
  /** `GET /v1/jobs/<id>/result`, line by line: 409 if the job is not done. */
  result(id: string, settings?: CallSettings): AsyncGenerator<JobLine, void, undefined>;
  /** `GET /v1/jobs/<id>/result` as JSON: what files there are, with their sizes and hashes. */
  manifest(id: string, settings?: CallSettings): Promise<JobManifest>;
  /** `GET /v1/jobs/<id>/errors`: the documents that failed, line by line. */
  errors(id: string, settings?: CallSettings): AsyncGenerator<JobError, void, undefined>;
  /** Waits until a job is over, whatever its state then is. Connections that are lost are made again. */
  wait(id: string, settings?: WaitSettings): Promise<Job>;
}
