import { ServiceError } from '../../../core/errors.ts';
import { createValidator } from '../../engine/validation/validator.ts';
import type { PagePosition, PageRequest, Versions } from '../../store/contract.ts';
import { textProblems } from './requests.ts';
import { pageQuery } from './schemas.ts';

/** What requests about pipelines say outside of their bodies: which page, which version. */

const checkPage = createValidator(pageQuery);

/**
 * Reads the query of the list of pipelines.
 *
 * @throws ServiceError `invalid_parameters`
 */
export function readPage(query: Readonly<Record<string, unknown>>): Partial<PageRequest> {
  const { limit, cursor, name } = query;
  const isNumber = typeof limit === 'string' && /^\d{1,9}$/.test(limit);
  checkPage({ ...query, ...(isNumber ? { limit: Number(limit) } : {}) });
  const problems = textProblems('name', name);
  if (problems.length > 0) throw invalid(problems);
  return {
    ...(name === undefined ? {} : { name: name as string }),
    ...(limit === undefined ? {} : { limit: Number(limit) }),
    ...(cursor === undefined ? {} : { after: readCursor(cursor as string) }),
  };
}

const TAG = /(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;
const TAGS = new RegExp(`^\\s*(?:${TAG.source}\\s*(?:,\\s*|$))+$`);

/**
 * Reads the versions of `If-Match`; `undefined` without the header. A weak tag counts as a strong one: proxies that
 * compress weaken tags, and ours stand for the whole pipeline anyway.
 *
 * @throws ServiceError `invalid_parameters`
 */
export function readIfMatch(header: string | undefined): Versions | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return '*';
  if (!TAGS.test(header)) {
    const shown = JSON.stringify(header.slice(0, 60));
    throw invalid([`If-Match: expected the ETag of an earlier answer such as "3", or *, got ${shown}`]);
  }
  const tags = [...header.matchAll(TAG)].map(([, tag]) => tag as string);
  return tags.filter((tag) => /^[1-9]\d*$/.test(tag)).map(Number);
}

/** The cursor of the page after a pipeline. */
export function cursorAfter({ created_at, id }: PagePosition): string {
  return Buffer.from(`${created_at} ${id}`).toString('base64url');
}

const CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3})(\d{3}) ([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;

function readCursor(cursor: string): PagePosition {
  const [, time = '', rest = '', id = ''] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  const parsed = new Date(`${time}Z`);
  if (!Number.isNaN(parsed.getTime()) && parsed.toISOString() === `${time}Z`) {
    return { created_at: time + rest, id };
  }
  const shown = JSON.stringify(cursor.slice(0, 60));
  throw invalid([`cursor: expected the x-next-cursor of an earlier answer, got ${shown}`]);
}

function invalid(problems: readonly string[]): ServiceError {
  return new ServiceError('invalid_parameters', { problems });
}
