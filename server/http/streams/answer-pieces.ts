import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { startingWith } from './starting-with.ts';

/**
 * Answers with pieces of text, read no faster than they are sent.
 *
 * @throws what the first piece throws; what fails afterwards ends the connection, so that the client sees that the answer
 *   is not whole
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
