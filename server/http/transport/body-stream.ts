import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/**
 * Answers with pieces of text, produced no faster than they are sent. A failure after the first piece closes
 * the connection, so that the client notices that the answer is incomplete.
 *
 * @throws the error if the first piece fails, so that it can still be the answer
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

/** Yields the first item, which the caller has awaited to notice an early error, and then the rest. */
export async function* startingWith<T>(first: IteratorResult<T>, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}
