import type { FastifyRequest } from 'fastify';

/** Media type of streams: one line of JSON per document. */
export const LINES = 'application/x-ndjson';

export function isStream({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return typesOf(headers['content-type']).includes(LINES);
}

/** Whether a request accepts a stream of lines but not JSON. */
export function wantsLines({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const types = typesOf(headers.accept);
  return types.includes(LINES) && !types.includes('application/json');
}

function typesOf(header = ''): string[] {
  return header.split(',').map((type) => (type.split(';')[0] as string).trim().toLowerCase());
}
