import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/**
 * Answers with pieces of text, read no faster than they are sent. A later failure ends the connection, which
 * shows the client that the answer is incomplete.
 *
 * @throws the error of the first piece
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

/** Yields the first item and the rest. Until its first item is ready, a request can still be refused. */
export async function* startingWith<T>(first: IteratorResult<T>, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}
