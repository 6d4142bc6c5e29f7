import type { FastifyReply } from 'fastify';
import { invalid } from '../../../core/errors.ts';
import type { Validate } from '../../engine/validation/validator.ts';

export type Query = Readonly<Record<string, unknown>>;

/** Checks a query, after converting `limit` to a number. @throws ServiceError `invalid_parameters` */
export function checkQuery<T>(query: Query, check: Validate): T {
  const { limit } = query;
  const isNumber = typeof limit === 'string' && /^\d{1,9}$/.test(limit);
  return check({ ...query, ...(isNumber && { limit: Number(limit) }) }) as T;
}

export function toCursor(text: string): string {
  return Buffer.from(text).toString('base64url');
}

/** @param read parses a position; undefined if it is invalid @throws ServiceError `invalid_parameters` */
export function readCursor<Position>(cursor: string, read: (text: string) => Position | undefined): Position {
  const position = read(Buffer.from(cursor, 'base64url').toString());
  if (position !== undefined) return position;
  const shown = JSON.stringify(cursor.slice(0, 60));
  throw invalid(`cursor: expected the x-next-cursor of an earlier answer, got ${shown}`);
}

export function leadOn(reply: FastifyReply, query: Readonly<Record<string, string>>, cursor: string): void {
  const next = new URLSearchParams({ ...query, cursor });
  reply.header('x-next-cursor', cursor).header('link', `<?${next}>; rel="next"`);
}
