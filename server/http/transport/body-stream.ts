import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/**
 * Answers with pieces of text, read no faster than they are sent.
 *
 * @throws what the first piece throws; a later failure ends the connection, so that the client sees that the answer
 *   is incomplete
 */
export async function answerPieces(
  reply: FastifyReply,
  type: string,
  pieces: AsyncGenerator<Buffer>,
): Promise<FastifyReply> {
  const first = await pieces.next();
  const stream = Readable.from(startingWith(first, pieces), { objectMode: false });
  return reply.type(`${type}; charset=utf-8`).send(stream);
}

/** The first item of a generator, and the rest: until the first item is ready, a request can still be refused. */
export async function* startingWith<T>(first: IteratorResult<T>, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}
