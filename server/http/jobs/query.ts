import { ServiceError } from '../../../core/errors.ts';
import { createValidator, type Validate } from '../../engine/validation/validator.ts';
import type { JobPosition, JobState, ShardState } from '../../store/jobs/contract.ts';
import { jobsQuery, shardsQuery } from './request-schemas.ts';

/** What requests about jobs say outside of their bodies: which page, which key. */

const checkJobs = createValidator(jobsQuery);
const checkShards = createValidator(shardsQuery);

interface Page<State, Position> {
  readonly limit: number;
  readonly after?: Position;
  readonly state?: State;
}

type Query = Readonly<Record<string, unknown>>;

/** Reads the query of the list of jobs. @throws ServiceError `invalid_parameters` */
export function readJobsPage(query: Query): Page<JobState, JobPosition> {
  return readPage(query, checkJobs, readJobPosition);
}

/** Reads the query of the list of the shards of a job. @throws ServiceError `invalid_parameters` */
export function readShardsPage(query: Query): Page<ShardState, number> {
  return readPage(query, checkShards, readSeq);
}

function readPage<State, Position>(
  query: Query,
  check: Validate,
  read: (text: string) => Position | undefined,
): Page<State, Position> {
  const { limit } = query;
  const isNumber = typeof limit === 'string' && /^\d{1,9}$/.test(limit);
  const given = check({ ...query, ...(isNumber && { limit: Number(limit) }) });
  const { cursor, ...page } = given as { cursor?: string; limit: number; state?: State };
  return cursor === undefined ? page : { ...page, after: readCursor(cursor, read) };
}

/** The cursor of the page after a job. */
export function cursorAfterJob({ created_at, id }: JobPosition): string {
  return toCursor(`${created_at} ${id}`);
}

/** The cursor of the page after a shard. */
export function cursorAfterShard(seq: number): string {
  return toCursor(String(seq));
}

function toCursor(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function readCursor<Position>(cursor: string, read: (text: string) => Position | undefined): Position {
  const position = read(Buffer.from(cursor, 'base64url').toString());
  if (position !== undefined) return position;
  const shown = JSON.stringify(cursor.slice(0, 60));
  throw invalid(`cursor: expected the x-next-cursor of an earlier answer, got ${shown}`);
}

const JOB_POSITION = /^(\d{1,12}(?:\.\d{1,20})?) ([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;

function readJobPosition(text: string): JobPosition | undefined {
  const [, time, id] = JOB_POSITION.exec(text) ?? [];
  return time === undefined || id === undefined ? undefined : { created_at: Number(time), id };
}

function readSeq(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

const KEY = /^[\x21-\x7e]{1,255}$/;

/** Reads `Idempotency-Key`; null without the header. @throws ServiceError `invalid_parameters` */
export function readIdempotencyKey(header: string | readonly string[] | undefined): string | null {
  if (header === undefined) return null;
  if (typeof header === 'string' && KEY.test(header)) return header;
  throw invalid('Idempotency-Key: expected 1 to 255 visible ASCII characters, such as a UUID');
}

function invalid(problem: string): ServiceError {
  return new ServiceError('invalid_parameters', { problems: [problem] });
}
