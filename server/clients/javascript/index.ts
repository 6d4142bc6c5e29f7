/** The JavaScript client of Chunksmith for Node, Deno, Bun and browsers. It needs `fetch`. */
export type * from './api-types.ts';
export { Chunksmith } from './client.ts';
export { ChunksmithError, type Failure, type FailureCode } from './errors.ts';
export type * from './inputs.ts';
export type { CreateJobSettings, JobError, JobLine, JobQuery, Jobs, WaitSettings } from './jobs.ts';
export type { ChangeSettings, PipelineQuery, Pipelines, Presets } from './pipelines.ts';
export type { CallSettings, ChunksmithOptions } from './transport.ts';
