import type { FastifyRequest } from 'fastify';

/** The media type of streams: a line of JSON for each document. */
export const LINES = 'application/x-ndjson';

/** Whether the body of a request is a stream of lines. */
export function isStream({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return typesOf(headers['content-type']).includes(LINES);
}

/** Whether a request wants its answer as a stream of lines, and does not accept JSON as well. */
export function wantsLines({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const types = typesOf(headers.accept);
  return types.includes(LINES) && !types.includes('application/json');
}

/** The media types of a header, without their parameters. */
function typesOf(header = ''): string[] {
  return header.split(',').map((type) => (type.split(';')[0] as string).trim().toLowerCase());
}
