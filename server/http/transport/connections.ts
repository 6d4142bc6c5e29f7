import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import plugin from 'fastify-plugin';

const ANSWERS: Readonly<Record<string, readonly [status: string, detail: string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'The headers are too large: send fewer or shorter ones.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request was not sent in time: send it faster.'],
};
const NOT_HTTP = ['400 Bad Request', 'The request is not valid HTTP/1.1.'] as const;

/** Answers in progress to requests that are still being received, by socket. */
const underWay = new WeakMap<Socket, ServerResponse>();

/** Lets the client send its request without a time limit until the answer is complete. */
export function answersWhileSent(answer: ServerResponse): void {
  const { socket } = answer;
  if (socket === null) return;
  underWay.set(socket, answer);
  answer.once('close', () => underWay.delete(socket));
}

/** Answers a request that is malformed, too slow or has too large headers, and closes its connection. */
export function refuseConnection({ code = '' }: Error & { code?: string }, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) return;
  const answer = underWay.get(socket);
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT' && answer !== undefined) return;
  // Sends no second answer, because the client would read it as a part of the first answer.
  if (answer?.headersSent) return void socket.destroy();
  const [status, detail] = ANSWERS[code] ?? NOT_HTTP;
  const body = JSON.stringify({ detail });
  const head = `content-type: application/json; charset=utf-8\r\ncontent-length: ${body.length}\r\nconnection: close`;
  socket.end(`HTTP/1.1 ${status}\r\n${head}\r\n\r\n${body}`);
}

/**
 * Keeps open connections from delaying the shutdown. After an answer in progress, the connection is closed.
 * Browsers and load balancers open connections in advance; these unused connections are closed at once.
 */
export const gracefulShutdown = plugin(
  async (app) => {
    const unused = new Set<Socket>();
    let isClosing = false;
    app.server.on('connection', (socket: Socket) => {
      unused.add(socket);
      socket.once('close', () => unused.delete(socket));
    });
    app.server.on('request', ({ socket }) => unused.delete(socket));
    app.addHook('preClose', async () => {
      isClosing = true;
      for (const socket of unused) socket.destroy();
    });
    app.addHook('onSend', (_request, reply, _payload, done) => {
      if (isClosing) reply.header('connection', 'close');
      done();
    });
  },
  { name: 'chunksmith-graceful-shutdown' },
);
